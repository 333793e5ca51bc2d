/**
 * Kills the real server under load again and again, in several ways: every acknowledged order exists, once; replays
 * are the same; money is conserved; `verify` finds nothing wrong with the files.
 */
import assert from 'node:assert/strict';
import { Sandbox } from '../support/api/api-client-sandbox.js';
import { CrashBook } from '../support/api/crash-book.js';
import { toteText } from '../support/processes/cli.js';
import { newDiskDir, startDoomed } from '../support/processes/server.js';
import type { Rng } from '../support/reference/random/rng.js';

/** In percent. */
const SHARES = [
  [70, 'SIGKILL'],
  [12, 'SIGTERM'],
  [6, 'SIGSTOP, SIGCONT, SIGKILL'],
  [6, 'SIGSTOP, SIGKILL'],
  [6, 'SIGKILL at the start'],
] as const;
export type Way = (typeof SHARES)[number][1];
export const WAYS: readonly Way[] = SHARES.map(([, way]) => way);

interface CycleOptions {
  readonly cycles: number;
  readonly ways?: readonly Way[];
}

interface CycleReport {
  readonly ways: ReadonlyMap<Way, number>;
  readonly acknowledged: number;
  readonly survived: number;
  readonly lost: number;
}

const TRADERS = 64;
const CONNECTIONS = 48;
const ACKNOWLEDGED_MAX = 400;
/** Small, so that segments are sealed and snapshots written while servers die. */
const ENV: Readonly<Record<string, string>> = { TOTE_SEGMENT_MIB: '1', TOTE_SNAPSHOT_COMMANDS: '500' };

export async function killCycles(
  { cycles, ways: selected = WAYS }: CycleOptions,
  rng: Rng,
  onCycle: (done: number) => void,
): Promise<CycleReport> {
  const shares = SHARES.filter(([, way]) => selected.includes(way));
  assert.ok(shares.length > 0, 'servers end in some way');
  // Before the load, whose draws come in the order of the answers.
  const drawn = Array.from({ length: cycles }, () => rng.weighted<Way>(shares));
  const ways = new Map<Way, number>();
  const sum = { acknowledged: 0, survived: 0, lost: 0 };
  let book = await begin(rng);
  try {
    for (const [index, way] of drawn.entries()) {
      if (!book.hasRoomFor(ACKNOWLEDGED_MAX + CONNECTIONS)) {
        await book.sandbox.remove();
        book = await begin(rng);
      }
      await endUnderLoad(book, way, rng);
      ways.set(way, (ways.get(way) ?? 0) + 1);
      await toteText(['verify', book.sandbox.server.dataDir]);
      book.sandbox = await Sandbox.start({ dataDir: book.sandbox.server.dataDir, env: ENV });
      const audit = await book.audit();
      sum.acknowledged += audit.acknowledged;
      sum.survived += audit.survived;
      sum.lost += audit.lost;
      onCycle(index + 1);
    }
  } finally {
    await book.sandbox.remove();
  }
  return { ways, ...sum };
}

async function begin(rng: Rng): Promise<CrashBook> {
  const sandbox = await Sandbox.start({ dataDir: newDiskDir(), env: ENV });
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const book = new CrashBook(sandbox, rng);
  await book.addTraders(TRADERS);
  return book;
}

async function endUnderLoad(book: CrashBook, way: Way, rng: Rng): Promise<void> {
  if (way === 'SIGKILL at the start') await killAtStart(book, rng);
  await book.sandbox.openRounds({ BTC: 67_000 });
  const endAfter = rng.integer(1, ACKNOWLEDGED_MAX);
  const { run } = book.sandbox.server;
  await book.loadUntilGone(CONNECTIONS, (acknowledged) => {
    if (acknowledged === endAfter) void end(way, rng, (signal) => run.signal(signal));
  });
  const { code, signal, stderr } = await run.ended;
  const expected = way === 'SIGTERM' ? [0, null] : [null, 'SIGKILL'];
  assert.deepEqual([code, signal], expected, `${way}: ${code} ${signal}\n${stderr}`);
}

/** A few turns late and apart, so that orders are on their way in every state. */
async function end(way: Way, rng: Rng, signal: (name: NodeJS.Signals) => void): Promise<void> {
  await turns(rng.integer(0, 12));
  switch (way) {
    case 'SIGTERM':
      signal('SIGTERM');
      return;
    case 'SIGSTOP, SIGCONT, SIGKILL':
      signal('SIGSTOP');
      await turns(rng.integer(10, 200));
      signal('SIGCONT');
      await turns(rng.integer(0, 50));
      break;
    case 'SIGSTOP, SIGKILL':
      signal('SIGSTOP');
      await turns(rng.integer(10, 200));
      break;
    default:
  }
  signal('SIGKILL');
}

async function killAtStart(book: CrashBook, rng: Rng): Promise<void> {
  const { dataDir } = book.sandbox.server;
  await book.sandbox.server.kill();
  await startDoomed({ dataDir, env: ENV }, async (run) => {
    const endMs = performance.now() + rng.integer(0, 500);
    while (performance.now() < endMs) await turns(1);
    run.signal('SIGKILL');
  });
  book.sandbox = await Sandbox.start({ dataDir, env: ENV });
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}
