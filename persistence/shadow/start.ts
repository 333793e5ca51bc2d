/**
 * The shadow starts with an engine at or before the end of the archive, so that the archive misses nothing. An
 * archive that is damaged, or not of this journal, is set aside and rebuilt from as far back as the journal and the
 * snapshots reach. One of another format is left alone.
 */
import { existsSync } from 'node:fs';
import { Engine } from '../../engine/engine.js';
import type { SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import { setArchiveAside } from '../archive/file.js';
import { ArchiveWriter } from '../archive/writer.js';
import { orClosed } from '../data-dir/closing.js';
import type { DataDir } from '../data-dir/layout.js';
import { JournalError } from '../errors.js';
import type { HistoryJournal } from '../replay/history.js';
import { firstUsable } from '../replay/usable-snapshot.js';
import type { Rest } from '../thread/pace.js';

interface Origin {
  readonly engine: Engine;
  readonly chain: string;
}

/**
 * The archive ends at the position of the engine, or after it. `note` gets a sentence for operators on everything that is
 * passed over or set aside.
 */
export function findStart(
  dir: DataDir,
  journal: HistoryJournal,
  snapshots: SnapshotStore,
  nowMs: number,
  note: (text: string) => void,
  rest: Rest,
): Origin & { readonly archive: ArchiveWriter } {
  const newestFirst = snapshots.list();
  const origin = (refs: readonly SnapshotRef[]): Origin | null => findOrigin(journal, snapshots, refs, note);
  if (newestFirst.length > 0 && !existsSync(dir.archiveFile)) {
    note(`The archive ${dir.archiveFile} is missing: it is made anew as far back as the journal reaches.`);
  }
  const archive = openArchive(dir, journal, nowMs, note);
  if (archive !== null) {
    const { seq } = archive.progress;
    const found = orClosed(archive, () => origin(newestFirst.filter((ref) => ref.seq <= seq)));
    if (found !== null) return { ...found, archive };
    archive.close();
    setAside(dir, nowMs, note, `nothing leads to sequence number ${seq}, where it ends`);
  }
  // From the oldest available state, so that the archive reaches back as far as possible.
  const found = journal.firstSeq === 1 ? beginning(journal) : origin(newestFirst.toReversed());
  if (found === null) {
    throw new JournalError(
      'journal_incomplete',
      `The journal in ${dir.journal} begins at sequence number ${journal.firstSeq}, and no good snapshot holds what came before.`,
    );
  }
  const { engine, chain } = found;
  if (engine.seq > 0) {
    note(
      `A new archive begins after sequence number ${engine.seq}, where the journal begins by now: bets, rounds and moved ` +
        'money from before are in no archive here. Stop the server and put one from a backup in its place.',
    );
  }
  const digest = engine.seq === 0 ? '' : engine.rollingDigest();
  const start = { seq: engine.seq, timeMs: engine.timeMs, digest, chain };
  return { ...found, archive: ArchiveWriter.create(dir, start, engine, nowMs, rest) };
}

/** The first usable snapshot, else the beginning of the journal; null without either. */
function findOrigin(
  journal: HistoryJournal,
  snapshots: Pick<SnapshotStore, 'load'>,
  refs: readonly SnapshotRef[],
  note: (text: string) => void,
): Origin | null {
  const usable = firstUsable(refs, snapshots, journal, note);
  if (usable !== null) return { engine: usable.engine, chain: usable.meta.chain };
  return journal.firstSeq === 1 ? beginning(journal) : null;
}

function beginning(journal: HistoryJournal): Origin {
  const chain = journal.chainAt(0);
  if (chain === null) throw new JournalError('journal_incomplete', 'The journal has no beginning.');
  return { engine: new Engine(), chain };
}

/** null unless the journal continues an archive. */
function openArchive(
  dir: DataDir,
  journal: HistoryJournal,
  nowMs: number,
  note: (text: string) => void,
): ArchiveWriter | null {
  try {
    const archive = ArchiveWriter.open(dir);
    if (archive === null) return null;
    const { seq, chain } = archive.progress;
    if (orClosed(archive, () => journal.chainAt(seq)) === chain) return archive;
    archive.close();
    setAside(
      dir,
      nowMs,
      note,
      `it ends at sequence number ${seq}, where this journal does not go on from it`,
    );
  } catch (thrown) {
    if (!(thrown instanceof JournalError) || thrown.code !== 'archive_corrupt') throw thrown;
    setAside(dir, nowMs, note, thrown.message);
  }
  return null;
}

function setAside(dir: DataDir, nowMs: number, note: (text: string) => void, why: string): void {
  const aside = setArchiveAside(dir, nowMs);
  note(`The archive is rebuilt from the journal; the one before is ${aside}: ${why}`);
}
