/**
 * The output of a command: results go to stdout, as text for people, or with `--json` as JSON for programs. Progress
 * and messages go to stderr, so that a pipe gets results only.
 */
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { codeOf, reasonOf } from '../../errors.js';
import { clearProgress } from './progress.js';
import { textOf } from './text.js';

const STDOUT = 1;
const CHUNK_CHARS = 64 * 1024;
const RETRY_MS = 2;
/** The shell's exit code for a program that it does not find. */
const NO_PROGRAM = 127;

/** The reader of stdout has gone (`| head`). That is no error, but nothing is left to do. */
export class ReaderGone extends Error {}

export interface Streams {
  /** Shows a text that is longer than the terminal, until its reader has had enough; absent without a terminal. */
  readonly page?: (bytes: Uint8Array) => void;
  readonly terminalRows?: number;
  /** Returns when everything is written. Throws `ReaderGone`. */
  stdout(bytes: Uint8Array): void;
  stderr(text: string): void;
}

export class Output {
  #waiting = '';

  constructor(
    readonly isJson: boolean,
    private readonly streams: Streams,
    private readonly rowsMax: number,
  ) {}

  /** The result of a command, of which people may see other parts than programs. */
  answer(value: object, shown = value): void {
    if (this.isJson) this.raw(`${JSON.stringify(value, null, 2)}\n`);
    else this.#show(textOf(shown, this.rowsMax));
  }

  #show(text: string): void {
    const { page, terminalRows = 0 } = this.streams;
    this.flush();
    if (page !== undefined && text.split('\n').length > terminalRows) page(Buffer.from(text));
    else this.raw(text);
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
    if (process.stdout.isTTY) clearProgress();
    writeAll(bytes);
  },
  stderr: (text) => {
    clearProgress();
    process.stderr.write(text);
  },
  ...(process.stdout.isTTY ? { page, terminalRows: process.stdout.rows } : {}),
};

function page(bytes: Uint8Array): void {
  // Ctrl-C is the pager's.
  process.on('SIGINT', () => {});
  const { status } = spawnSync(process.env['PAGER'] || 'less', {
    shell: true,
    input: bytes,
    // As git does it: the text stays on the screen.
    env: { LESS: 'FRX', ...process.env },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (status === NO_PROGRAM) writeAll(bytes);
}

function writeAll(bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSome(rest));
}

/** Synchronous, so that a stream of any length waits for its reader. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(STDOUT, bytes);
  } catch (thrown) {
    if (codeOf(thrown) === 'EPIPE') throw new ReaderGone();
    if (codeOf(thrown) !== 'EAGAIN') throw unwritten(thrown);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    return 0;
  }
}

function unwritten(cause: unknown): Error {
  const sentence = `The output cannot be written, and is not complete: ${reasonOf(cause)}.`;
  return Object.assign(new Error(sentence, { cause }), { code: codeOf(cause) });
}
