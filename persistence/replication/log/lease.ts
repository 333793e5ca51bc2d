/**
 * How a standby judges that the leader has ended: by its own monotonic clock, and only by what it has seen itself. A
 * wrong judgement costs a change of leaders and nothing else, since the log fences out the one before.
 */
import type { LeaseEntry, LeaseState } from './replicated-log.js';

export class LeaseWatch {
  #revision = -1;
  /** Monotonic time at which this revision was first seen. */
  #sinceMs = 0;
  #seenMs = Number.NEGATIVE_INFINITY;
  #epoch = 0;

  /** For the process of this name. */
  constructor(
    private readonly leaseMs: number,
    private readonly node: string,
  ) {}

  /** The log has a takeover: its leader writes the lease next, and until then what stands there is that of an earlier one. */
  tookOver(epoch: number, nowMs: number): void {
    this.#epoch = epoch;
    this.#sinceMs = nowMs;
  }

  /**
   * `entry` was read at the monotonic time `nowMs`. A reader that was stopped, or could not read, has not watched: the
   * lease begins anew. An older revision than one seen before is what a server that lags behind has, and no renewal.
   */
  saw(entry: LeaseEntry | null, nowMs: number): LeaseState {
    const hasWatched = nowMs - this.#seenMs <= this.leaseMs / 2;
    this.#seenMs = nowMs;
    const revision = entry?.revision ?? 0;
    if (revision > this.#revision || !hasWatched) {
      this.#revision = Math.max(revision, this.#revision);
      this.#sinceMs = nowMs;
    }
    if (entry === null && this.#epoch === 0) return 'none';
    const isNewest = entry !== null && entry.epoch >= this.#epoch;
    if (isNewest && entry.isReleased && (entry.successor === '' || entry.successor === this.node))
      return 'released';
    return nowMs - this.#sinceMs >= this.leaseMs ? 'lapsed' : 'held';
  }
}
