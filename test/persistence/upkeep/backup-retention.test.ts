/** Retention beside a backup: nothing is deleted while files are copied, and all of it afterwards. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDataDir } from '../../../persistence/data-dir/layout.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { executePlan, planPrune } from '../../../persistence/upkeep/retention/retention.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { refusal, temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir } from '../support/operator-dir.js';

const POLICY = { segmentsMs: 1, snapshots: { newest: 1, hourlyMs: 0, dailyMs: 0 } };

test('retention deletes nothing while a backup copies, and goes on behind it', (t) => {
  const folder = temporaryDir(t);
  const { dir, engine } = makeOperatorDir(join(folder, 'data'), { snapshotsAfter: [10, 60, 100] });
  const plan = planPrune(dir, POLICY, engine.timeMs);
  const before = findSegments(dir.journal);
  let isTried = false;
  const { faults } = backup(dir, join(folder, 'copy'), () => {
    if (!isTried) assert.throws(() => executePlan(dir, plan), refusal('data_dir_locked', /copies files/));
    isTried = true;
  });
  assert.deepEqual([isTried, faults, findSegments(dir.journal)], [true, [], before]);
  executePlan(dir, plan);
  assert.ok(findSegments(dir.journal).length < before.length, 'segments go');
  const copy = findDataDir(join(folder, 'copy'));
  assert.deepEqual([verify(copy).faults, findSegments(copy.journal).length], [[], before.length]);
});
