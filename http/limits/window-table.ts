/**
 * Windows by owner, in bounded memory. They are listed by the time of their last request, so idle ones are at the old
 * end, and are dropped at look-ups: only owners of the last minute are kept.
 *
 * A site (an IPv6 /48) has 65,536 countable addresses, as many as the table of addresses has places. So only the first
 * few of a site get windows of their own and the others share one: a single site can neither fill the table nor get
 * much more than the requests of its few windows.
 */
import { assert } from '../../engine/base/assert.js';
import { Kind, Owner } from './owner.js';
import { OwnerTable } from './owner-table.js';
import { LINE_BYTES, LINE_WORDS, type Memory } from './shared-memory.js';
import { NEWER, OLDER, OWNER, type SlidingWindows } from './sliding-windows.js';

/** At each look-up more than one idle window is dropped, so that the table shrinks after a flood. */
const DROPS_PER_LOOK_UP = 4;
/** Further addresses of a site share one window. */
export const SITE_WINDOWS_MAX = 256;

/**
 * Words of a table: the ends of its list, 0 if it is empty; windows that are open, and were ever open; the first closed
 * one.
 */
const OLDEST = 0;
const NEWEST = 1;
const SIZE = 2;
const TOUCHED = 3;
const CLOSED = 4;

/** Sites are owners, too. */
const ownersFor = (windowsMax: number): number => 2 * windowsMax;

export class WindowTable {
  static bytes(windowsMax: number): number {
    return LINE_BYTES + OwnerTable.bytes(ownersFor(windowsMax));
  }

  readonly #words: Uint32Array;
  readonly #records: Uint32Array;
  /** Windows, and how many addresses of a site have one. */
  readonly #numbers: OwnerTable;
  readonly #site = new Owner();
  readonly #dropped = new Owner();

  /** The table has the windows `first` to `first + windowsMax - 1`. `seed` is that of an `OwnerTable`. */
  constructor(
    memory: Memory,
    readonly windows: SlidingWindows,
    private readonly first: number,
    private readonly windowsMax: number,
    seed: number,
  ) {
    this.#records = windows.records;
    this.#words = memory.lines(1);
    this.#numbers = new OwnerTable(memory, ownersFor(windowsMax), seed);
  }

  get size(): number {
    return this.#words[SIZE] as number;
  }

  get hasPlace(): boolean {
    return this.size < this.windowsMax;
  }

  /**
   * The number of an owner's window at `nowMs`, or 0. An address that shares its site's window is replaced by the site.
   */
  find(owner: Owner, nowMs: number): number {
    for (let drops = 0; drops < DROPS_PER_LOOK_UP && this.placeMs() <= nowMs; drops++) this.#dropOldest();
    let window = this.#numbers.get(owner);
    if (window === 0 && owner.kind === Kind.ipv6 && this.#sizeOfSite(owner) >= SITE_WINDOWS_MAX) {
      owner.becomeSite(Kind.ipv6Site);
      window = this.#numbers.get(owner);
    }
    if (window !== 0) this.windows.expire(window, nowMs);
    return window;
  }

  /** The owner was not found, and there is a place. A request must be counted in the window at once. */
  open(owner: Owner): number {
    assert(this.hasPlace, 'there is a place for a window');
    this.#addToSite(owner, 1);
    const window = this.#place();
    this.#words[SIZE] = this.size + 1;
    this.windows.open(window);
    this.#numbers.set(owner, window);
    const at = window * LINE_WORDS + OWNER;
    this.#records[at] = owner.kind;
    this.#records[at + 1] = owner.high;
    this.#records[at + 2] = owner.low;
    this.#append(window);
    return window;
  }

  count(window: number, limit: number, nowMs: number): void {
    this.windows.count(window, limit, nowMs);
    if (window === this.#words[NEWEST]) return;
    this.#unlink(window);
    this.#append(window);
  }

  /** The oldest window falls idle and frees its place at this time; Infinity in an empty table. */
  placeMs(): number {
    const oldest = this.#words[OLDEST] as number;
    return oldest === 0 ? Number.POSITIVE_INFINITY : this.windows.idleMs(oldest);
  }

  #dropOldest(): void {
    const window = this.#words[OLDEST] as number;
    this.#unlink(window);
    const owner = this.#dropped;
    const at = window * LINE_WORDS + OWNER;
    owner.kind = this.#records[at] as number;
    owner.high = this.#records[at + 1] as number;
    owner.low = this.#records[at + 2] as number;
    this.#numbers.delete(owner);
    this.#addToSite(owner, -1);
    this.windows.clear(window);
    this.#words[SIZE] = this.size - 1;
    this.#records[window * LINE_WORDS + OLDER] = this.#words[CLOSED] as number;
    this.#words[CLOSED] = window;
  }

  #place(): number {
    const words = this.#words;
    const closed = words[CLOSED] as number;
    if (closed !== 0) {
      words[CLOSED] = this.#records[closed * LINE_WORDS + OLDER] as number;
      return closed;
    }
    words[TOUCHED] = (words[TOUCHED] as number) + 1;
    return this.first + (words[TOUCHED] as number) - 1;
  }

  #sizeOfSite(address: Owner): number {
    this.#site.copy(address);
    return this.#site.becomeSite(Kind.siteSize) ? this.#numbers.get(this.#site) : 0;
  }

  #addToSite(owner: Owner, windows: number): void {
    if (owner.kind !== Kind.ipv6) return;
    const size = this.#sizeOfSite(owner) + windows;
    if (size > 0) this.#numbers.set(this.#site, size);
    else this.#numbers.delete(this.#site);
  }

  #append(window: number): void {
    const newest = this.#words[NEWEST] as number;
    this.#records[window * LINE_WORDS + OLDER] = newest;
    this.#records[window * LINE_WORDS + NEWER] = 0;
    if (newest === 0) this.#words[OLDEST] = window;
    else this.#records[newest * LINE_WORDS + NEWER] = window;
    this.#words[NEWEST] = window;
  }

  #unlink(window: number): void {
    const older = this.#records[window * LINE_WORDS + OLDER] as number;
    const newer = this.#records[window * LINE_WORDS + NEWER] as number;
    if (older === 0) this.#words[OLDEST] = newer;
    else this.#records[older * LINE_WORDS + NEWER] = newer;
    if (newer === 0) this.#words[NEWEST] = older;
    else this.#records[newer * LINE_WORDS + OLDER] = older;
  }
}
