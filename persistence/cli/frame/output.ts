/**
 * The output of a command: results go to stdout, as text for people, or with `--json` as JSON for programs. Progress
 * and messages go to stderr, so that a pipe gets results only.
 */
import { writeSync } from 'node:fs';
import { codeOf } from '../../errors.js';
import { textOf } from './text.js';

const STDOUT = 1;
const CHUNK_CHARS = 64 * 1024;
const RETRY_MS = 2;

/** The reader of stdout has gone (`| head`). That is no error, but nothing is left to do. */
export class ReaderGone extends Error {}

export interface Streams {
  /** Returns when everything is written. Throws `ReaderGone`. */
  stdout(bytes: Uint8Array): void;
  stderr(text: string): void;
}

export class Output {
  #waiting = '';

  constructor(
    readonly isJson: boolean,
    private readonly streams: Streams,
  ) {}

  /** The result of a command, of which people may see other parts than programs. */
  answer(value: object, shown = value): void {
    this.raw(this.isJson ? `${JSON.stringify(value, null, 2)}\n` : textOf(shown));
  }

  /** One line for people, or one JSON line of a stream. */
  line(text: string): void {
    this.raw(`${text}\n`);
  }

  /** Text with line ends of its own. */
  raw(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length >= CHUNK_CHARS) this.flush();
  }

  /** For people; not part of the result. */
  note(text: string): void {
    this.flush();
    this.streams.stderr(`${text}\n`);
  }

  /** Returns when everything so far is written. Throws `ReaderGone`. */
  flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.streams.stdout(bytes);
  }
}

export const PROCESS_STREAMS: Streams = {
  stdout: (bytes) => {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSome(rest));
  },
  stderr: (text) => void process.stderr.write(text),
};

/** Synchronous, so that a stream of any length waits for its reader. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(STDOUT, bytes);
  } catch (thrown) {
    if (codeOf(thrown) === 'EPIPE') throw new ReaderGone();
    if (codeOf(thrown) !== 'EAGAIN') throw thrown;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}
