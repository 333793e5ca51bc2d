/**
 * `tote backup` of a damaged directory: everything good is copied, and the rest is reported; an earlier backup is not
 * changed.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { findDataDir } from '../../../persistence/data-dir/layout.js';
import { writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { type BackedUp, backup } from '../../../persistence/upkeep/backup/backup.js';
import { restore } from '../../../persistence/upkeep/restore/restore.js';
import { Salvage } from '../../../persistence/upkeep/salvage/salvage.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote, toteJson } from '../../support/processes/cli.js';
import { refusal, temporaryDir } from '../support/journal-files.js';
import type { MadeDir } from '../support/made-dir.js';
import { flipBit, makeOperatorDir } from '../support/operator-dir.js';

function make(t: TestContext): MadeDir {
  const made = makeOperatorDir(join(temporaryDir(t), 'data'), { snapshotsAfter: [10, 60, 100] });
  writeAbsent(made.dir, []);
  return made;
}
const segmentAt = ({ dir }: MadeDir, index: number): string =>
  must(findSegments(dir.journal).at(index), 'a segment');
function flipRow(made: MadeDir, index: number, batch: number): void {
  const path = segmentAt(made, index);
  flipBit(path, readFileSync(path).indexOf(must(made.batches[batch], 'a batch').commands) + 5);
}

test('with a bad row in the middle the rest is copied, with code 1, and good', async (t) => {
  const made = make(t);
  const to = join(made.dir.root, '..', 'copy');
  flipRow(made, 1, 70);
  const copied = await toteJson<BackedUp>(['backup', to, made.dir.root], 1);
  assert.equal(copied.seq, made.engine.seq);
  assert.match(copied.faults.join(), /^Sequence numbers \d+ to \d+ are not copied: .*checksum/);
  assert.deepEqual(verify(findDataDir(to)).faults, []);
});

test('without its open segment the copy reports the same loss, and is restored like the source', (t) => {
  const made = make(t);
  const to = join(made.dir.root, '..', 'copy');
  backup(made.dir, `${to}-earlier`);
  rmSync(segmentAt(made, -1));
  const { faults } = backup(made.dir, to);
  assert.match(faults.join(), /acknowledged commands up to \d+: \d+ to \d+ are lost/);
  const copy = findDataDir(to);
  const restored = restore(copy, new Salvage(copy), { out: `${to}-restored`, toSeq: null });
  assert.deepEqual(
    [restored.seq, restored.lacksCommands],
    [must(made.batches[100], 'a batch').lastSeq, true],
  );
  assert.throws(() => backup(made.dir, `${to}-earlier`), refusal('backup_mismatch'));
  assert.deepEqual(verify(findDataDir(`${to}-earlier`)).faults, []);
});

test('on a full disk it ends with code 4, names the place, and leaves no part of a first copy', async (t) => {
  const made = make(t);
  const place = join(made.dir.root, '..', 'small');
  mkdirSync(place);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=192k', 'tmpfs', place]);
  if (mounted.status !== 0) return t.skip('this user may not mount');
  try {
    const ran = await tote(['backup', join(place, 'copy'), made.dir.root]);
    assert.equal(ran.code, 4, ran.stderr);
    assert.match(ran.stderr, /not enough free space for the backup in .*small\/copy/);
    assert.deepEqual(readdirSync(join(place, 'copy')), []);
  } finally {
    spawnSync('umount', [place]);
  }
});
