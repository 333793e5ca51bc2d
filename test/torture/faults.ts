/**
 * Faults of the machine under a loaded server: failing syncs and writes, a full disk, no more descriptors, no more
 * memory. No acknowledged order is lost, and the server starts again.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Sandbox } from '../support/api/api-client-sandbox.js';
import { CrashBook } from '../support/api/crash-book.js';
import { toteText } from '../support/processes/cli.js';
import { newDataDir } from '../support/processes/server.js';
import type { Rng } from '../support/reference/random/rng.js';

const TRADERS = 24;
const CONNECTIONS = 32;
const MIB = 1024 * 1024;

export interface Fault {
  readonly name: string;
  readonly needs: readonly string[];
  readonly run: (rng: Rng) => Promise<string>;
}

const injected = (name: string, call: string, error: string): Fault => ({
  name,
  needs: ['strace'],
  run: (rng) => underStrace(call, error, rng),
});

export const FAULTS: readonly Fault[] = [
  injected('fsync fails', 'fsync,fdatasync', 'EIO'),
  injected('a write fails', 'pwrite64', 'EIO'),
  injected('no space for a write', 'pwrite64', 'ENOSPC'),
  { name: 'the disk fills and is cleared', needs: ['mount'], run: diskFills },
  { name: 'no descriptors are left', needs: ['prlimit'], run: noDescriptors },
  { name: 'no memory is left', needs: ['prlimit'], run: noMemory },
];

/**
 * From the Nth call on, every one fails: the server must end by itself, and must not have acknowledged anything of
 * them.
 */
async function underStrace(call: string, error: string, rng: Rng): Promise<string> {
  const from = rng.integer(5, 120);
  const under = [
    'strace',
    ...['--follow-forks', '--quiet=all', '--output=/dev/null', `--trace=${call}`],
    `--inject=${call}:error=${error}:when=${from}+`,
  ];
  let ended = NEVER_UP;
  await withBook(rng, newDataDir(), async (book) => {
    ended = await loadUntilItEnds(book, { under });
    assert.notEqual(ended.code, 0, 'a server that cannot write does not end as if all were well');
  });
  return `from call ${from} on, ${describeEnd(ended)}`;
}

/** Another program fills a small disk: orders are refused first, then the server ends; cleared, it starts again. */
async function diskFills(rng: Rng): Promise<string> {
  const mountPoint = newDataDir();
  mounted(mountPoint, 2_600 * MIB);
  const ballast = join(mountPoint, 'ballast');
  const leave = (freeMib: number): void => {
    rmSync(ballast, { force: true });
    const { bavail, bsize } = statfsSync(mountPoint);
    const sized = spawnSync('fallocate', ['-l', String(bavail * bsize - freeMib * MIB), ballast]);
    assert.equal(sized.status, 0, String(sized.stderr));
  };
  try {
    await withBook(rng, join(mountPoint, 'data'), async (book) => {
      book.sandbox = await Sandbox.start({ dataDir: book.sandbox.server.dataDir });
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
    });
    return 'reserve, cleared, hard, cleared';
  } finally {
    unmount(mountPoint);
  }
}

/** Enough for a start, and few beside the connections that come. */
const DESCRIPTORS = 320;

/** More connections than the process may have descriptors: those that are served go on. */
async function noDescriptors(rng: Rng): Promise<string> {
  const sockets: Socket[] = [];
  await withBook(rng, newDataDir(), async (book) => {
    const { dataDir } = book.sandbox.server;
    // One gateway: threads that load their code at the same moment have many files open.
    const env = { TOTE_GATEWAYS: '1' };
    book.sandbox = await Sandbox.start({ dataDir, env, under: ['prlimit', `--nofile=${DESCRIPTORS}`] });
    await book.sandbox.openRounds({ BTC: 67_000 });
    const port = Number(new URL(book.sandbox.server.publicUrl).port);
    let answered = 0;
    let status = Promise.resolve('not asked');
    await book
      .loadUntilGone(8, (acknowledged) => {
        answered = acknowledged;
        if (acknowledged === 20) for (let n = 0; n < 2 * DESCRIPTORS; n++) sockets.push(opened(port));
        if (acknowledged === 120) status = endAfterStatus(book);
      })
      .finally(() => {
        for (const socket of sockets) socket.destroy();
      });
    assert.ok(answered >= 120, 'orders are answered during the flood');
    assert.equal(await status, '200', 'so are operators');
    assert.equal((await book.sandbox.server.run.ended).code, 0);
  });
  return `${sockets.length} connections, ${DESCRIPTORS} descriptors`;
}

/** The status looks at the process's own memory, which takes a descriptor. */
function endAfterStatus({ sandbox }: CrashBook): Promise<string> {
  return sandbox.operator
    .get('/status')
    .then(({ status }) => String(status), String)
    .finally(() => sandbox.server.run.signal('SIGTERM'));
}

/** Under load the process gets no more memory from the system: it ends as it must, or goes on, and loses nothing. */
async function noMemory(rng: Rng): Promise<string> {
  const limitAt = rng.integer(50, 400);
  let ended = NEVER_UP;
  await withBook(rng, newDataDir(), async (book) => {
    ended = await loadUntilItEnds(book, {
      onAnswer: (acknowledged, pid) => {
        if (acknowledged === limitAt) limitMemory(pid);
        if (acknowledged === 1_500) book.sandbox.server.run.signal('SIGTERM');
      },
    });
    assert.ok(ended.acknowledged >= limitAt, 'the limit comes under load');
  });
  return `none from order ${limitAt} on, ${describeEnd(ended)}`;
}

function limitMemory(pid: number): void {
  const { size = '' } =
    /^VmSize:\s+(?<size>\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.groups ?? {};
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--as=${Number(size) * 1024}`]);
  assert.equal(status, 0, String(stderr));
}

interface Under {
  readonly under?: readonly string[];
  readonly onAnswer?: (acknowledged: number, pid: number) => void;
}

interface Ended {
  readonly code: number | null;
  readonly isUp: boolean;
  readonly acknowledged: number;
}
const NEVER_UP: Ended = { code: null, isUp: false, acknowledged: 0 };

const describeEnd = ({ code, isUp, acknowledged }: Ended): string =>
  isUp ? `${acknowledged} orders acknowledged, ended with ${code ?? 'a signal'}` : 'it never came up';

async function loadUntilItEnds(book: CrashBook, { under = [], onAnswer }: Under): Promise<Ended> {
  let acknowledged = 0;
  const before = book.sandbox;
  try {
    book.sandbox = await Sandbox.start({ dataDir: before.server.dataDir, under });
    await book.sandbox.openRounds({ BTC: 67_000 });
    await book.loadUntilGone(CONNECTIONS, (count) => {
      acknowledged = count;
      onAnswer?.(count, book.sandbox.server.run.pid);
    });
  } catch (error) {
    // The fault came before the server was up, or in the middle of an operator's request.
    if (!(error instanceof Error && /the server ended|fetch failed|terminated/.test(error.message)))
      throw error;
  }
  if (book.sandbox === before) return NEVER_UP;
  const { code } = await book.sandbox.server.run.ended;
  return { code, isUp: true, acknowledged };
}

/**
 * `act` brings a server to its end; then the files and a start on sound ground are held against the clients'
 * knowledge.
 */
async function withBook(rng: Rng, dataDir: string, act: (book: CrashBook) => Promise<void>): Promise<void> {
  const sandbox = await Sandbox.start({ dataDir });
  const book = new CrashBook(sandbox, rng);
  try {
    await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
    await book.addTraders(TRADERS);
    await sandbox.server.stop();
    await act(book);
    await book.sandbox.server.kill();
    await toteText(['verify', dataDir]);
    book.sandbox = await Sandbox.start({ dataDir });
    await book.audit();
  } finally {
    await book.sandbox.remove();
  }
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

function mounted(path: string, bytes: number): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
  assert.equal(status, 0, String(stderr));
  process.prependOnceListener('exit', () => unmount(path));
}

const unmount = (path: string): unknown => spawnSync('umount', ['--lazy', path]);

function opened(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}
