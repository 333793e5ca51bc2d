/** Sentences on acknowledged commands that a restored directory lacks. */

import { existsSync, statSync } from 'node:fs';
import type { Mark } from '../../../engine/model/ports.js';
import { readArchiveProgress } from '../../archive/file.js';
import type { ArchiveProgress } from '../../archive/schema.js';
import type { DataDir } from '../../data-dir/layout.js';
import { messageOf } from '../../errors.js';
import { readMarkFile } from '../../journal/mark.js';
import type { Salvage } from '../salvage/salvage.js';

export interface Acknowledged {
  /** null if it is missing or cannot be read; `markNote` says which. */
  readonly mark: Mark | null;
  readonly markNote: string;
  /** As mark or archive know; 0 if neither can be read. */
  readonly seq: number;
  readonly timeMs: number;
}

export function acknowledgedOf(source: DataDir): Acknowledged {
  const archive = archiveOf(source);
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

/** Damage of the archive is reported where it is copied. */
function archiveOf(source: DataDir): ArchiveProgress | null {
  try {
    return readArchiveProgress(source);
  } catch {
    return null;
  }
}

export interface LeftOut {
  readonly notes: readonly string[];
  /** Acknowledged or requested commands are missing. */
  readonly isLoss: boolean;
}

/** `firstSeq` and `endSeq` are the ends of the copy's journal, `askedSeq` is the requested end, or null. */
export function leftOut(
  source: DataDir,
  { mark, markNote, seq: acknowledgedSeq, timeMs }: Acknowledged,
  salvage: Salvage,
  [firstSeq, endSeq]: readonly [number, number],
  askedSeq: number | null,
): LeftOut {
  const notes: string[] = [];
  const { runs, lastSeq, absentSeq } = salvage;
  if (firstSeq > absentSeq + 1) {
    const before = runs.findLast((run) => run.lastSeq < firstSeq - 1)?.lastSeq ?? absentSeq;
    notes.push(
      `The new journal begins at sequence number ${firstSeq}, and states before it cannot be shown any more: ` +
        `${salvage.faultAfter(before) ?? 'No file has the rows.'}`,
    );
  }
  if (askedSeq !== null && endSeq < askedSeq) {
    notes.push(
      `The state at ${askedSeq} cannot be worked out any more: the copy ends before, with ${endSeq}.`,
    );
  }
  const beyond = runs.filter((run) => run.lastSeq > endSeq && run.lastSeq >= run.firstSeq);
  if (beyond.length > 0) {
    const ranges = beyond.map((run) => `${Math.max(run.firstSeq, endSeq + 1)} to ${run.lastSeq}`);
    notes.push(`Good commands that are left out: ${ranges.join(', ')}.`);
  }
  const faultSeq = askedSeq === null ? endSeq : Math.max(endSeq, lastSeq);
  const fault = salvage.faultAfter(faultSeq);
  if (fault !== null) notes.push(`After ${faultSeq} the source is not good: ${fault}`);
  if (mark === null) notes.push(markNote);
  if (acknowledgedSeq > faultSeq) {
    notes.push(
      `The source acknowledged commands up to ${acknowledgedSeq}: ${faultSeq + 1} to ${acknowledgedSeq} are lost, the last of ` +
        `them of about ${new Date(timeMs).toISOString()}.`,
      `Numbers after ${endSeq}, and ids of bets, accounts and keys that came with them, are given again, to others. An order of ` +
        'then that is sent again with its Idempotency-Key is placed again.',
    );
    if (existsSync(source.archiveFile)) {
      notes.push(
        `The source's archive may still have them: sqlite3 ${source.archiveFile} ` +
          `"select * from ledger where seq > ${endSeq} order by seq, item"`,
      );
    }
  }
  const isUnknown = mark === null && (fault !== null || runs.length === 0);
  const isBehind = Math.max(acknowledgedSeq, lastSeq) > endSeq || isUnknown;
  return { notes, isLoss: askedSeq === null ? isBehind : endSeq < askedSeq };
}
