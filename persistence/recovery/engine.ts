/**
 * The second step of a start: loads the newest usable snapshot (`replay/usable-snapshot.ts`) and replays the journal
 * after it, or the whole journal if no snapshot can be used.
 */
import { Engine } from '../../engine/engine.js';
import type { SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { Clock, Mark, ReadableJournal } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import { checkMark, type OnProgress, ProgressMeter, replayBatch } from '../replay/replay.js';
import { firstUsable, rowAt } from '../replay/usable-snapshot.js';

export type RecoveredEngine = ReturnType<typeof recoverEngine>;

/**
 * `mark` is that of the journal. `onProgress` is called about twice a second in a long recovery, and before a snapshot is
 * read. Throws `journal_incomplete` if the beginning of the journal is gone and no good snapshot holds it, or if it ends
 * below the mark; and the errors of `checkMark`, `replayBatch` and reading.
 */
export function recoverEngine(
  journal: ReadableJournal,
  snapshots: SnapshotStore,
  mark: Mark | null,
  clock: Pick<Clock, 'monotonicMs'>,
  onProgress: OnProgress = () => {},
) {
  const notes: string[] = [];
  const engine = findStart(journal, snapshots, notes, onProgress);
  const snapshotSeq = engine.seq;
  const meter = new ProgressMeter('replay', snapshotSeq, mark?.lastSeq ?? 0, clock, onProgress);
  let checksum = checksumAt(journal, snapshotSeq, mark) ?? '';
  for (const row of journal.readBatches(snapshotSeq)) {
    replayBatch(engine, row);
    checksum = row.checksum;
    meter.count(row.lastSeq);
  }
  const end = { lastSeq: engine.seq, lastTimeMs: engine.timeMs, checksum };
  checkMark(mark, end.lastSeq, mark === null ? null : checksumAt(journal, mark.lastSeq, mark));
  return { engine, end, snapshotSeq, notes };
}

/** A new engine only if the journal has its beginning. */
function findStart(
  journal: ReadableJournal,
  snapshots: SnapshotStore,
  notes: string[],
  onProgress: OnProgress,
): Engine {
  const withProgress = {
    load: (ref: SnapshotRef) => {
      const unknown = { commandsDone: 0, commandsPerSecond: 0, secondsLeft: null };
      onProgress({ phase: 'snapshot', commandsTotal: ref.seq, ...unknown });
      return snapshots.load(ref);
    },
  };
  const usable = firstUsable(snapshots.list(), withProgress, journal, (note) => notes.push(note));
  if (usable !== null) return usable.engine;
  if (journal.chainAt(0) !== null) return new Engine();
  throw new JournalError(
    'journal_incomplete',
    'The first segments of the journal are not there any more, and no good snapshot holds what was in them. ' +
      `${[...notes, 'Put the data directory back from a backup.'].join(' ')}`,
  );
}

/**
 * null if no row ends at `seq`. If the journal begins right after that row, only its chain hash is left; then the
 * mark, if it is at `seq`, has the checksum.
 */
function checksumAt(journal: ReadableJournal, seq: number, mark: Mark | null): string | null {
  if (seq === 0 || journal.chainAt(seq) === null) return null;
  const row = rowAt(journal, seq);
  if (row !== null) return row.checksum;
  return mark?.lastSeq === seq ? mark.checksum : null;
}
