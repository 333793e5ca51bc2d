/**
 * Creates a new data directory that ends at a chosen command: the explicit way on from a damaged one, and back to an
 * earlier moment. It takes the last good stretch of the source that begins at or before that command (`stretches.ts`).
 * The lacks of the copy are reported.
 * docs/ops/backup-and-restore.md has a table of the outcome for each kind of damage.
 *
 * Nothing is written before the commands up to the chosen one have been replayed and have agreed with the journal's
 * digests. The mark is written last: an unfinished copy has none, and no server starts on it.
 */
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { attempt } from '../../../engine/base/attempt.js';
import type { Engine } from '../../../engine/engine.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { copyArchive } from '../../archive/copy.js';
import type { ArchivePosition } from '../../archive/schema.js';
import { ArchiveWriter } from '../../archive/writer.js';
import { databaseBytes, fileBytes, ifThere } from '../../data-dir/files.js';
import { type DataDir, openDataDir } from '../../data-dir/layout.js';
import { lockDataDir } from '../../data-dir/lock.js';
import { isPassing, JournalError } from '../../errors.js';
import { createMarkFile, EMPTY_MARK } from '../../journal/mark.js';
import { findSegments } from '../../journal/segment/names.js';
import { History } from '../../replay/history.js';
import { isOfJournal } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import {
  copyFault,
  copyFileDurably,
  copySecrets,
  isBlank,
  removeCopy,
  requirePlace,
  requireSpace,
  secretNotes,
} from '../copy-files.js';
import { writeJournal } from './journal.js';
import type { Stretch, Stretches } from './stretches.js';

interface RestoreTarget {
  /** Must not exist, or be empty. */
  readonly out: string;
  /** null for the last command available. */
  readonly toSeq: number | null;
  /** It is the last good command at or before a chosen time. */
  readonly isOfTime?: boolean;
}

export type Restored = ReturnType<typeof restore>;

/**
 * If `toSeq` is in a gap, the copy ends before the gap. Throws `data_dir_invalid` if `out` cannot be used, `not_found`
 * if the journal has no such command or no state can be reconstructed, `journal_incomplete` if the good part ends
 * earlier, `replay_mismatch` and `disk_full`.
 */
export function restore(
  source: DataDir,
  stretches: Stretches,
  { out, toSeq, isOfTime = false }: RestoreTarget,
  onSeq: (seq: number) => void = () => {},
) {
  requirePlace(source, out, 'restored into', () => 'it is not empty');
  const notes = [...stretches.notes];
  const snapshots = new SnapshotFiles(source.snapshots);
  const stretch = chooseStretch(source, stretches, toSeq);
  const endSeq = Math.min(stretch.lastSeq, toSeq ?? stretch.lastSeq);
  const history = new History(stretch, snapshots, { onSeq, onNote: (note) => notes.push(note) });
  const engine = history.engineAt(endSeq);
  requireSpace(resolve(out), bytesOf(source));
  const wasThere = existsSync(out);
  const dir = openDataDir(out);
  // Outside of the try: what another restore writes there is not this one's to remove.
  using _lock = lockDataDir(dir);
  if (!isBlank(dir))
    throw new JournalError('data_dir_locked', `Another process has written to ${dir.root} meanwhile.`);
  try {
    notes.push(...copySecrets(source, dir), ...secretNotes(dir, engine.rules));
    const { end, segments, isBatchSplit } = writeJournal(source, stretch, engine, dir);
    const copied = copySnapshots(stretches.snapshots, stretch, endSeq, dir);
    const archive = restoreArchive(source, dir, stretch, end, engine, notes);
    const { mark } = stretches.known;
    const checksum = end.checksum ?? (mark?.lastSeq === end.seq ? mark.checksum : EMPTY_MARK.checksum);
    createMarkFile(dir.markFile, { lastSeq: end.seq, checksum });
    const left = leftOut(source, stretches, stretch, endSeq, { toSeq, isOfTime });
    return {
      seq: engine.seq,
      /** Engine time of the last command. */
      timeMs: engine.timeMs,
      stateDigest: engine.stateDigest(newSha256),
      isBatchSplit,
      segments,
      snapshots: copied,
      archive,
      /** Acknowledged or requested commands are missing. */
      lacksCommands: left.isLoss,
      /** Sentences on lacks of the copy, and on missing data. */
      notes: [...new Set([...notes, ...left.notes])],
    };
  } catch (thrown) {
    removeCopy(dir);
    // Whatever somebody else has put there stays, and the folder with it.
    if (!wasThere) attempt(() => rmdirSync(out), undefined);
    throw copyFault(out, 'are removed', thrown);
  }
}

function chooseStretch(source: DataDir, stretches: Stretches, toSeq: number | null): Stretch {
  const { all, lastSeq, notes } = stretches;
  if (lastSeq === 0 && toSeq === null) {
    const why = all[0] === undefined ? 'the beginning is missing, and no snapshot is good' : 'it is empty';
    throw new JournalError(
      'not_found',
      `The journal in ${source.journal} has no good command that a state can be worked out of: ${[all[0]?.fault ?? why, ...notes].join(' ')}`,
    );
  }
  const fault = all.at(-1)?.fault ?? null;
  if (toSeq !== null && toSeq > lastSeq) {
    throw new JournalError(
      fault === null ? 'not_found' : 'journal_incomplete',
      `The journal is good up to sequence number ${lastSeq}, not to ${toSeq}: ${fault ?? 'it ends there'}`,
    );
  }
  const stretch = stretches.upTo(toSeq ?? lastSeq);
  if (stretch !== null) return stretch;
  throw new JournalError(
    'not_found',
    `The journal begins at sequence number ${must(all[0], 'a stretch').firstSeq}: what came before is not in it any more. Take a backup that has it.`,
  );
}

/** Only those of the new journal. A running server may delete some of the source meanwhile. */
function copySnapshots(
  whole: readonly SnapshotRef[],
  stretch: Stretch,
  endSeq: number,
  dir: DataDir,
): string[] {
  const refs = whole.filter(({ seq }) => seq <= endSeq && seq >= stretch.start.lastSeq);
  for (const { name } of refs) ifThere(() => copyFileDurably(name, join(dir.snapshots, basename(name))));
  const copies = new SnapshotFiles(dir.snapshots);
  return copies.list().flatMap((ref) => {
    if (copies.isWhole(ref) && isOfJournal(copies.metaOf(ref), stretch)) return basename(ref.name);
    rmSync(ref.name);
    return [];
  });
}

/**
 * The server rebuilds a damaged archive from the journal. Where that has no rows, an archive is made that begins at
 * the end.
 */
function restoreArchive(
  source: DataDir,
  dir: DataDir,
  stretch: Stretch,
  end: ArchivePosition,
  engine: Engine,
  notes: string[],
) {
  let copied: ReturnType<typeof copyArchive> = null;
  try {
    // The journal alone may have lost batches behind the stretch.
    const isOfJournal = ({ seq, chain }: ArchivePosition): boolean =>
      (stretch.chainAt(seq) ?? chain) === chain;
    copied = copyArchive(source.archiveFile, dir.archiveFile, end, isOfJournal);
  } catch (thrown) {
    if (!(thrown instanceof JournalError) || isPassing(thrown)) throw thrown;
    notes.push(`The archive is left out: ${thrown.message}`);
  }
  if (stretch.lastSeq >= stretch.firstSeq || copied?.seq === end.seq) return copied;
  ArchiveWriter.create(dir, end, engine, end.timeMs).close();
  notes.push(`The archive begins after ${end.seq}: keep the source for what was settled and moved before.`);
  return null;
}

function bytesOf(source: DataDir): number {
  const snapshots = new SnapshotFiles(source.snapshots).list().map(({ name }) => fileBytes(name));
  const databases = [...findSegments(source.journal), source.archiveFile].map(databaseBytes);
  return [...databases, ...snapshots].reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * The acknowledged commands that the restored directory lacks, in sentences. `stretch` is restored up to `endSeq`. A loss
 * is of acknowledged or requested commands.
 */
function leftOut(
  source: DataDir,
  { all, beforeSeq, absentSeq, lastSeq, known }: Stretches,
  stretch: Stretch,
  endSeq: number,
  { toSeq: askedSeq, isOfTime }: { readonly toSeq: number | null; readonly isOfTime: boolean },
) {
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
