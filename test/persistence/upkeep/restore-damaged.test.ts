/**
 * Every kind of damage to a directory, and its restore: the newest state that snapshots and the rows behind them
 * allow, never another state, and exit code 1 if acknowledged commands are missing. The restored directory is good,
 * and a server starts.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { type Restored, restore } from '../../../persistence/upkeep/restore/restore.js';
import { Stretches } from '../../../persistence/upkeep/restore/stretches.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import {
  type Damage,
  flipChain,
  flipRow,
  flipSnapshot,
  lose,
  loseArchive,
  loseJournal,
  loseMark,
  makeDamageable,
  seqAfter,
  unreadSnapshot,
} from '../support/damages.js';
import { CLOCK, refusal, temporaryDir } from '../support/journal-files.js';
import { digestAt, type MadeDir } from '../support/made-dir.js';
import { followed } from '../support/shadow-files.js';

interface Expected {
  readonly endsAfter?: number;
  /** The new journal begins with the snapshot after this batch; by default it has its beginning. */
  readonly beginsAfter?: number;
}

const LAST = 123;
/** Nothing is left but the snapshot after this batch. */
const onlyAt = (batch: number): Expected => ({ endsAfter: batch, beginsAfter: batch });
const CASES: readonly (readonly [string, readonly Damage[], Expected])[] = [
  ['nothing', [], {}],
  ['an old row', [flipRow(0, 20)], { beginsAfter: 60 }],
  ['an old row before the only snapshot of its segment', [flipRow(0, 5)], { beginsAfter: 10 }],
  ['the first segment', [lose(0)], { beginsAfter: 60 }],
  ['a middle row', [flipRow(1, 70)], { beginsAfter: 100 }],
  ['the middle segment', [lose(1)], { beginsAfter: 100 }],
  ['first and middle segment', [lose(1), lose(0)], { beginsAfter: 100 }],
  ['an old and a middle row', [flipRow(0, 20), flipRow(1, 70)], { beginsAfter: 100 }],
  ['a row of the open segment before the newest snapshot', [flipRow(2, 90)], { beginsAfter: 100 }],
  ['the row at which the newest snapshot stands', [flipRow(2, 100)], { beginsAfter: 100 }],
  ['only the chain hash of that row', [flipChain(2, 100)], { beginsAfter: 100 }],
  ['a row behind the newest snapshot', [flipRow(2, 110)], { endsAfter: 109 }],
  ['the open segment', [lose(2)], onlyAt(100)],
  ['every segment', [lose(2), lose(1), lose(0)], onlyAt(100)],
  ['the whole journal', [loseJournal], onlyAt(100)],
  ['the same and the newest snapshot', [loseJournal, flipSnapshot(0)], onlyAt(60)],
  ['the newest snapshot', [flipSnapshot(0)], {}],
  ['all snapshots', [flipSnapshot(0), unreadSnapshot, flipSnapshot(2)], {}],
  ['the archive', [loseArchive], {}],
  ['the mark', [loseMark], {}],
  ['the mark, and a row behind the newest snapshot', [loseMark, flipRow(2, 110)], { endsAfter: 109 }],
  ['an old row and the newest snapshot', [flipRow(0, 20), flipSnapshot(0)], { beginsAfter: 60 }],
  ['the middle segment and the newest snapshot', [lose(1), flipSnapshot(0)], onlyAt(60)],
  ['the first segment and two snapshots', [lose(0), flipSnapshot(0), flipSnapshot(1)], onlyAt(10)],
  ['the open segment, archive and mark', [lose(2), loseArchive, loseMark], onlyAt(100)],
];

const make = (t: TestContext): MadeDir => makeDamageable(join(temporaryDir(t), 'data'));

for (const [what, damages, expected] of CASES) {
  test(`damaged or lost: ${what}`, (t) => {
    const made = make(t);
    assert.equal(made.batches.length, LAST + 1);
    for (const damage of damages) damage(made);
    const { endsAfter = LAST, beginsAfter = null } = expected;
    const out = join(made.dir.root, '..', 'restored');
    const restored = restore(made.dir, new Stretches(made.dir), { out, toSeq: null });
    assert.equal(restored.seq, seqAfter(made, endsAfter));
    assert.equal(restored.stateDigest, digestAt(made, restored.seq));
    assert.equal(restored.lacksCommands, endsAfter < LAST, restored.notes.join('\n'));
    const beforeSeq = beginsAfter === null ? 0 : seqAfter(made, beginsAfter);
    assert.equal(/new journal begins at/.test(restored.notes.join()), beforeSeq > 0);
    assert.equal(expectServable(out, restored).segments[0]?.start.lastSeq, beforeSeq);
  });
}

/** Before a start and after it. Returns the report before. */
function expectServable(out: string, restored: Restored): ReturnType<typeof verify> {
  const [report] = Array.from({ length: 2 }, () => {
    const verified = verify(dataDirLayout(out));
    // Without an archive the history before a gap is unknown, which stays a fault.
    const faults = verified.faults.filter(({ part }) => part !== 'archive' || restored.archive !== null);
    assert.deepEqual(faults, []);
    const { engine, recovered, lock } = openStore(out, CLOCK, () => {});
    lock.release();
    assert.deepEqual([engine.stateDigest(newSha256), recovered.notes], [restored.stateDigest, []]);
    return verified;
  });
  return must(report, 'a report');
}

test('--to within a gap ends before it, elsewhere at that number', (t) => {
  const made = make(t);
  flipRow(1, 70)(made);
  const stretches = new Stretches(made.dir);
  const at = (toSeq: number, isOfTime = false): Restored => {
    const out = join(made.dir.root, '..', `at-${toSeq}-${isOfTime}`);
    const restored = restore(made.dir, stretches, { out, toSeq, isOfTime });
    expectServable(out, restored);
    return restored;
  };
  for (const batch of [30, 69, 100, 105]) {
    const { seq, lacksCommands, stateDigest } = at(seqAfter(made, batch));
    assert.deepEqual([seq, lacksCommands, stateDigest], [seqAfter(made, batch), false, digestAt(made, seq)]);
  }
  const { seq, lacksCommands } = at(stretches.seqAtTime(made.batches[75]?.timeMs ?? 0), true);
  assert.deepEqual([seq, lacksCommands], [seqAfter(made, 69), true]);
  for (const batch of [70, 75, 99]) {
    const { seq, lacksCommands, notes } = at(seqAfter(made, batch));
    assert.deepEqual([seq, lacksCommands], [seqAfter(made, 69), true]);
    assert.match(notes.join(), /cannot be worked out any more: the copy ends before/);
  }
});

test('a directory restored behind a gap can be followed, backed up and restored again, and not from before it', (t) => {
  const made = make(t);
  lose(1)(made);
  const first = join(made.dir.root, '..', 'first');
  restore(made.dir, new Stretches(made.dir), { out: first, toSeq: null });
  const dir = dataDirLayout(first);
  const again = restore(dir, new Stretches(dir), { out: `${first}-again`, toSeq: null });
  assert.deepEqual([again.seq, again.lacksCommands], [made.engine.seq, false]);
  assert.doesNotMatch(again.notes.join(), /new journal begins at/);
  assert.deepEqual(backup(dir, `${first}-copy`).faults, []);
  expectServable(`${first}-copy`, again);
  assert.deepEqual(followed(dir, { snapshotCommands: 1 }).notes, []);
  const early = { out: `${first}-early`, toSeq: seqAfter(made, 30) };
  const tooEarly = refusal('not_found', /begins at sequence number/);
  assert.throws(() => restore(dir, new Stretches(dir), early), tooEarly);
});
