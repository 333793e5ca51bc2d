/** Cheap answers about a data directory that may be damaged: what can be told without reading its journal. */
import type { DataDir } from '../../data-dir/layout.js';
import { readMarkFile } from '../../journal/mark.js';

/** Where the journal probably ends, for a progress bar; 0 where nothing says so. */
export function lastSeqHint(dir: DataDir): number {
  try {
    return readMarkFile(dir.markFile)?.lastSeq ?? 0;
  } catch {
    return 0;
  }
}
