/**
 * Makes the golden data directories of this program's format:
 *
 *     node dist/test/golden/generate.js <new folder>
 *
 * `clean` was stopped by a server in order, `unclean` is what a kill leaves: half of it in the WAL. Beside each stands
 * a JSON file with what a restart must come to. README.md says when to make new ones.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { must } from '../../engine/assert.js';
import type { Engine } from '../../engine/engine.js';
import { JournalThread } from '../../persistence/journal-thread.js';
import { openStore } from '../../persistence/open-store.js';
import { masterSecretFingerprint } from '../../persistence/secrets.js';
import { GoldenRun } from './scenario.js';

const CLOCK = { nowMs: () => Date.UTC(2026, 5, 10, 12), monotonicMs: () => 0 };
const SECRET = Buffer.from('golden master secret, test only!');

/** What a restart on a golden directory must come to. */
function expected(engine: Engine): string {
  const newHasher = () => {
    const hash = createHash('sha256');
    return { update: (text: string) => void hash.update(text), digestHex: () => hash.digest('hex') };
  };
  const { seq, timeMs } = engine;
  const expectation = {
    seq,
    timeMs,
    digest: engine.rollingDigest(),
    stateDigest: engine.stateDigest(newHasher),
    bets: engine.betCount,
    totals: engine.totals(),
  };
  return `${JSON.stringify(expectation, null, 2)}\n`;
}

async function play(path: string, scenario: (run: GoldenRun) => Promise<void>): Promise<Engine> {
  const store = openStore(path, CLOCK, () => {});
  const { dir, engine, recovered } = store;
  const journal = new JournalThread({ dir, durability: 'fsync', lastSeq: recovered.lastSeq });
  const run = new GoldenRun(engine, journal, masterSecretFingerprint(store.masterSecret));
  await scenario(run);
  await run.drain();
  if (path.endsWith('.live')) cpSync(path, path.replace(/\.live$/, ''), { recursive: true });
  await journal.close();
  store.lock.release();
  return engine;
}

/** A data directory with the test secret in it. */
function prepare(path: string): string {
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'master-secret'), SECRET, { mode: 0o600 });
  return path;
}

async function firstDay(run: GoldenRun): Promise<void> {
  await run.minute(16);
  await run.operate(0);
  await run.minute(40, 'move');
  await run.operate(1);
  await run.minute(24, 'stand');
  await run.operate(2);
  await run.minute(24, 'none');
  await run.minute(8);
}

async function secondDay(run: GoldenRun): Promise<void> {
  await run.minute(16);
}

const target = resolve(must(process.argv[2], 'the new folder'));
mkdirSync(target);
const clean = await play(prepare(join(target, 'clean')), firstDay);
writeFileSync(join(target, 'clean.json'), expected(clean));

const live = prepare(join(target, 'unclean.live'));
await play(live, firstDay);
const unclean = await play(live, secondDay);
writeFileSync(join(target, 'unclean.json'), expected(unclean));
rmSync(live, { recursive: true });
for (const name of ['clean', 'unclean']) {
  for (const left of ['lock', 'lock-journal', 'server.pid', 'journal/segment-0000000000000001.db-shm']) {
    rmSync(join(target, name, left), { force: true });
  }
}
