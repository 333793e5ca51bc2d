/**
 * The best way back into a journal that may be damaged: the newest state that can be had, and what of the past cannot
 * be shown any more. A state comes from the beginning of all or from a good snapshot, and goes on with the rows that
 * follow on it by the chain of hashes. So a snapshot stands in for whatever is damaged before it, and where the rows
 * behind it are lost, too, it is the end itself.
 */
import type { SnapshotMeta, SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { isOfJournal, loadWhole } from '../../replay/usable-snapshot.js';
import type { SnapshotFiles } from '../../snapshot/files.js';
import { Run, type Salvage } from '../salvage/salvage.js';

export interface Way {
  /** Holds the way from its origin on; without rows where a snapshot alone is the end. */
  readonly run: Run;
  /** Where it ends. */
  readonly seq: number;
}

/** States that cannot be worked out any more. */
export interface Unshown {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly why: string;
}

export class WaysBack {
  readonly #snapshots: readonly SnapshotRef[];
  /** What each snapshot that was read says of itself; null: it is damaged. */
  readonly #metas = new Map<string, SnapshotMeta | null>();

  /**
   * `knownSeq`: what mark or archive say was there; null where neither says anything. A snapshot behind both the good
   * rows and that is of another journal.
   */
  constructor(
    readonly salvage: Salvage,
    readonly files: SnapshotFiles,
    readonly knownSeq: number | null,
  ) {
    this.#snapshots = files.list();
  }

  /** The newest state at or before `limit`, or null. */
  newest(limit = Number.MAX_SAFE_INTEGER): Way | null {
    const byRows = this.salvage.runs
      .filter((run) => run.start.lastSeq <= limit)
      .map((run): Way => ({ run, seq: Math.min(run.lastSeq, limit) }))
      .reverse();
    const bySnapshot = this.#snapshots.filter(({ seq }) => seq <= limit && this.#isInGap(seq));
    const best = byRows.find(({ run, seq }) => this.#originIn(run, seq) !== null) ?? null;
    const alone = bySnapshot.find((ref) => ref.seq > (best?.seq ?? -1) && this.#metaOf(ref) !== null);
    return alone === undefined ? best : this.#alone(alone);
  }

  /** What cannot be shown of the time up to the end of `way`; what was pruned is none of it. */
  unshown({ run: last, seq: endSeq }: Way): Unshown[] {
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

  /** Where the states of the run begin that can be worked out up to `seq`, or null: none can. */
  #originIn(run: Run, seq: number): number | null {
    if (run.isBeginning) return 0;
    const oldestFirst = this.#snapshots.filter((ref) => ref.seq >= run.start.lastSeq && ref.seq <= seq);
    return oldestFirst.findLast((ref) => this.#isOf(run, ref))?.seq ?? null;
  }

  #isOf(run: Run, ref: SnapshotRef): boolean {
    const meta = this.#metaOf(ref);
    return meta !== null && isOfJournal(meta, run);
  }

  /** Whether a snapshot at `seq` stands where no good row ends, and where some were. */
  #isInGap(seq: number): boolean {
    const { runs, fault, lastSeq } = this.salvage;
    if (runs.some((run) => seq >= run.start.lastSeq && seq <= run.lastSeq)) return false;
    return seq < lastSeq || fault !== null || this.knownSeq === null || seq <= this.knownSeq;
  }

  #alone({ seq, name }: SnapshotRef): Way {
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
      // Whoever copies snapshots says what is wrong with it.
    }
    this.#metas.set(ref.name, meta);
    return meta;
  }
}
