/**
 * From a journal and snapshots to an engine, over any store of both: the newest usable snapshot (`usable-snapshot.ts`),
 * then the journal after it; the whole journal where no snapshot can be used.
 */
import { Engine } from '../../engine/engine.js';
import type { SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { Clock, JournalStore, Mark } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import {
  checkMark,
  type DecodedBatch,
  decodeBatches,
  type JournalEnd,
  type OnProgress,
  ProgressMeter,
  replayBatch,
} from '../replay/replay.js';
import { firstUsable, rowAt } from '../replay/usable-snapshot.js';

export type RecoverableJournal = Pick<JournalStore, 'readBatches' | 'chainAt' | 'readMark'>;

export interface RecoverEngineOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called about twice a second in a long recovery, and before a snapshot is read. */
  readonly onProgress?: OnProgress;
  /** The journal's batches after `afterSeq`, up to about `endSeq`; read as they are asked for where absent. */
  readonly batchesAfter?: (afterSeq: number, endSeq: number) => Iterable<DecodedBatch>;
}

export interface RecoveredEngine {
  readonly engine: Engine;
  readonly end: JournalEnd;
  /** The snapshot's sequence number; 0 where all of the journal was replayed. */
  readonly snapshotSeq: number;
  /** Sentences on snapshots that were passed over. */
  readonly notes: readonly string[];
}

/**
 * Throws `journal_incomplete` where the journal's begin is gone and no good snapshot holds it, or where it ends below
 * the mark, what `checkMark` and `replayBatch` throw, and what reading the journal throws.
 */
export function recoverEngine(
  journal: RecoverableJournal,
  snapshots: Pick<SnapshotStore, 'list' | 'load'>,
  options: RecoverEngineOptions,
): RecoveredEngine {
  const notes: string[] = [];
  const engine = findStart(journal, snapshots, notes, options.onProgress ?? (() => {}));
  const snapshotSeq = engine.seq;
  const end = replay(journal, engine, options);
  const mark = journal.readMark();
  checkMark(mark, end.lastSeq, mark === null ? null : checksumAt(journal, mark.lastSeq, mark));
  return { engine, end, snapshotSeq, notes };
}

/** The engine of the newest usable snapshot, or a new one where the journal has its beginning. */
function findStart(
  journal: RecoverableJournal,
  snapshots: Pick<SnapshotStore, 'list' | 'load'>,
  notes: string[],
  onProgress: OnProgress,
): Engine {
  const told = {
    load: (ref: SnapshotRef) => {
      const unknown = { commandsDone: 0, commandsPerSecond: 0, secondsLeft: null };
      onProgress({ phase: 'snapshot', commandsTotal: ref.seq, ...unknown });
      return snapshots.load(ref);
    },
  };
  const usable = firstUsable(snapshots.list(), told, journal, (note) => notes.push(note));
  if (usable !== null) return usable.engine;
  if (journal.chainAt(0) !== null) return new Engine();
  throw new JournalError(
    'journal_incomplete',
    'The first segments of the journal are not there any more, and no good snapshot holds what was in them. ' +
      `${[...notes, 'Put the data directory back from a backup.'].join(' ')}`,
  );
}

/** Replays what comes after the engine's last command. */
function replay(
  journal: RecoverableJournal,
  engine: Engine,
  {
    clock,
    onProgress = () => {},
    batchesAfter = (afterSeq) => decodeBatches(journal.readBatches(afterSeq)),
  }: RecoverEngineOptions,
): JournalEnd {
  const startSeq = engine.seq;
  const mark = journal.readMark();
  const endSeq = mark?.lastSeq ?? 0;
  const meter = new ProgressMeter('replay', startSeq, endSeq, clock, onProgress);
  let lastSeq = startSeq;
  let checksum = checksumAt(journal, startSeq, mark) ?? '';
  let batches = 0;
  for (const batch of batchesAfter(startSeq, endSeq)) {
    replayBatch(engine, batch);
    ({ lastSeq, checksum } = batch.row);
    batches += 1;
    meter.count(lastSeq);
  }
  return { lastSeq, lastTimeMs: engine.timeMs, checksum, batches };
}

/**
 * Checksum of the row that ends at `seq`, or null where none does. A row with which the journal begins, and that is not
 * there itself any more, is the one that the mark speaks of: its chain hash is in the segment after it.
 */
function checksumAt(journal: RecoverableJournal, seq: number, mark: Mark | null): string | null {
  if (seq === 0 || journal.chainAt(seq) === null) return null;
  const row = rowAt(journal, seq);
  if (row !== null) return row.checksum;
  return mark?.lastSeq === seq ? mark.checksum : null;
}
