/** A snapshot for which there is no space fails with a clear message and leaves nothing; earlier ones and the journal are not affected. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { digestsOf } from '../../support/engine/snapshots.js';
import { refusal, temporaryDir } from '../support/journal-files.js';
import { CHAIN, variedEngine } from '../support/snapshot-support.js';

test('on a full disk the snapshot fails, and succeeds once there is space', (t) => {
  const folder = `${temporaryDir(t)}/small`;
  mkdirSync(folder);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (mounted.status !== 0) {
    t.skip('only root can mount a small disk');
    return;
  }
  try {
    const files = new SnapshotFiles(folder);
    const small = files.save(variedEngine(1, 50), CHAIN);
    const busy = new BusyEngine(90);
    for (let round = 0; round < 5; round += 1) busy.round(3_000);
    const sentence = /could not be written.*the journal has everything/;
    assert.throws(() => files.save(busy.engine, CHAIN), refusal('disk_full', sentence));
    assert.deepEqual(files.list(), [small]);
    assert.equal(readdirSync(folder).length, 1);
    const { engine } = files.load(must(files.list()[0], 'snapshot'));
    const again = files.save(engine, CHAIN);
    assert.equal(digestsOf(files.load(again).engine), digestsOf(engine));
  } finally {
    spawnSync('umount', [folder]);
  }
});
