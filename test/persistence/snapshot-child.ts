/**
 * A process of its own for tests that starve it: saves a snapshot of more than a megabyte in the folder of its first
 * argument and prints `saved SEQ`; a failure is printed as `failed CODE` and ends it with exit code 3.
 */
import { writeSync } from 'node:fs';
import { must } from '../../engine/assert.js';
import { codeOf } from '../../persistence/errors.js';
import { SnapshotFiles } from '../../persistence/snapshot-files.js';
import { BusyEngine } from '../support/busy-engine.js';
import { CHAIN } from './snapshot-support.js';

const busy = new BusyEngine(90);
for (let round = 0; round < 5; round += 1) busy.round(3_000);
try {
  const { seq } = new SnapshotFiles(must(process.argv[2], 'the folder')).save(busy.engine, CHAIN);
  writeSync(1, `saved ${seq}\n`);
} catch (thrown) {
  writeSync(1, `failed ${codeOf(thrown)}\n`);
  process.exitCode = 3;
}
