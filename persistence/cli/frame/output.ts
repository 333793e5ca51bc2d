/**
 * The output of a command: results go to stdout, as text for people, or with `--json` as JSON for programs. Progress
 * and messages go to stderr, so that a pipe gets results only.
 */
import { spawnSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { codeOf } from '../../errors.js';
import { withCommas } from './format.js';

const STDOUT = 1;
/** The shell's exit code where there is no such program. */
const NO_PROGRAM = 127;
const CHUNK_CHARS = 64 * 1024;
const RETRY_MS = 2;

/** The reader of stdout has gone (`| head`). That is no error, but nothing is left to do. */
export class ReaderGone extends Error {}

export interface Streams {
  /** Returns when everything is written. Throws `ReaderGone`. */
  stdout(bytes: Uint8Array): void;
  stderr(text: string): void;
  /** A person reads stdout: shows long text page by page. */
  readonly page?: (bytes: Uint8Array) => void;
}

export class Output {
  #waiting = '';

  /** `page` gets all results at once. */
  constructor(
    readonly isJson: boolean,
    private readonly streams: Streams,
    private readonly page?: Streams['page'],
  ) {}

  /** One line for people, or one JSON line of a stream. */
  line(text: string): void {
    this.raw(`${text}\n`);
  }

  /** Text with line ends of its own. */
  raw(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length >= CHUNK_CHARS && this.page === undefined) this.flush();
  }

  document(value: unknown): void {
    this.line(JSON.stringify(value, null, 2));
  }

  facts(rows: readonly (readonly [name: string, value: string])[]): void {
    const width = Math.max(...rows.map(([name]) => name.length));
    for (const [name, value] of rows) this.line(`${name.padEnd(width)}  ${value}`);
  }

  table(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
    const texts = [heading, ...rows.map((row) => row.map(String))];
    const widths = heading.map((_, column) =>
      texts.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
    );
    const isNumeric = heading.map(
      (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
    );
    for (const row of texts) {
      const cells = row.map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumeric[column] === true ? cell.padStart(width) : cell.padEnd(width);
      });
      this.line(cells.join('  ').trimEnd());
    }
  }

  /** For people; not part of the result. */
  note(text: string): void {
    if (this.page === undefined) this.flush();
    this.streams.stderr(`${text}\n`);
  }

  /** Returns when everything so far is written. Throws `ReaderGone`. */
  flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    (this.page ?? this.streams.stdout)(bytes);
  }
}

export const PROCESS_STREAMS: Streams = {
  stdout: writeAll,
  stderr: (text) => void process.stderr.write(text),
  ...(process.stdout.isTTY ? { page } : {}),
};

function writeAll(bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSome(rest));
}

/** As git does it: text that fits on the screen just stays there. */
function page(bytes: Uint8Array): void {
  // Ctrl-C is the pager's.
  process.on('SIGINT', () => {});
  const env = { LESS: 'FRX', ...process.env };
  const pager = process.env['PAGER'] || 'less';
  const { status } = spawnSync(pager, {
    shell: true,
    input: bytes,
    env,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  if (status === NO_PROGRAM) writeAll(bytes);
}

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

/* ---- how values are shown to people ---- */

/** `417.3 MiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `1,234,567`. */
export const countText = (count: number): string => withCommas(`${count}`);

export const lastRows = <T>(all: readonly T[], limit: number): T[] => all.slice(-limit);

/** `12,000 entries, the last 100 are shown (--limit)`. */
export const shownOf = (count: number, limit: number, what = ''): string =>
  `${countText(count)}${what}${count > limit ? `, the last ${countText(limit)} are shown (--limit)` : ''}`;

/** `1 segment`, `2 segments`. */
export const countOf = (count: number, what: string): string =>
  `${countText(count)} ${what}${count === 1 ? '' : 's'}`;
