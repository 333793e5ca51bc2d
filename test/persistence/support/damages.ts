/** Damage to directories of `makeDamageable`, as disks and people cause it. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { must } from '../../../engine/base/assert.js';
import { writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { segmentAt } from './journal-files.js';
import type { MadeDir } from './made-dir.js';
import { flipBit, makeOperatorDir } from './operator-dir.js';

/** One in each of the three segments, the last one well before the end. */
const SNAPSHOTS_AFTER = [10, 60, 100];

export function makeDamageable(root: string): MadeDir {
  const made = makeOperatorDir(root, { snapshotsAfter: SNAPSHOTS_AFTER });
  writeAbsent(made.dir, 0);
  return made;
}

export type Damage = (made: MadeDir) => void;
export const seqAfter = ({ batches }: MadeDir, index: number): number =>
  must(batches[index], 'a batch').lastSeq;
export const flipRow =
  (segmentIndex: number, batch: number): Damage =>
  (made) => {
    const path = segmentAt(made.dir, segmentIndex);
    const { commands } = must(made.batches[batch], 'a batch');
    const bytes = readFileSync(path);
    // SQLite may have moved the row, and left its former text in a page's free space.
    for (let at = bytes.indexOf(commands); at >= 0; at = bytes.indexOf(commands, at + 1))
      flipBit(path, at + 5);
  };
export const flipChain =
  (segmentIndex: number, batch: number): Damage =>
  (made) => {
    const path = segmentAt(made.dir, segmentIndex);
    flipBit(path, readFileSync(path).lastIndexOf(must(made.batches[batch], 'a batch').chain) + 5);
  };
export const lose =
  (segmentIndex: number): Damage =>
  (made) =>
    rmSync(segmentAt(made.dir, segmentIndex));
export const flipSnapshot =
  (index: number): Damage =>
  ({ dir }) =>
    flipBit(must(new SnapshotFiles(dir.snapshots).list()[index], 'a snapshot').name, 5_000);
/** A folder fails to be read, as a file on a bad sector does. */
export const unreadSnapshot: Damage = ({ dir }) => {
  const { name } = must(new SnapshotFiles(dir.snapshots).list()[1], 'a snapshot');
  rmSync(name);
  mkdirSync(name);
};
export const loseJournal: Damage = ({ dir }) => rmSync(dir.journal, { recursive: true });
export const loseArchive: Damage = ({ dir }) => rmSync(dir.archiveFile);
export const loseMark: Damage = ({ dir }) => rmSync(dir.markFile);
