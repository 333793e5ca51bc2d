/** The last command that a damaged directory is known to have acknowledged. */
import { statSync } from 'node:fs';
import { attempt, messageOf } from '../../../engine/base/attempt.js';
import type { Mark } from '../../../engine/model/ports.js';
import { readArchiveProgress } from '../../archive/file.js';
import type { DataDir } from '../../data-dir/layout.js';
import { readMarkFile } from '../../journal/mark.js';

export interface Acknowledged {
  /** null if it is missing or cannot be read; `markNote` says which. */
  readonly mark: Mark | null;
  readonly markNote: string;
  /** As mark or archive know; 0 if neither can be read. */
  readonly seq: number;
  readonly timeMs: number;
}

export function acknowledgedOf(source: DataDir): Acknowledged {
  // Damage of the archive is reported where it is copied.
  const archive = attempt(() => readArchiveProgress(source), null);
  const archived = { seq: archive?.seq ?? 0, timeMs: archive?.timeMs ?? 0 };
  let markNote = 'The source has no mark: nothing says whether commands after the copy were acknowledged.';
  try {
    const mark = readMarkFile(source.markFile);
    if (mark !== null && mark.lastSeq > archived.seq) {
      // The mark contains no time, but its file was written when that command was acknowledged.
      return { mark, markNote: '', seq: mark.lastSeq, timeMs: statSync(source.markFile).mtimeMs };
    }
    if (mark !== null) return { mark, markNote: '', ...archived };
  } catch (thrown) {
    markNote = `The source's mark cannot be read, so nothing says what was acknowledged last: ${messageOf(thrown)}`;
  }
  return { mark: null, markNote, ...archived };
}
