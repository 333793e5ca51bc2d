/**
 * A process of its own for tests that kill it or starve it. `save DIR` saves a snapshot of more than a megabyte and prints
 * `saved SEQ`; a failure is printed as `failed CODE` and ends it with exit code 3. `half DIR` writes the first piece,
 * prints `half` and stays.
 */
import { writeSync } from 'node:fs';
import { must } from '../../../engine/base/assert.js';
import { codeOf } from '../../../persistence/errors.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { CHAIN } from './snapshot-support.js';

const [mode, folder] = process.argv.slice(2);
const files = new SnapshotFiles(must(folder, 'the folder'));
const busy = new BusyEngine(90);
for (let round = 0; round < 5; round += 1) busy.round(3_000);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

if (mode === 'half') {
  files.saving(busy.engine, CHAIN).next();
  say('half');
  setInterval(() => {}, 60_000);
} else {
  try {
    say(`saved ${files.save(busy.engine, CHAIN).seq}`);
  } catch (thrown) {
    say(`failed ${codeOf(thrown)}`);
    process.exitCode = 3;
  }
}
