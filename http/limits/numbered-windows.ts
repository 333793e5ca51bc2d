/**
 * The windows of keys or accounts. The operator assigns their numbers in sequence, so a window is found by index.
 * Each look-up also checks another window, in turn, and drops it if idle: what is kept is roughly the last minute.
 */
import { assert } from '../../engine/base/assert.js';
import { bytesOfWords, LINE_BYTES, LINE_WORDS, type Memory } from './memory.js';
import type { SlidingWindows } from './sliding-windows.js';
import { WindowPlaces } from './window-places.js';
import { OWNER } from './window-record.js';

/** The owner of a key's window: each key has one for reads and one for writes. */
export const ownerOf = (key: number, isWrite: boolean): number => key * 2 + (isWrite ? 1 : 0);

export class NumberedWindows {
  static bytes(ownersMax: number): number {
    return WindowPlaces.BYTES + LINE_BYTES + bytesOfWords(ownersMax + 1);
  }

  readonly #places: WindowPlaces;
  /** By owner, 0 for none. */
  readonly #windowOf: Uint32Array;
  /** The window to check next. */
  readonly #next: Uint32Array;

  /** The table has the windows `first` to `first + windowsMax - 1`; owners are numbered up to `ownersMax`. */
  constructor(
    memory: Memory,
    private readonly windows: SlidingWindows,
    private readonly first: number,
    windowsMax: number,
    private readonly ownersMax: number,
  ) {
    this.#places = new WindowPlaces(memory, windows, first, windowsMax);
    this.#next = memory.lines(1);
    this.#windowOf = memory.words(ownersMax + 1);
  }

  /** Windows that are open. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether an owner that has no window can get one. */
  get hasPlace(): boolean {
    return this.#places.left > 0;
  }

  /** The window of `owner` at `nowMs`, or 0. */
  find(owner: number, nowMs: number): number {
    assert(
      owner > 0 && owner <= this.ownersMax,
      'keys and accounts are no more than the limits are made for',
    );
    this.#dropNextIfIdle(nowMs);
    const known = this.#windowOf[owner] as number;
    if (known !== 0) this.windows.expire(known, nowMs);
    return known;
  }

  /** Opens a window for an owner that has none, while there is a place. */
  open(owner: number): number {
    assert(this.hasPlace, 'there is a place for a window');
    const window = this.#places.open();
    this.#windowOf[owner] = window;
    this.windows.records[window * LINE_WORDS + OWNER] = owner;
    return window;
  }

  #dropNextIfIdle(nowMs: number): void {
    const next = this.#next[0] as number;
    const window = next < this.first || next >= this.#places.end ? this.first : next;
    this.#next[0] = window + 1;
    const at = window * LINE_WORDS + OWNER;
    const { records } = this.windows;
    const owner = records[at] as number;
    if (owner === 0 || this.windows.idleMs(window) > nowMs) return;
    this.#windowOf[owner] = 0;
    records[at] = 0;
    this.#places.close(window);
  }
}
