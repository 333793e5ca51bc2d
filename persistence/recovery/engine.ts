/**
 * From a journal and snapshots to an engine, over any store of both: the newest good snapshot, then the journal after
 * it. A snapshot saves time and is never trusted further than the journal bears it out: it stands at the end of a batch
 * whose chain hash and rolling digest it must have, or it is passed over for the one before it, and at last for the
 * whole journal. What was passed over is told, never hidden.
 */
import { Engine } from '../../engine/engine.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import type { Clock, JournalStore, Mark, StoredBatch } from '../../engine/model/ports.js';
import { JournalError, messageOf } from '../errors.js';
import {
  checkMark,
  type DecodedBatch,
  decodeBatches,
  type JournalEnd,
  type OnProgress,
  ProgressMeter,
  replayBatch,
} from '../replay/replay.js';

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

/** The engine of the newest good snapshot, or a new one where the journal has its beginning. */
function findStart(
  journal: RecoverableJournal,
  snapshots: Pick<SnapshotStore, 'list' | 'load'>,
  notes: string[],
  onProgress: OnProgress,
): Engine {
  for (const ref of snapshots.list()) {
    const { seq, name } = ref;
    onProgress({
      phase: 'snapshot',
      commandsDone: 0,
      commandsTotal: seq,
      commandsPerSecond: 0,
      secondsLeft: null,
    });
    // Read before the snapshot: what is wrong with the journal is no reason to try another snapshot.
    const chain = journal.chainAt(seq);
    const row = chain === null ? null : rowAt(journal, seq);
    try {
      if (chain === null) throw new Error(`no batch of the journal ends at sequence number ${seq}.`);
      const { meta, engine } = snapshots.load(ref);
      checkSnapshot(ref, meta, engine, chain, row);
      return engine;
    } catch (thrown) {
      notes.push(`The snapshot ${name} was passed over: ${messageOf(thrown)}`);
    }
  }
  if (journal.chainAt(0) !== null) return new Engine();
  throw new JournalError(
    'journal_incomplete',
    'The first segments of the journal are not there any more, and no good snapshot holds what was in them. ' +
      `${[...notes, 'Put the data directory back from a backup.'].join(' ')}`,
  );
}

/** Throws where the snapshot is not of this journal. `row` ends where it stands, if it is still there. */
function checkSnapshot(
  { seq }: SnapshotRef,
  meta: SnapshotMeta,
  engine: Engine,
  chain: string,
  row: StoredBatch | null,
): void {
  if (meta.seq !== seq || engine.seq !== seq) throw new Error('it is of another sequence number.');
  if (meta.chain !== chain) throw new Error('its chain hash is not that of the journal.');
  const digest = engine.rollingDigest();
  if (digest !== meta.digest || (row !== null && digest !== row.digest)) {
    throw new Error('its rolling digest is not that of the journal.');
  }
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

/** The row that ends at `seq`, or null where the journal begins after it. */
function rowAt(journal: RecoverableJournal, seq: number): StoredBatch | null {
  try {
    for (const row of journal.readBatches(seq - 1)) return row.lastSeq === seq ? row : null;
  } catch (thrown) {
    if (!(thrown instanceof JournalError) || thrown.code !== 'journal_incomplete') throw thrown;
  }
  return null;
}
