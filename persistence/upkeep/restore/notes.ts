/** Sentences on acknowledged commands that a restored directory lacks. */
import { existsSync } from 'node:fs';
import type { DataDir } from '../../data-dir/layout.js';
import type { Stretch, Stretches } from './stretches.js';

interface LeftOut {
  readonly notes: readonly string[];
  /** Acknowledged or requested commands are missing. */
  readonly isLoss: boolean;
}

/** `stretch` is restored up to `endSeq`. */
export function leftOut(
  source: DataDir,
  { all, beforeSeq, absentSeq, lastSeq, known }: Stretches,
  stretch: Stretch,
  endSeq: number,
  { toSeq: askedSeq, isOfTime }: { readonly toSeq: number | null; readonly isOfTime: boolean },
): LeftOut {
  const { mark, markNote, seq: acknowledgedSeq, timeMs } = known;
  const notes: string[] = [];
  const before = all[all.indexOf(stretch) - 1];
  if (before !== undefined || beforeSeq === null || beforeSeq > absentSeq) {
    notes.push(
      `The new journal begins at sequence number ${stretch.firstSeq}, and states before it cannot be shown any more: ` +
        `${before?.fault ?? 'No file has the rows.'}`,
    );
  }
  if (askedSeq !== null && endSeq < askedSeq) {
    notes.push(
      `The state at ${askedSeq} cannot be worked out any more: the copy ends before, with ${endSeq}.`,
    );
  }
  const isLostBehind = stretch.fault !== null || Math.max(lastSeq, acknowledgedSeq) > stretch.lastSeq;
  const isCut = isOfTime && endSeq === stretch.lastSeq && isLostBehind;
  if (isCut) notes.push(`Commands after ${endSeq} are lost, and some may be from before the chosen time.`);
  const fault = all.at(-1)?.fault ?? null;
  if (fault !== null) notes.push(`After ${lastSeq} the source is not good: ${fault}`);
  if (mark === null) notes.push(markNote);
  if (acknowledgedSeq > lastSeq) {
    notes.push(
      `The source acknowledged commands up to ${acknowledgedSeq}: ${lastSeq + 1} to ${acknowledgedSeq} are lost, the last of ` +
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
  const isUnknown = mark === null && (fault !== null || beforeSeq === null);
  const isBehind = acknowledgedSeq > endSeq || isUnknown;
  return { notes, isLoss: isCut || (askedSeq === null ? isBehind : endSeq < askedSeq) };
}
