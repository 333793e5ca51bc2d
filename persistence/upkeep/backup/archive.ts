/** The archive in a backup: after the journal, and no further, so that a copy that is broken off has none ahead of its journal. */
import { type ArchiveCopied, copyArchive } from '../../archive/copy.js';
import type { ArchivePosition } from '../../archive/writer.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import type { DamagedCopy } from './damaged.js';
import { rowAt } from './facts.js';

/**
 * Up to the end of the journal that was copied; all of it where that was damaged, because the archive may know what came
 * after. A damaged archive is no reason to have no copy.
 */
export function backupArchive(
  source: DataDir,
  target: DataDir,
  copied: Pick<DamagedCopy, 'seq' | 'faults'>,
  faults: string[],
): ArchiveCopied | null {
  const end = copied.faults.length === 0 ? endIn(target, copied.seq) : null;
  try {
    return copyArchive(source.archiveFile, target.archiveFile, end);
  } catch (thrown) {
    if (!(thrown instanceof JournalError) || thrown.code !== 'archive_corrupt') throw thrown;
    faults.push(`The archive is not copied: ${thrown.message}`);
    return null;
  }
}

/** The last command of the copy; null if no row of it is left. */
function endIn(target: DataDir, seq: number): ArchivePosition | null {
  const row = rowAt(target, seq);
  return row === null ? null : { seq, timeMs: row.timeMs, digest: row.digest, chain: row.chain };
}
