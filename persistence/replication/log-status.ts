/** The replicated log and its standbys, for operators. It lives on the engine's thread; the replication's tells it. */
import type { LogView, StandbyReport } from '../../engine/model/ports.js';
import type { FollowStatus } from './log/replicated-log.js';

/** A standby that is not heard of for so long is not there. */
export const HEARD_MS_MAX = 5_000;

export class LogStatus {
  #epoch = 0;
  #sequence = 0;
  #trouble: { readonly reason: string; readonly sinceMs: number } | null = null;
  #renewedMs = 0;
  #isReleased = false;
  #publishingMs = 0;
  readonly #standbys = new Map<string, { readonly report: StandbyReport; readonly heardMs: number }>();

  constructor(
    private readonly leaseMs: number,
    private readonly monotonicMs: () => number,
  ) {}

  followed({ lastSequence, leaseAgeMs }: FollowStatus): void {
    this.#sequence = lastSequence;
    this.#renewedMs = this.monotonicMs() - leaseAgeMs;
  }

  leads(epoch: number, sequence: number): void {
    this.#epoch = epoch;
    this.#sequence = sequence;
  }

  renewed(atMs: number): void {
    this.#renewedMs = atMs;
  }

  released(): void {
    this.#isReleased = true;
  }

  get isLapsed(): boolean {
    return this.#isReleased || this.monotonicMs() - this.#renewedMs > this.leaseMs;
  }

  publishing(): void {
    this.#publishingMs = this.monotonicMs();
  }

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
    const since = (timeMs: number): number => Math.round(nowMs - timeMs);
    const leaseAgeMs = since(this.#renewedMs);
    const standbys: LogView['standbys'][number][] = [];
    for (const [node, { report, heardMs }] of this.#standbys) {
      const seen = { ...report, behindMs: Math.round(report.behindMs), heardMsAgo: since(heardMs) };
      if (seen.heardMsAgo > HEARD_MS_MAX) this.#standbys.delete(node);
      else standbys.push(seen);
    }
    return {
      epoch: this.#epoch,
      streamSequence: this.#sequence,
      lease: this.isLapsed ? 'lapsed' : 'held',
      leaseAgeMs,
      trouble: this.#trouble?.reason ?? null,
      awayMs: this.#trouble === null ? 0 : since(this.#trouble.sinceMs),
      standbys,
    };
  }
}
