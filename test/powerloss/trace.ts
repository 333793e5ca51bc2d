/**
 * A server's operations on its files, from strace's log, in the order of time. A write counts from its start, since
 * its bytes may reach the disk from then on; a sync from its end, for writes before its start.
 */
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from '../../engine/base/assert.js';

export type DiskOp =
  | { readonly kind: 'create' | 'mkdir' | 'unlink'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  /** A file's or a folder's; covers the first `covers` operations. */
  | { readonly kind: 'sync'; readonly path: string; readonly covers: number }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string };

const CALLS =
  'openat,open,creat,write,pwrite64,pwritev,pwritev2,writev,fsync,fdatasync,sync_file_range,ftruncate,truncate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat';

export const tracer = (logFile: string): readonly string[] => [
  'strace',
  ...['--follow-forks', '--decode-fds=path', '--quiet=all'],
  ...['--strings-in-hex=all', '--string-limit=10000000'],
  `--trace=${CALLS}`,
  `--output=${logFile}`,
];

const FINISHED = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/;
const UNFINISHED = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/;

interface Begun {
  readonly args: string;
  readonly at: number;
}

/** Leaves out other files than those below `root`, and `-shm` files, which hold nothing across a restart. */
export class TraceReader {
  readonly ops: DiskOp[] = [];
  readonly #begun = new Map<string, Begun>();
  readonly #positions = new Map<number, number>();
  readonly #exists = new Set<string>();

  constructor(private readonly root: string) {}

  async read(logFile: string): Promise<void> {
    for await (const line of createInterface({ input: createReadStream(logFile) })) this.#line(line);
    this.#begun.clear();
    this.#positions.clear();
  }

  #line(line: string): void {
    const begun = UNFINISHED.exec(line);
    if (begun !== null) {
      const [, thread = '', call = '', args = ''] = begun;
      this.#begun.set(`${thread} ${call}`, { args, at: this.ops.length });
      // Its bytes may reach the disk although the process never heard of it.
      if (call === 'pwrite64' || call === 'write') this.#call(call, args, Number.NaN, this.ops.length);
      return;
    }
    const resumed = RESUMED.exec(line);
    if (resumed !== null) {
      const [, thread = '', call = '', rest = '', result] = resumed;
      const before = this.#begun.get(`${thread} ${call}`);
      assert(before !== undefined, `a call that began: ${line.slice(0, 100)}`);
      this.#begun.delete(`${thread} ${call}`);
      if (call === 'pwrite64' || call === 'write') return;
      this.#call(call, before.args + rest, Number(result), before.at);
      return;
    }
    const finished = FINISHED.exec(line);
    if (finished === null) return;
    const [, , call = '', args = '', result] = finished;
    this.#call(call, args, Number(result), this.ops.length);
  }

  #call(call: string, args: string, result: number, at: number): void {
    if (result < 0) return;
    const fd = Number(/^(\d+)</.exec(args)?.[1] ?? Number.NaN);
    const paths = [...args.matchAll(/(?:<|")((?:\\x[0-9a-f]{2})+)(?:>|")/g)].map(([, hex = '']) => text(hex));
    switch (call) {
      case 'openat':
        this.#open(paths[1] ?? '', args, result);
        break;
      case 'pwrite64':
        this.#write(paths[0] ?? '', bytesOf(args), Number(/, (\d+)$/.exec(args)?.[1]));
        break;
      case 'write': {
        const bytes = bytesOf(args);
        const offset = this.#positions.get(fd) ?? 0;
        this.#positions.set(fd, offset + bytes.length);
        this.#write(paths[0] ?? '', bytes, offset);
        break;
      }
      case 'ftruncate':
        this.#push({ kind: 'truncate', path: paths[0] ?? '', size: Number(/, (\d+)$/.exec(args)?.[1]) });
        break;
      case 'fsync':
      case 'fdatasync':
        this.#push({ kind: 'sync', path: paths[0] ?? '', covers: at });
        break;
      case 'unlink':
        this.#exists.delete(paths[0] ?? '');
        this.#push({ kind: 'unlink', path: paths[0] ?? '' });
        break;
      case 'rename':
        this.#rename(paths[0] ?? '', paths[1] ?? '');
        break;
      case 'mkdir':
        this.#push({ kind: 'mkdir', path: paths[0] ?? '' });
        break;
      default:
        // A new call must be taught to this reader, or an image would lack its effect.
        assert(!paths.some((path) => this.#isOurs(path)), `${call} is not known here: ${args.slice(0, 200)}`);
    }
  }

  #open(path: string, args: string, fd: number): void {
    this.#positions.set(fd, 0);
    if (!args.includes('O_CREAT') || !this.#isOurs(path)) return;
    assert(!args.includes('O_APPEND'), 'nothing is appended without an offset');
    if (!this.#exists.has(path)) this.#push({ kind: 'create', path });
    else if (args.includes('O_TRUNC')) this.#push({ kind: 'truncate', path, size: 0 });
    this.#exists.add(path);
  }

  #rename(path: string, to: string): void {
    assert(dirname(path) === dirname(to), 'a rename stays in its folder');
    this.#exists.delete(path);
    this.#exists.add(to);
    this.#push({ kind: 'rename', path, to });
  }

  #write(path: string, bytes: Buffer, offset: number): void {
    this.#push({ kind: 'write', path, offset, bytes });
  }

  #push(op: DiskOp): void {
    if (this.#isOurs(op.path)) this.ops.push(op);
  }

  #isOurs(path: string): boolean {
    return (path === this.root || path.startsWith(join(this.root, '/'))) && !path.endsWith('-shm');
  }
}

const text = (hex: string): string => bytesOfHex(hex).toString('utf8');

/** The only argument in quotes. */
function bytesOf(args: string): Buffer {
  const from = args.indexOf('"');
  const to = args.lastIndexOf('"');
  assert(from >= 0 && to > from && !args.startsWith('...', to + 1), 'the whole of what was written');
  return bytesOfHex(args.slice(from + 1, to));
}

const bytesOfHex = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
