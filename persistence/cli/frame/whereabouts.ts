/** Cheap facts about a data directory that may be damaged, without reading its journal. */
import type { DataDir } from '../../data-dir/layout.js';
import { readMarkFile } from '../../journal/mark.js';

/** The probable end of the journal, for a progress bar; 0 if unknown. */
export function lastSeqHint(dir: DataDir): number {
  try {
    return readMarkFile(dir.markFile)?.lastSeq ?? 0;
  } catch {
    return 0;
  }
}
