/**
 * The windows of many keys, accounts or addresses, in bounded memory (design, section 6). They stand in the
 * order in which they last counted, so that those which have fallen idle are found at the old end and dropped
 * whenever a new one is opened: what is kept is what counted in the last minute.
 */
import { SlidingWindow } from './sliding-window.js';

/** Idle windows dropped for each one opened: more than one, so that the table shrinks after a flood. */
const DROPS_PER_OPENING = 4;

export class KeyedWindow<K> extends SlidingWindow {
  /** Neighbours in the order of the last count; null at the ends. */
  older: KeyedWindow<K> | null = null;
  newer: KeyedWindow<K> | null = null;

  constructor(readonly key: K) {
    super();
  }
}

export class WindowTable<K> {
  readonly #windows = new Map<K, KeyedWindow<K>>();
  #oldest: KeyedWindow<K> | null = null;
  #newest: KeyedWindow<K> | null = null;

  /** `windowsMax` may be Infinity where the keys are numbers that only the operator hands out. */
  constructor(private readonly windowsMax: number) {}

  get size(): number {
    return this.#windows.size;
  }

  /** The window of `key` as of `nowMs`, made where there is none; null past the cap. */
  open(key: K, nowMs: number): KeyedWindow<K> | null {
    const known = this.#windows.get(key);
    if (known !== undefined) {
      known.expire(nowMs);
      return known;
    }
    for (let drops = 0; drops < DROPS_PER_OPENING && this.placeMs() <= nowMs; drops++) this.#dropOldest();
    if (this.#windows.size >= this.windowsMax) return null;
    const window = new KeyedWindow(key);
    this.#windows.set(key, window);
    this.#append(window);
    return window;
  }

  /** Counts a request in a window of this table. */
  count(window: KeyedWindow<K>, nowMs: number): void {
    window.count(nowMs);
    if (window === this.#newest) return;
    this.#unlink(window);
    this.#append(window);
  }

  /** Takes the last request of a window back. One that is empty by it is the next to go. */
  uncount(window: KeyedWindow<K>): void {
    window.uncount();
    if (window.total > 0 || window === this.#oldest) return;
    this.#unlink(window);
    this.#prepend(window);
  }

  /** When the oldest window falls idle and leaves its place to a new one; Infinity in an empty table. */
  placeMs(): number {
    return this.#oldest === null ? Number.POSITIVE_INFINITY : this.#oldest.idleMs();
  }

  #dropOldest(): void {
    const window = this.#oldest;
    if (window === null) return;
    this.#unlink(window);
    this.#windows.delete(window.key);
  }

  #append(window: KeyedWindow<K>): void {
    window.older = this.#newest;
    window.newer = null;
    if (this.#newest === null) this.#oldest = window;
    else this.#newest.newer = window;
    this.#newest = window;
  }

  #prepend(window: KeyedWindow<K>): void {
    window.older = null;
    window.newer = this.#oldest;
    if (this.#oldest === null) this.#newest = window;
    else this.#oldest.older = window;
    this.#oldest = window;
  }

  #unlink(window: KeyedWindow<K>): void {
    if (window.older === null) this.#oldest = window.newer;
    else window.older.newer = window.newer;
    if (window.newer === null) this.#newest = window.older;
    else window.newer.older = window.older;
  }
}
