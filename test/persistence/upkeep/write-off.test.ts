/** `tote write-off`: a directory continues without what it has lost, unless acknowledged commands would be missing. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newSha256 } from '../../../crypto/sha256.js';
import { must } from '../../../engine/base/assert.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { readAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments, firstSeqOf, segmentPath } from '../../../persistence/journal/segment/names.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import { OldRowsCheck } from '../../../persistence/shadow/old-rows.js';
import { writeOff } from '../../../persistence/upkeep/restore/write-off.js';
import { Salvage } from '../../../persistence/upkeep/salvage/salvage.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote } from '../../support/processes/cli.js';
import { type Damage, flipRow, lose, makeDamageable, segment } from '../support/damages.js';
import { CLOCK, refusal, temporaryDir } from '../support/journal-files.js';
import type { MadeDir } from '../support/made-dir.js';
import { flipBit } from '../support/operator-dir.js';

const make = (t: TestContext): MadeDir => makeDamageable(join(temporaryDir(t), 'data'));

/** It starts to the state that it was left with, and nothing in it is wrong. */
function expectWhole({ dir, engine }: MadeDir): void {
  assert.deepEqual(verify(dir).faults, []);
  const store = openStore(dir.root, CLOCK, () => {});
  store.lock.release();
  assert.equal(store.engine.stateDigest(newSha256), engine.stateDigest(newSha256));
  assert.deepEqual(store.recovered.notes, []);
  assert.deepEqual(verify(dir).faults, []);
}

/** What the check of old rows finds, up to the newest snapshot. */
function faultsOfOldRows({ dir, batches }: MadeDir): readonly string[] {
  const heard: string[] = [];
  const check = new OldRowsCheck(
    dir,
    must(batches[100], 'a batch').lastSeq,
    (sentence) => heard.push(sentence),
    () => undefined,
  );
  while (check.step());
  const { isDone, checkedSeq, endSeq, faults } = check.state;
  assert.deepEqual([isDone, checkedSeq], [true, endSeq]);
  assert.deepEqual(faults, heard);
  return faults;
}

test('a journal with a missing middle segment is refused before, and good after, with its bets in the archive', async (t) => {
  const made = make(t);
  const { dir } = made;
  lose(1)(made);
  assert.throws(() => openStore(dir.root, CLOCK, () => {}), refusal('journal_incomplete', /write-off/));
  const dry = await tote(['write-off', dir.root, '--dry-run']);
  assert.equal(dry.code, 0, dry.stderr);
  assert.deepEqual(readAbsent(dir), []);
  const done = await tote(['write-off', dir.root]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^lost {2}\d+ to \d+$/m);
  assert.match(done.stdout, /The states from \d+ to \d+ cannot be shown any more/);
  expectWhole(made);
  const again = await tote(['write-off', dir.root]);
  assert.equal(again.code, 0);
});

test('so is one with a lost first segment, or with bad rows before the newest snapshot', (t) => {
  const damages: readonly Damage[] = [
    lose(0),
    flipRow(0, 20),
    flipRow(0, 0),
    (made) => {
      flipRow(1, 50)(made);
      flipRow(1, 70)(made);
    },
    flipRow(2, 90),
    (made) => flipBit(segment(made, 1), 20),
  ];
  for (const [index, damage] of damages.entries()) {
    const made = make(t);
    assert.deepEqual(faultsOfOldRows(made), []);
    damage(made);
    assert.equal(verify(made.dir).isGood, false, `${index}`);
    assert.notDeepEqual(faultsOfOldRows(made), [], `${index}`);
    const { cut } = writeOff(made.dir, new Salvage(made.dir), false);
    for (const name of cut) assert.ok(existsSync(join(made.dir.journal, `${name}.damaged`)));
    expectWhole(made);
    assert.deepEqual(faultsOfOldRows(made), [], `${index}`);
  }
});

test('interrupted at any moment, it can be repeated', (t) => {
  const model = make(t);
  flipRow(1, 70)(model);
  const before = new Map(
    readdirSync(model.dir.journal).map((name) => [name, readFileSync(join(model.dir.journal, name))]),
  );
  const damaged = segment(model, 1);
  writeOff(model.dir, new Salvage(model.dir), false);
  const after = must(findSegments(model.dir.journal)[2], 'the second piece');
  const piece = readFileSync(after);
  // The second piece has its name, and the damaged segment has its own still.
  for (const name of readdirSync(model.dir.journal)) rmSync(join(model.dir.journal, name));
  for (const [name, content] of before) writeFileSync(join(model.dir.journal, name), content);
  writeFileSync(after, piece);
  copyFileSync(damaged, `${damaged}.damaged`);
  assert.throws(() => openStore(model.dir.root, CLOCK, () => {}), refusal('journal_corrupt'));
  writeOff(model.dir, new Salvage(model.dir), false);
  expectWhole(model);
});

test('refused if commands would be missing, beside a server, or with a damaged open segment after an unclean stop', async (t) => {
  const made = make(t);
  const { dir } = made;
  const lock = lockDataDir(dir);
  assert.equal((await tote(['write-off', dir.root])).code, 3);
  lock.release();
  flipRow(2, 110)(made);
  const refused = await tote(['write-off', dir.root]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Nothing is written off.*are lost.*npx tote restore/);
  assert.deepEqual(readAbsent(dir), []);
  const unclean = make(t);
  flipRow(2, 90)(unclean);
  writeFileSync(unclean.dir.inUseFile, '1 fsync\n');
  assert.throws(
    () => writeOff(unclean.dir, new Salvage(unclean.dir), false),
    refusal('data_dir_invalid', /did not stop in order/),
  );
  assert.equal(firstSeqOf(segment(unclean, 0)), firstSeqOf(segmentPath('', 1)));
});
