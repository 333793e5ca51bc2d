/**
 * The snapshots that the shadow writes, a piece at a time, and the retention afterwards. A failed one holds nothing
 * up.
 */
import { statSync } from 'node:fs';
import { assert } from '../../engine/base/assert.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { Engine } from '../../engine/engine.js';
import type { SnapshotRef } from '../../engine/host/snapshot-store.js';
import type { Clock } from '../../engine/model/ports.js';
import type { SnapshotTaken } from '../../engine/model/shadow-status.js';
import type { ArchivePosition } from '../archive/schema.js';
import { fileBytes } from '../data-dir/files.js';
import { codeOf } from '../errors.js';
import type { SnapshotFiles } from '../snapshot/files.js';
import type { Rest } from '../thread/pace.js';
import { SNAPSHOTS_KEPT } from '../upkeep/retention/choice.js';
import { executePlan, planPrune } from '../upkeep/retention/retention.js';
import type { ShadowNews, ShadowOptions } from './messages.js';

const RETRY_MS = 60_000;
/** After a snapshot the shadow follows for this many times as long, so that it makes progress. */
const FOLLOWING_PER_SAVING = 2;

export interface ShadowClock extends Clock {
  threadCpuMs(): number;
}

interface Saving {
  readonly pieces: Generator<number, SnapshotRef, undefined>;
  /** Monotonic. */
  readonly sinceMs: number;
  readonly engineTimeMs: number;
}

export class ShadowSnapshots {
  #saving: Saving | null = null;
  #newest: SnapshotTaken | null;
  /** Monotonic. The interval to the next snapshot begins here. */
  #countedFromMs: number;
  #notBeforeMs = 0;
  /** CPU time of this thread alone, as last read. */
  #cpuMs: number;
  #replayedMs = 0;
  #complaint: string | null = null;

  constructor(
    private readonly files: SnapshotFiles,
    endSeq: number,
    private readonly options: ShadowOptions,
    private readonly clock: ShadowClock,
    private readonly note: (text: string) => void,
    private readonly rest: Rest,
    private readonly onNews: (news: ShadowNews) => void,
  ) {
    this.#newest = newestOf(files, endSeq);
    this.#countedFromMs = clock.monotonicMs();
    this.#cpuMs = clock.threadCpuMs();
  }

  get newest(): SnapshotTaken | null {
    return this.#newest;
  }
  get complaint(): string | null {
    return this.#complaint;
  }
  /** The engine must not change meanwhile. */
  get isSaving(): boolean {
    return this.#saving !== null;
  }

  shouldBegin(seq: number): boolean {
    const { snapshotCommands, snapshotEveryMs, snapshotReplayMs } = this.options;
    const nowMs = this.clock.monotonicMs();
    const commands = seq - (this.#newest?.seq ?? 0);
    const isLong = this.#replayedMs >= snapshotReplayMs || nowMs - this.#countedFromMs >= snapshotEveryMs;
    const isDue = commands >= snapshotCommands || (commands > 0 && isLong);
    return isDue && nowMs >= this.#notBeforeMs;
  }

  /** To be called in turns that follow the journal, and in those that find nothing new. */
  meter(isFollowing: boolean): void {
    const cpuMs = this.clock.threadCpuMs();
    // The system counts a turn at its end or at the next tick, so it may be in the figure of the turn after it.
    if (isFollowing) this.#replayedMs += cpuMs - this.#cpuMs;
    this.#cpuMs = cpuMs;
  }

  begin(engine: Engine, { chain, timeMs }: ArchivePosition): void {
    assert(this.#saving === null, 'one snapshot at a time');
    const sinceMs = this.clock.monotonicMs();
    this.#saving = { pieces: this.files.saving(engine, chain), sinceMs, engineTimeMs: timeMs };
  }

  goOn(): void {
    const saving = this.#saving;
    if (saving === null) return;
    let what = 'no snapshot can be written';
    try {
      const piece = saving.pieces.next();
      if (piece.done !== true) return;
      this.#saving = null;
      this.#end(saving, piece.value);
      what = 'nothing old can be deleted';
      this.#deleteOld(saving.engineTimeMs);
      this.#complaint = null;
    } catch (thrown) {
      this.#saving = null;
      this.#notBeforeMs = this.clock.monotonicMs() + RETRY_MS;
      if (this.#complaint === null) this.note(messageOf(thrown));
      this.#complaint = `${what} (${codeOf(thrown)})`;
    }
  }

  #end({ sinceMs }: Saving, { seq, name }: SnapshotRef): void {
    const nowMs = this.clock.monotonicMs();
    const tookMs = nowMs - sinceMs;
    const bytes = fileBytes(name);
    this.#newest = { seq, atMs: this.clock.nowMs(), bytes, tookMs };
    this.onNews({ kind: 'snapshot', seq, bytes, tookMs });
    this.#countedFromMs = nowMs;
    this.meter(false);
    this.#replayedMs = 0;
    this.#notBeforeMs = nowMs + FOLLOWING_PER_SAVING * tookMs;
  }

  #deleteOld(engineTimeMs: number): void {
    const { dir, segmentsKeptMs: segmentsMs, snapshotsKept: snapshots = SNAPSHOTS_KEPT } = this.options;
    const plan = planPrune(dir, { segmentsMs, snapshots }, engineTimeMs, this.rest);
    try {
      executePlan(dir, plan);
    } catch (thrown) {
      // A backup is being made: the next snapshot's turn deletes what stays now.
      if (codeOf(thrown) !== 'data_dir_locked') throw thrown;
      return;
    }
    for (const { firstSeq, lastSeq, bytes } of plan.segments)
      this.onNews({ kind: 'pruned', firstSeq, lastSeq, bytes });
  }

  abandon(): void {
    this.#saving?.pieces.return({ seq: 0, name: '' });
  }
}

/** A snapshot after the journal's end is not of this journal, and does not delay the next one. */
function newestOf(snapshots: SnapshotFiles, endSeq: number): SnapshotTaken | null {
  const ref = snapshots.list().find(({ seq }) => seq <= endSeq);
  const file = ref === undefined ? undefined : statSync(ref.name, { throwIfNoEntry: false });
  if (ref === undefined || file === undefined) return null;
  return { seq: ref.seq, atMs: Math.floor(file.mtimeMs), bytes: file.size, tookMs: null };
}
