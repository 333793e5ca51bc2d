/**
 * The newest state that can be restored from a journal that may be damaged, and the part of the past that can no longer
 * be shown. A state starts from the very beginning or from a good snapshot, and continues with the rows that follow it
 * by the chain of hashes. So a snapshot replaces whatever is damaged before it; if the rows after it are lost, too, the
 * snapshot itself is the end.
 */
import type { SnapshotMeta, SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { isOfJournal, loadWhole } from '../../replay/usable-snapshot.js';
import type { SnapshotFiles } from '../../snapshot/files.js';
import { Run, type Salvage } from '../salvage/salvage.js';

export interface RestorePoint {
  /** The rows that lead to it; none if a snapshot alone is the end. */
  readonly run: Run;
  /** Its last command. */
  readonly seq: number;
}

/** States that can no longer be reconstructed. */
export interface Unshown {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly why: string;
}

export class RestorePoints {
  readonly #snapshots: readonly SnapshotRef[];
  /** Metadata of each snapshot that was read; null if it is damaged. */
  readonly #metas = new Map<string, SnapshotMeta | null>();

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

  /** The newest state at or before `limit`, or null. */
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

  /** The states up to the restore point that cannot be shown, without what was pruned. */
  unshown({ run: last, seq: endSeq }: RestorePoint): Unshown[] {
    const unshown: Unshown[] = [];
    const runs = this.salvage.runs.filter(({ start }) => start.lastSeq <= endSeq);
    for (const run of runs) {
      const gap = this.salvage.gapBefore(run);
      if (gap === null || (gap.isRecorded && gap.firstSeq === 1)) continue;
      const origin = this.#originIn(run, run.lastSeq) ?? run.lastSeq + 1;
      if (origin > gap.firstSeq) unshown.push({ firstSeq: gap.firstSeq, lastSeq: origin - 1, why: gap.why });
    }
    const before = runs.findLast(({ lastSeq }) => lastSeq < last.start.lastSeq)?.lastSeq ?? 0;
    if (!this.salvage.runs.includes(last) && before + 1 < endSeq) {
      const why = this.salvage.faultAfter(before) ?? 'No file has them.';
      unshown.push({ firstSeq: before + 1, lastSeq: endSeq - 1, why });
    }
    return unshown;
  }

  /** The first state of the run, up to `seq`, that can be reconstructed, or null. */
  #originIn(run: Run, seq: number): number | null {
    if (run.isBeginning) return 0;
    const oldestFirst = this.#snapshots.filter((ref) => ref.seq >= run.start.lastSeq && ref.seq <= seq);
    return oldestFirst.findLast((ref) => this.#isOf(run, ref))?.seq ?? null;
  }

  #isOf(run: Run, ref: SnapshotRef): boolean {
    const meta = this.#metaOf(ref);
    return meta !== null && isOfJournal(meta, run);
  }

  /** Whether a snapshot at `seq` is where rows existed but no good one ends. */
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
    } catch {
      // Reported where snapshots are copied.
    }
    this.#metas.set(ref.name, meta);
    return meta;
  }
}
