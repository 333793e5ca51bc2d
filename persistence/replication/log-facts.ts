/**
 * What a process knows of the replicated log and of the standbys there, for its operators. It lives on the engine's thread and
 * is told by the replication's.
 */
import type { FollowStatus, StandbyReport } from './log/replicated-log.js';

export interface SeenStandby extends StandbyReport {
  readonly heardMsAgo: number;
}

export interface LogView {
  /** The epoch that this process leads; 0 while it follows. */
  readonly epoch: number;
  /** Number of the last message that is known to be in the log. */
  readonly sequence: number;
  /** Why the log gives no answer, or null; and for how long it has not. */
  readonly trouble: string | null;
  readonly awayMs: number;
  /** Of a leader: how long ago it has renewed its lease, and whether that is less than the lease lasts. */
  readonly leaseAgeMs: number;
  readonly isLeaseHeld: boolean;
  /** Standbys that were heard of lately. */
  readonly standbys: readonly SeenStandby[];
}

/** A standby that is not heard of for so long is not there. */
export const HEARD_MS_MAX = 5_000;

export class LogFacts {
  #epoch = 0;
  #sequence = 0;
  #trouble: { readonly reason: string; readonly sinceMs: number } | null = null;
  #renewedMs = 0;
  #publishingMs = 0;
  readonly #standbys = new Map<string, { readonly report: StandbyReport; readonly heardMs: number }>();

  constructor(
    private readonly leaseMs: number,
    private readonly monotonicMs: () => number,
  ) {}

  followed({ lastSequence }: FollowStatus): void {
    this.#sequence = lastSequence;
  }

  leads(epoch: number, sequence: number): void {
    this.#epoch = epoch;
    this.#sequence = sequence;
    this.renewed();
  }

  renewed(): void {
    this.#renewedMs = this.monotonicMs();
  }

  publishing(): void {
    this.#publishingMs = this.monotonicMs();
  }

  /** Returns how many milliseconds the batch under way has taken. */
  published(sequence: number): number {
    this.#sequence = sequence;
    return this.monotonicMs() - this.#publishingMs;
  }

  inTrouble(reason: string | null): void {
    const sinceMs = this.#trouble?.sinceMs ?? this.monotonicMs();
    this.#trouble = reason === null ? null : { reason, sinceMs };
  }

  heard(report: StandbyReport): void {
    this.#standbys.set(report.node, { report, heardMs: this.monotonicMs() });
  }

  view(): LogView {
    const nowMs = this.monotonicMs();
    const leaseAgeMs = nowMs - this.#renewedMs;
    const standbys: SeenStandby[] = [];
    for (const [node, { report, heardMs }] of this.#standbys) {
      const heardMsAgo = nowMs - heardMs;
      if (heardMsAgo > HEARD_MS_MAX) this.#standbys.delete(node);
      else standbys.push({ ...report, heardMsAgo });
    }
    return {
      epoch: this.#epoch,
      sequence: this.#sequence,
      trouble: this.#trouble?.reason ?? null,
      awayMs: this.#trouble === null ? 0 : nowMs - this.#trouble.sinceMs,
      leaseAgeMs,
      isLeaseHeld: leaseAgeMs <= this.leaseMs,
      standbys,
    };
  }
}
