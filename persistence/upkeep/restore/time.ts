/** From a time to a sequence number, in a journal that may have gaps. */
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { History } from '../../replay/history.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import type { Salvage } from '../salvage/salvage.js';
import { acknowledgedOf } from './notes.js';

/**
 * The last command at or before `timeMs`. If the rows after it are lost, it may be that of a later snapshot. Throws
 * `not_found` if the journal begins later.
 */
export function seqAtTime(salvage: Salvage, dir: DataDir, timeMs: number): number {
  const snapshots = new SnapshotFiles(dir.snapshots);
  const knownSeq = acknowledgedOf(dir).seq ?? salvage.lastSeq;
  for (const run of salvage.runs.toReversed()) {
    const seq = new History(run, snapshots).seqAt(timeMs);
    if (seq < run.firstSeq) continue;
    return seq < run.lastSeq ? seq : Math.max(seq, snapshotBehind(snapshots, seq, knownSeq, timeMs));
  }
  throw new JournalError(
    'not_found',
    `The journal has no command at or before ${new Date(timeMs).toISOString()}: it begins later.`,
  );
}

/** The newest snapshot after `seq` and up to `knownSeq` that was taken at or before `timeMs`; 0 if there is none. */
function snapshotBehind(snapshots: SnapshotFiles, seq: number, knownSeq: number, timeMs: number): number {
  for (const ref of snapshots.list()) {
    if (ref.seq <= seq) return 0;
    if (ref.seq > knownSeq) continue;
    try {
      if (snapshots.metaOf(ref).timeMs <= timeMs) return ref.seq;
    } catch {
      // It cannot be used, which is reported where snapshots are copied.
    }
  }
  return 0;
}
