/**
 * Faults of the machine under a server that is loaded: syncs and writes that fail, a disk that fills, no more
 * descriptors, no more memory. Whatever it does about it, no acknowledged order is lost and it starts again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '../support/api-client-sandbox.js';
import { CrashBook } from '../support/crash-book.js';
import type { Dice } from '../support/reference/dice.js';
import { checkFiles } from './check-files.js';

const TRADERS = 16;
const CONNECTIONS = 32;
const MIB = 1024 * 1024;

export interface Fault {
  readonly name: string;
  /** Programs that it needs. */
  readonly needs: readonly string[];
  readonly run: (dice: Dice) => Promise<string>;
}

const injected = (name: string, call: string, error: string): Fault => ({
  name,
  needs: ['strace'],
  run: (dice) => underStrace(call, error, dice),
});

export const FAULTS: readonly Fault[] = [
  injected('fsync fails', 'fsync,fdatasync', 'EIO'),
  injected('a write fails', 'pwrite64', 'EIO'),
  injected('no space for a write', 'pwrite64', 'ENOSPC'),
  { name: 'the disk fills and is cleared', needs: ['mount'], run: diskFills },
  { name: 'no descriptors are left', needs: ['prlimit'], run: noDescriptors },
  { name: 'no memory is left', needs: ['prlimit'], run: noMemory },
];

/** Whether the machine has the program and, for `mount`, the right to use it. */
export const isAvailable = (program: string): boolean =>
  spawnSync('which', [program]).status === 0 && (program !== 'mount' || process.getuid?.() === 0);

/** From the Nth call on, every one fails: the server must end by itself, and have told nobody of what failed. */
async function underStrace(call: string, error: string, dice: Dice): Promise<string> {
  const { book, dataDir } = await prepared(dice);
  const from = dice.whole(5, 120);
  const under = [
    'strace',
    ...['--follow-forks', '--quiet=all', '--output=/dev/null', `--trace=${call}`],
    `--inject=${call}:error=${error}:when=${from}+`,
  ];
  const code = await loadUntilItEnds(book, { dataDir, under });
  assert.notEqual(code, 0, 'a server that cannot write does not end as if all were well');
  return `from call ${from} on`;
}

/** A small disk that another program fills: orders are refused first, then the server ends; cleared, it starts again. */
async function diskFills(dice: Dice): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tote-disk-'));
  mounted(dataDir, `tmpfs -o size=${2_600 * MIB}`);
  try {
    const { book } = await prepared(dice, dataDir);
    const ballast = join(dataDir, 'ballast');
    const leave = (freeMib: number): void => {
      rmSync(ballast, { force: true });
      const { bavail, bsize } = statfsSync(dataDir);
      const sized = spawnSync('fallocate', ['-l', String(bavail * bsize - freeMib * MIB), ballast]);
      assert.equal(sized.status, 0, String(sized.stderr));
    };
    book.sandbox = await Sandbox.start({ dataDir });
    leave(700);
    await refusesOrders(book, 'disk_reserve');
    rmSync(ballast);
    await takesOrders(book);
    let isFilling = false;
    await book.sandbox.openRounds({ BTC: 67_000 });
    await book.loadUntilGone(CONNECTIONS, () => {
      if (isFilling) return;
      isFilling = true;
      leave(100);
    });
    assert.equal((await book.sandbox.server.run.ended).code, 1, 'ends by itself below the hard mark');
    rmSync(ballast);
    await audited(book, dataDir);
    return 'reserve, cleared, hard, cleared';
  } finally {
    spawnSync('umount', ['--lazy', dataDir]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** More connections than the process may have descriptors: those that are served go on. */
async function noDescriptors(dice: Dice): Promise<string> {
  const { book, dataDir } = await prepared(dice);
  book.sandbox = await Sandbox.start({ dataDir, under: ['prlimit', '--nofile=160'] });
  await book.sandbox.openRounds({ BTC: 67_000 });
  const port = Number(new URL(book.sandbox.server.publicUrl).port);
  const sockets: Socket[] = [];
  let answered = 0;
  await book.loadUntilGone(8, (acknowledged) => {
    answered = acknowledged;
    if (acknowledged === 20) for (let n = 0; n < 400; n++) sockets.push(opened(port));
    if (acknowledged === 120) book.sandbox.server.run.signal('SIGTERM');
  });
  for (const socket of sockets) socket.destroy();
  assert.ok(answered >= 120, 'orders are answered during the flood');
  assert.equal((await book.sandbox.server.run.ended).code, 0);
  await audited(book, dataDir);
  return `${sockets.length} connections, 160 descriptors`;
}

/** A limit of memory that the load runs into: the process dies as it may, and loses nothing. */
async function noMemory(dice: Dice): Promise<string> {
  const { book, dataDir } = await prepared(dice);
  const heapMib = dice.whole(14, 20);
  const code = await loadUntilItEnds(book, {
    dataDir,
    under: ['prlimit', '--core=0'],
    env: { NODE_OPTIONS: `--max-old-space-size=${heapMib}` },
    endAfter: 1_200,
  });
  return `${heapMib} MiB of heap, ended with ${code ?? 'a signal'}`;
}

interface Under {
  readonly dataDir: string;
  readonly under: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it from outside after so many answers where the fault does not. */
  readonly endAfter?: number;
}

/** Loads a server that runs under something until it ends, and audits it on sound ground. Returns its exit code. */
async function loadUntilItEnds(book: CrashBook, options: Under): Promise<number | null> {
  const { dataDir, under, env = {}, endAfter = Number.POSITIVE_INFINITY } = options;
  let code: number | null = null;
  try {
    book.sandbox = await Sandbox.start({ dataDir, under, env });
    await book.sandbox.openRounds({ BTC: 67_000 });
    await book.loadUntilGone(CONNECTIONS, (acknowledged) => {
      if (acknowledged === endAfter) book.sandbox.server.run.signal('SIGTERM');
    });
  } catch (error) {
    // The fault came before the server was up, or in the middle of an operator's request.
    if (!(error instanceof Error && /the server ended|fetch failed|terminated/.test(error.message)))
      throw error;
  }
  code = (await book.sandbox.server.run.ended).code;
  await audited(book, dataDir);
  return code;
}

/** A data directory with bettors, whose server has been stopped. */
async function prepared(
  dice: Dice,
  dataDir?: string,
): Promise<{ readonly book: CrashBook; readonly dataDir: string }> {
  const sandbox = await Sandbox.start(dataDir === undefined ? {} : { dataDir });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const book = new CrashBook(sandbox, dice);
  await book.addTraders(TRADERS);
  await sandbox.server.stop();
  return { book, dataDir: sandbox.server.dataDir };
}

async function audited(book: CrashBook, dataDir: string): Promise<void> {
  await book.sandbox.server.kill();
  checkFiles(dataDir);
  book.sandbox = await Sandbox.start({ dataDir });
  await book.audit();
  await book.sandbox.remove();
}

async function refusesOrders(book: CrashBook, code: string): Promise<void> {
  const { secret } = await book.sandbox.trader();
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  for (;;) {
    const answered = await book.sandbox.api(secret).order(order);
    if (answered.status === 503) return assert.equal(answered.error.split(':')[0], code);
    assert.equal(answered.status, 201, answered.text);
  }
}

async function takesOrders(book: CrashBook): Promise<void> {
  const { secret } = await book.sandbox.trader();
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  while ((await book.sandbox.api(secret).order(order)).status !== 201);
}

function mounted(path: string, what: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', ...what.split(' '), 'tmpfs', path]);
  assert.equal(status, 0, String(stderr));
}

function opened(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}
