/** Times the commit in flight: a disk that hangs must stop the server. */

/** A pause between two samples counts at most this much: a suspended process is not a slow disk. */
const PAUSE_MS_MAX = 1_000;

export class CommitTimer {
  #tookMs = 0;

  constructor(private sampledMs: number) {}

  restart(): void {
    this.#tookMs = 0;
  }

  /** Returns how long the commit in flight has taken; 0 if there is none. Call several times a second. */
  sample(monotonicMs: number, isInFlight: boolean): number {
    const passedMs = Math.min(monotonicMs - this.sampledMs, PAUSE_MS_MAX);
    this.sampledMs = monotonicMs;
    if (!isInFlight) return 0;
    this.#tookMs += passedMs;
    return this.#tookMs;
  }
}
