/**
 * The windows of keys or accounts. The operator hands out their numbers in sequence, so windows are found by index
 * and need no cap. Each opening checks a few others, in turn, and drops the idle ones: what is kept is roughly the
 * last minute.
 */
import { SlidingWindows } from './sliding-windows.js';

/** More than one, so that the table shrinks after a flood. */
const CHECKS_PER_OPENING = 4;
const NUMBERS_MIN = 64;

export class NumberedWindows {
  readonly windows = new SlidingWindows();
  /** Window of each key or account, and the reverse; 0 for none. */
  #windowOf = new Int32Array(NUMBERS_MIN);
  readonly #ownerOf: number[] = [0];
  /** The window to check next. */
  #next = 1;

  /** The window of key or account `owner` at `nowMs`, opened if there is none. */
  of(owner: number, nowMs: number): number {
    const known = this.#windowOf[owner] ?? 0;
    if (known === 0) return this.#open(owner, nowMs);
    this.windows.expire(known, nowMs);
    return known;
  }

  #open(owner: number, nowMs: number): number {
    for (let checks = 0; checks < CHECKS_PER_OPENING; checks++) this.#dropIfIdle(nowMs);
    if (owner >= this.#windowOf.length) {
      const larger = new Int32Array(Math.max(this.#windowOf.length * 2, owner + 1));
      larger.set(this.#windowOf);
      this.#windowOf = larger;
    }
    const window = this.windows.open();
    this.#windowOf[owner] = window;
    this.#ownerOf[window] = owner;
    return window;
  }

  #dropIfIdle(nowMs: number): void {
    if (this.#next >= this.windows.end) this.#next = 1;
    const window = this.#next++;
    const owner = this.#ownerOf[window] ?? 0;
    if (owner === 0 || this.windows.idleMs(window) > nowMs) return;
    this.#windowOf[owner] = 0;
    this.#ownerOf[window] = 0;
    this.windows.close(window);
  }
}
