/** What a restored directory lacks of what its source acknowledged, as sentences. */
import type { Mark } from '../../../engine/model/ports.js';
import { readArchiveProgress } from '../../archive/file.js';
import type { DataDir } from '../../data-dir/layout.js';
import { messageOf } from '../../errors.js';
import { readMarkFile } from '../../journal/mark.js';
import type { Salvage } from '../salvage/salvage.js';

/** What is known about the commands that a directory once had. */
export interface Acknowledged {
  /** null if it is missing or cannot be read; `markNote` says which. */
  readonly mark: Mark | null;
  readonly markNote: string;
  /** The last command in the archive; 0 if none can be read. */
  readonly archivedSeq: number;
  /** The greater of the two; null if there is no mark. */
  readonly seq: number | null;
}

export function acknowledgedOf(source: DataDir): Acknowledged {
  const archivedSeq = archivedSeqOf(source);
  let markNote = 'The source has no mark: nothing says whether commands after the copy were acknowledged.';
  try {
    const mark = readMarkFile(source.markFile);
    if (mark !== null) return { mark, markNote: '', archivedSeq, seq: Math.max(mark.lastSeq, archivedSeq) };
  } catch (thrown) {
    markNote = `The source's mark cannot be read, so nothing says what was acknowledged last: ${messageOf(thrown)}`;
  }
  return { mark: null, markNote, archivedSeq, seq: null };
}

/** Damage of the archive is reported where it is copied. */
function archivedSeqOf(source: DataDir): number {
  try {
    return readArchiveProgress(source)?.seq ?? 0;
  } catch {
    return 0;
  }
}

export interface LeftOut {
  readonly notes: readonly string[];
  /** Whether commands are missing that were acknowledged or requested. */
  readonly isLoss: boolean;
}

/** `endSeq` is the end of the copy, `askedSeq` the requested end, or null. */
export function leftOut(
  { mark, markNote, archivedSeq }: Acknowledged,
  salvage: Salvage,
  endSeq: number,
  askedSeq: number | null,
): LeftOut {
  const notes: string[] = [];
  const { runs, lastSeq } = salvage;
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
  const acknowledgedSeq = Math.max(mark?.lastSeq ?? 0, archivedSeq);
  if (acknowledgedSeq > faultSeq) {
    notes.push(
      `The source acknowledged commands up to ${acknowledgedSeq}: ${faultSeq + 1} to ${acknowledgedSeq} are lost.`,
    );
  }
  const isBehind = Math.max(acknowledgedSeq, lastSeq) > endSeq || (mark === null && fault !== null);
  return { notes, isLoss: askedSeq === null ? isBehind : endSeq < askedSeq };
}
