/**
 * The newest state that can be restored from a journal that may be damaged. A state starts from the very beginning or
 * from a good snapshot, and continues with the rows that follow it by the chain of hashes. So a snapshot replaces
 * damaged rows before it; if the rows after it are lost, too, the snapshot itself is the end.
 */
import type { SnapshotMeta, SnapshotRef } from '../../../engine/host/snapshot-store.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError, messageOf } from '../../errors.js';
import { History } from '../../replay/history.js';
import { isOfJournal, loadWhole } from '../../replay/usable-snapshot.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { Run, type Salvage } from '../salvage/salvage.js';
import { acknowledgedOf } from './notes.js';

export interface RestorePoint {
  /** No rows if a snapshot alone is the end. */
  readonly run: Run;
  readonly seq: number;
}

export class RestorePoints {
  readonly #snapshots: readonly SnapshotRef[];
  readonly #metas = new Map<string, SnapshotMeta | null>();
  /** Sentences on snapshots that were passed over. */
  readonly notes: string[] = [];

  /**
   * `knownSeq` is the last command according to mark or archive; null if neither knows. A snapshot after both that and
   * the good rows is of another journal.
   */
  constructor(
    readonly salvage: Salvage,
    readonly files: SnapshotFiles,
    readonly knownSeq: number | null,
  ) {
    this.#snapshots = files.list();
  }

  newest(limit = Number.MAX_SAFE_INTEGER): RestorePoint | null {
    const byRows = this.salvage.runs
      .filter((run) => run.start.lastSeq <= limit)
      .map((run): RestorePoint => ({ run, seq: Math.min(run.lastSeq, limit) }))
      .reverse();
    const bySnapshot = this.#snapshots.filter(({ seq }) => seq <= limit && this.#isInGap(seq));
    const best = byRows.find(({ run, seq }) => this.#originIn(run, seq) !== null) ?? null;
    const alone = bySnapshot.find((ref) => ref.seq > (best?.seq ?? -1) && this.#metaOf(ref) !== null);
    return alone === undefined ? best : this.#alone(alone);
  }

  /** The first state of the run up to `seq` that can be reconstructed; null if there is none. */
  #originIn(run: Run, seq: number): number | null {
    if (run.isBeginning) return 0;
    const oldestFirst = this.#snapshots.filter((ref) => ref.seq >= run.start.lastSeq && ref.seq <= seq);
    return oldestFirst.findLast((ref) => this.#isOf(run, ref))?.seq ?? null;
  }

  #isOf(run: Run, ref: SnapshotRef): boolean {
    const meta = this.#metaOf(ref);
    return meta !== null && isOfJournal(meta, run);
  }

  /** Rows existed at `seq`, but no good one ends there. */
  #isInGap(seq: number): boolean {
    const { runs, fault, lastSeq } = this.salvage;
    if (runs.some((run) => seq >= run.start.lastSeq && seq <= run.lastSeq)) return false;
    return seq < lastSeq || fault !== null || this.knownSeq === null || seq <= this.knownSeq;
  }

  #alone({ seq, name }: SnapshotRef): RestorePoint {
    const position = { lastSeq: seq, chain: this.#metas.get(name)?.chain ?? '' };
    return { run: new Run([{ path: '', createdMs: 0, start: position, end: position }]), seq };
  }

  #metaOf(ref: SnapshotRef): SnapshotMeta | null {
    const known = this.#metas.get(ref.name);
    if (known !== undefined) return known;
    let meta: SnapshotMeta | null = null;
    try {
      meta = loadWhole(this.files, ref).meta;
    } catch (thrown) {
      this.notes.push(`The snapshot ${ref.name} was passed over: ${messageOf(thrown)}`);
    }
    this.#metas.set(ref.name, meta);
    return meta;
  }
}

/** If the rows after it are lost, it may be a later snapshot's. Throws `not_found` if the journal begins later. */
export function seqAtTime(salvage: Salvage, dir: DataDir, timeMs: number): number {
  const snapshots = new SnapshotFiles(dir.snapshots);
  const { mark, seq: lastKnown } = acknowledgedOf(dir);
  const knownSeq = mark === null ? salvage.lastSeq : lastKnown;
  for (const run of salvage.runs.toReversed()) {
    const seq = new History(run, snapshots).seqAt(timeMs);
    if (seq < run.firstSeq) continue;
    return seq < run.lastSeq ? seq : Math.max(seq, snapshotBehind(snapshots, seq, knownSeq, timeMs));
  }
  throw new JournalError(
    'not_found',
    `The journal has no command at or before ${new Date(timeMs).toISOString()}: it begins later.`,
  );
}

/** Up to `knownSeq`, taken at or before `timeMs`; 0 if there is none. */
function snapshotBehind(snapshots: SnapshotFiles, seq: number, knownSeq: number, timeMs: number): number {
  for (const ref of snapshots.list()) {
    if (ref.seq <= seq) return 0;
    if (ref.seq > knownSeq) continue;
    try {
      if (snapshots.metaOf(ref).timeMs <= timeMs) return ref.seq;
    } catch {
      // It cannot be used, which is reported where snapshots are copied.
    }
  }
  return 0;
}
