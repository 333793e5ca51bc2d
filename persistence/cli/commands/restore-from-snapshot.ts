/** `tote restore --from-snapshot`: the report on a directory that begins after a snapshot. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSegments } from '../../journal/segment/names.js';
import { remainsOf } from '../../recovery/journal-gone.js';
import { type Lost, restoreFromSnapshot } from '../../upkeep/restore/from-snapshot.js';
import type { RestoreFromSnapshotJson } from '../answers/answers.js';
import type { Context } from '../frame/command.js';
import { EXIT, type ExitCode } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';

/** Ends with 1 if acknowledged commands are known to be lost, or nothing says whether any are. */
export function runFromSnapshot({ dir, out }: Context, outDir: string): ExitCode {
  const restored = restoreFromSnapshot(dir, outDir, Date.now());
  const { seq, timeMs, stateDigest, snapshot, hasOldArchive, lost } = restored;
  const notes = [...restored.notes, ...hints(dir, seq, lost)];
  const isUnknown = lost === null && !existsSync(dir.markFile);
  const path = resolve(outDir);
  if (out.isJson) {
    const lostTime = lost === null ? null : { ...lost, lastTime: isoText(lost.lastTimeMs) };
    const time = isoText(timeMs);
    const answer: RestoreFromSnapshotJson = { ...restored, out: path, time, lost: lostTime, notes };
    out.document(answer);
  } else {
    out.facts([
      ['restored', path],
      ['from', snapshot],
      ['last command', `${seq} of ${isoText(timeMs)}`],
      ['state digest', stateDigest],
      ['archive', hasOldArchive ? `up to ${seq}` : `begins after ${seq}`],
      ['lost', lostText(lost, isUnknown, timeMs)],
    ]);
    for (const note of notes) out.line(`note: ${note}`);
    out.line(`Check it with: npx tote verify ${outDir}`);
  }
  return lost === null && !isUnknown ? EXIT.done : EXIT.faulty;
}

function lostText(lost: Lost | null, isUnknown: boolean, fromMs: number): string {
  if (lost !== null) {
    return `${lost.firstSeq} to ${lost.lastSeq}, from ${isoText(fromMs)} to ${isoText(lost.lastTimeMs)}`;
  }
  return isUnknown ? 'not known: the source has no mark' : 'nothing that was acknowledged';
}

function hints(dir: Context['dir'], seq: number, lost: Lost | null): string[] {
  const notes: string[] = [];
  if (existsSync(dir.journal) && findSegments(dir.journal).length > 0) {
    notes.push('The source has a journal: without --from-snapshot more of it may come back.');
  }
  if (lost === null) return notes;
  notes.push(
    `Numbers after ${seq}, and ids of bets, accounts and keys that came with them, are given again, to others. An order of ` +
      'then that is sent again with its Idempotency-Key is placed again.',
  );
  if (remainsOf(dir).includes('an archive')) {
    notes.push(
      `The source's archive may still have them: sqlite3 ${dir.archiveFile} ` +
        `"select * from ledger where seq > ${seq} order by seq, item"`,
    );
  }
  return notes;
}
