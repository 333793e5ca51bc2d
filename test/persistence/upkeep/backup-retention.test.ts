/**
 * A backup while retention deletes between any two steps: after each listing of the journal's or the snapshots'
 * folder everything but the newest is deleted, and the copy is still complete in one run.
 */
import assert from 'node:assert/strict';
import fs, { cpSync, existsSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type DataDir, findDataDir } from '../../../persistence/data-dir/layout.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { executePlan, planPrune } from '../../../persistence/upkeep/retention/retention.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir } from '../support/operator-dir.js';
import { newestOnly } from '../support/shadow-files.js';

const POLICY = { segmentsMs: 1, snapshots: newestOnly(1) };
/** Well above the number of listings that a backup makes. */
const LISTINGS_MAX = 60;

/** Right after the `listing`th listing of one of `folders` from now; returns whether `hook` has been called. */
function afterListing(
  t: TestContext,
  folders: readonly string[],
  listing: number,
  hook: () => void,
): () => boolean {
  const real = fs.readdirSync;
  const restore = (): void => {
    fs.readdirSync = real;
    syncBuiltinESMExports();
  };
  let listings = 0;
  const listed = (...args: Parameters<typeof real>): unknown => {
    const names = real(...args);
    if (folders.includes(String(args[0]))) listings += 1;
    if (listings === listing) {
      restore();
      hook();
    }
    return names;
  };
  fs.readdirSync = listed as typeof real;
  syncBuiltinESMExports();
  t.after(restore);
  return () => {
    restore();
    return listings >= listing;
  };
}

function prune(dir: DataDir, nowMs: number): void {
  const before = findSegments(dir.journal).length;
  executePlan(dir, planPrune(dir, POLICY, nowMs));
  assert.ok(findSegments(dir.journal).length < before, 'segments go');
}

/** Retention deletes after listing 1, then after listing 2 and so on, for as many listings as a backup makes. */
function eachListing(t: TestContext, run: (to: string, dir: DataDir) => void): number {
  const folder = temporaryDir(t);
  const { dir: made, engine } = makeOperatorDir(join(folder, 'made'), { snapshotsAfter: [10, 60, 100] });
  for (let listing = 1; listing <= LISTINGS_MAX; listing += 1) {
    const [from, to] = [join(folder, `data-${listing}`), join(folder, `copy-${listing}`)];
    cpSync(made.root, from, { recursive: true });
    const dir = findDataDir(from);
    const hasStruck = afterListing(t, [dir.journal, dir.snapshots], listing, () => prune(dir, engine.timeMs));
    run(to, dir);
    if (!hasStruck()) return listing - 1;
    const copy = findDataDir(to);
    const report = verify(copy);
    assert.deepEqual(report.faults, [], `after listing ${listing}`);
    assert.equal(report.lastSeq, engine.seq);
    assert.deepEqual(
      readdirSync(copy.journal).filter((name) => name.includes('unfinished')),
      [],
    );
    assert.ok(!existsSync(copy.inUseFile));
  }
  assert.fail('a backup lists without end');
}

test('a first backup beside retention succeeds in one run, whenever retention deletes', (t) => {
  const listings = eachListing(t, (to, dir) => {
    assert.deepEqual(backup(dir, to).faults, []);
  });
  assert.ok(listings > 5, `${listings} listings`);
});
