/** Counts in windows that begin with the first count after the one before. */
export class WindowCount {
  #beganMs = Number.NEGATIVE_INFINITY;
  #counted = 0;

  constructor(private readonly windowMs: number) {}

  /** Takes a monotonic time. Returns the count in its window. */
  count(nowMs: number): number {
    if (nowMs - this.#beganMs >= this.windowMs) {
      this.#beganMs = nowMs;
      this.#counted = 0;
    }
    this.#counted += 1;
    return this.#counted;
  }
}
