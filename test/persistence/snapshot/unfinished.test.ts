/**
 * A snapshot that cannot be finished. Without space it fails with a clear message and leaves nothing; a kill leaves a
 * partial file that is ignored. Earlier snapshots and the journal are not affected.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { must } from '../../../engine/base/assert.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { digestsOf } from '../../support/engine/snapshots.js';
import {
  batchAt,
  batchesUpTo,
  plain,
  refusal,
  temporaryDir,
  writeJournal,
} from '../support/journal-files.js';
import { CHAIN, variedEngine } from '../support/snapshot-support.js';

const CHILD = fileURLToPath(new URL('../support/snapshot-child.js', import.meta.url));
/** In units of 512 bytes; the child's snapshot has more than a megabyte. */
const FILE_BLOCKS_MAX = 1_000;

test('with a file that may not grow the snapshot fails, and the journal continues', (t) => {
  const root = temporaryDir(t);
  const { dir, store } = writeJournal(root, 10);
  const files = new SnapshotFiles(dir.snapshots);
  const before = files.save(variedEngine(1, 50), CHAIN);
  const limited = `ulimit -f ${FILE_BLOCKS_MAX} && exec '${process.execPath}' '${CHILD}' save '${dir.snapshots}'`;
  const { status, stdout } = spawnSync('/bin/sh', ['-c', limited], { encoding: 'utf8' });
  assert.deepEqual([status, stdout], [3, 'failed snapshot_write_failed\n']);
  assert.deepEqual(files.list(), [before]);
  assert.deepEqual(readdirSync(dir.snapshots).length, 1, 'nothing half-made is left');
  commitBatch(store, batchAt(10));
  assert.deepEqual([...store.readBatches(0)].map(plain), batchesUpTo(11));
  store.close();
  const unlimited = execFileSync(process.execPath, [CHILD, 'save', dir.snapshots], { encoding: 'utf8' });
  assert.match(unlimited, /^saved \d+\n$/);
  assert.equal(files.list().length, 2);
});

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

test('after a kill in the middle the previous snapshot is the newest, and the next one cleans up', async (t) => {
  const files = new SnapshotFiles(temporaryDir(t));
  const before = files.save(variedEngine(1, 50), CHAIN);
  const child = spawn(process.execPath, [CHILD, 'half', files.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const halfOf = (): string[] => readdirSync(files.folder).filter((name) => name.endsWith('.unfinished'));
  files.removeStrays();
  assert.equal(halfOf().length, 1, 'a process that lives keeps its file');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.deepEqual(files.list(), [before]);
  assert.equal(halfOf().length, 1);
  files.removeStrays();
  assert.deepEqual(halfOf(), []);
  assert.deepEqual(files.list(), [before]);
});
