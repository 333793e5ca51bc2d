/**
 * Makes the golden data directories of this program's format:
 *
 *     node dist/test/golden/generate.js <new folder>
 *
 * `clean` was stopped cleanly; `unclean` is as a kill leaves it, half in the WAL. Each has a JSON file with the state
 * that a restart must recover. README.md says when to make new ones.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newSha256 } from '../../crypto/sha256.js';
import { must } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import { DEFAULT_SNAPSHOTS_KEPT } from '../../engine/model/snapshots-kept.js';
import { fileBytes } from '../../persistence/data-dir/files.js';
import { openDataDir } from '../../persistence/data-dir/layout.js';
import { JournalThread } from '../../persistence/journal/thread.js';
import { openStore } from '../../persistence/recovery/open-store.js';
import { Shadow } from '../../persistence/shadow/shadow.js';
import { writeSigningKeys } from '../support/engine/signing.js';
import { GoldenRun } from './scenario.js';

const CLOCK = { nowMs: () => Date.UTC(2026, 5, 10, 12), monotonicMs: () => 0 };
const SECRET = Buffer.from('golden master secret, test only!');
/** Small enough for several segments. */
const SEGMENT_BYTES_MAX = 48_000;
const SNAPSHOT_COMMANDS = 150;

/** The state that a restart on a golden directory must recover. */
function expected(engine: Engine): string {
  const { seq, timeMs } = engine;
  const expectation = {
    seq,
    timeMs,
    digest: engine.rollingDigest(),
    stateDigest: engine.stateDigest(newSha256),
    bets: engine.betCount,
    totals: engine.totals(),
  };
  return `${JSON.stringify(expectation, null, 2)}\n`;
}

/** A server's life; `onDrained` sees its directory as a kill would leave it. */
async function play(
  path: string,
  scenario: (run: GoldenRun) => Promise<void>,
  onDrained: () => void = () => {},
): Promise<Engine> {
  const store = openStore(path, CLOCK, () => {});
  const { dir, engine, recovered } = store;
  const journal = new JournalThread({
    dir,
    durability: 'fsync',
    lastSeq: recovered.lastSeq,
    segmentBytesMax: SEGMENT_BYTES_MAX,
  });
  const run = new GoldenRun(engine, journal, store.masterSecret);
  await scenario(run);
  await run.drain();
  onDrained();
  await journal.close();
  store.lock.release();
  return engine;
}

/** A snapshot and the archive, as the shadow makes them. */
function shadow(path: string): void {
  const options = {
    dir: openDataDir(path),
    snapshotCommands: SNAPSHOT_COMMANDS,
    snapshotEveryMs: Number.MAX_SAFE_INTEGER,
    snapshotsKept: DEFAULT_SNAPSHOTS_KEPT,
    segmentsKeptMs: null,
  };
  const follower = new Shadow(options, CLOCK, () => {});
  while (follower.step() !== 'idle');
  follower.close();
}

/** A data directory with an empty journal, the test secret and the test key pair. */
function prepare(path: string): string {
  openStore(path, CLOCK, () => {}).lock.release();
  writeFileSync(join(path, 'master-secret'), SECRET, { mode: 0o600 });
  writeSigningKeys(join(path, 'signing-keys'));
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
const clean = prepare(join(target, 'clean'));
writeFileSync(join(target, 'clean.json'), expected(await play(clean, firstDay)));
shadow(clean);

const live = prepare(join(target, 'live'));
const unclean = join(target, 'unclean');
await play(live, firstDay);
shadow(live);
const left = await play(live, secondDay, () => cpSync(live, unclean, { recursive: true }));
writeFileSync(join(target, 'unclean.json'), expected(left));
rmSync(live, { recursive: true });

/** What no restart needs. */
const NEEDLESS = /^(lock|lock-journal|server\.pid)$|-shm$/;
for (const root of [clean, unclean]) {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (NEEDLESS.test(entry.name) || fileBytes(path) === 0)) rmSync(path);
  }
}
