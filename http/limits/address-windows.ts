/**
 * The windows of addresses, in bounded memory (design, section 6). They are listed by the time of their last request,
 * so idle ones are at the old end, and are dropped at look-ups: only addresses of the last minute are kept.
 *
 * A site (an IPv6 /48) has 65,536 countable addresses, as many as the table has places. So only the first few of a
 * site get windows of their own and the others share one: a single site can neither fill the table nor get much more
 * than the requests of its few windows.
 */
import { randomInt } from 'node:crypto';
import { assert } from '../../engine/base/assert.js';
import { AddressId } from './address-id.js';
import { IdTable } from './id-table.js';
import { LINE_BYTES, LINE_WORDS, Memory } from './memory.js';
import { RUNS_PER_BLOCK } from './run-blocks.js';
import { SlidingWindows } from './sliding-windows.js';
import { WindowPlaces } from './window-places.js';
import { NEWER, OLDER, OWNER } from './window-record.js';

/** Idle windows dropped at each look-up: more than one, so that the table shrinks after a flood. */
const DROPS_PER_LOOK_UP = 4;
/** Addresses of one site that have windows of their own. */
export const SITE_WINDOWS_MAX = 256;

/** The ends of the list; 0 if it is empty. */
const OLDEST = 0;
const NEWEST = 1;

export class AddressWindows {
  static bytes(windowsMax: number): number {
    return WindowPlaces.BYTES + LINE_BYTES + 2 * IdTable.bytes(windowsMax);
  }

  /** A table of one thread, in memory of its own: `windowsMax` addresses that count at most `requestsMax` requests each. */
  static alone(windowsMax: number, requestsMax: number): AddressWindows {
    // The first and the last block of a window may be full in part.
    const blocksMax = windowsMax * (1 + Math.ceil(requestsMax / RUNS_PER_BLOCK));
    const bytes = SlidingWindows.bytes(windowsMax, blocksMax) + AddressWindows.bytes(windowsMax);
    const memory = new Memory(new ArrayBuffer(bytes));
    const windows = new SlidingWindows(memory, windowsMax, blocksMax);
    return new AddressWindows(memory, windows, 1, windowsMax, randomInt(2 ** 32));
  }

  readonly #places: WindowPlaces;
  readonly #records: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #numbers: IdTable;
  /** How many addresses of a site have a window. */
  readonly #sites: IdTable;
  readonly #site = new AddressId();
  readonly #dropped = new AddressId();

  /** The table has the windows `first` to `first + windowsMax - 1`. `seed` is that of an `IdTable`. */
  constructor(
    memory: Memory,
    readonly windows: SlidingWindows,
    first: number,
    windowsMax: number,
    seed: number,
  ) {
    this.#records = windows.records;
    this.#places = new WindowPlaces(memory, windows, first, windowsMax);
    this.#ends = memory.lines(1);
    this.#numbers = new IdTable(memory, windowsMax, seed);
    this.#sites = new IdTable(memory, windowsMax, seed);
  }

  /** Windows that are open. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether an address that has no window can get one. */
  get hasPlace(): boolean {
    return this.#places.left > 0;
  }

  /**
   * The number of an address's window at `nowMs`, or 0. An address that shares its site's window is replaced by the
   * site.
   */
  find(address: AddressId, nowMs: number): number {
    for (let drops = 0; drops < DROPS_PER_LOOK_UP && this.placeMs() <= nowMs; drops++) this.#dropOldest();
    const known = this.#numbers.get(address);
    if (known !== 0) {
      this.windows.expire(known, nowMs);
      return known;
    }
    const site = this.#site;
    site.copy(address);
    if (!site.becomeSite() || this.#sites.get(site) < SITE_WINDOWS_MAX) return 0;
    address.copy(site);
    const shared = this.#numbers.get(site);
    this.windows.expire(shared, nowMs);
    return shared;
  }

  /** Opens a window for an address that was not found, if there is a place. It must be counted at once. */
  open(address: AddressId): number {
    assert(this.hasPlace, 'there is a place for a window');
    const site = this.#site;
    site.copy(address);
    if (site.becomeSite()) this.#sites.set(site, this.#sites.get(site) + 1);
    const window = this.#places.open();
    this.#numbers.set(address, window);
    const at = window * LINE_WORDS + OWNER;
    this.#records[at] = address.kind;
    this.#records[at + 1] = address.high;
    this.#records[at + 2] = address.low;
    this.#append(window);
    return window;
  }

  /** Counts a request. */
  count(window: number, nowMs: number): void {
    this.windows.count(window, nowMs);
    if (window === this.#ends[NEWEST]) return;
    this.#unlink(window);
    this.#append(window);
  }

  /** When the oldest window falls idle and frees its place; Infinity in an empty table. */
  placeMs(): number {
    const oldest = this.#ends[OLDEST] as number;
    return oldest === 0 ? Number.POSITIVE_INFINITY : this.windows.idleMs(oldest);
  }

  #dropOldest(): void {
    const window = this.#ends[OLDEST] as number;
    this.#unlink(window);
    const id = this.#dropped;
    const at = window * LINE_WORDS + OWNER;
    id.kind = this.#records[at] as number;
    id.high = this.#records[at + 1] as number;
    id.low = this.#records[at + 2] as number;
    this.#numbers.delete(id);
    if (id.becomeSite()) this.#leaveSite(id);
    this.#places.close(window);
  }

  #leaveSite(site: AddressId): void {
    const ofSite = this.#sites.get(site);
    assert(ofSite > 0, 'a window of a site is counted');
    if (ofSite === 1) this.#sites.delete(site);
    else this.#sites.set(site, ofSite - 1);
  }

  #append(window: number): void {
    const newest = this.#ends[NEWEST] as number;
    this.#records[window * LINE_WORDS + OLDER] = newest;
    this.#records[window * LINE_WORDS + NEWER] = 0;
    if (newest === 0) this.#ends[OLDEST] = window;
    else this.#records[newest * LINE_WORDS + NEWER] = window;
    this.#ends[NEWEST] = window;
  }

  #unlink(window: number): void {
    const older = this.#records[window * LINE_WORDS + OLDER] as number;
    const newer = this.#records[window * LINE_WORDS + NEWER] as number;
    if (older === 0) this.#ends[OLDEST] = newer;
    else this.#records[older * LINE_WORDS + NEWER] = newer;
    if (newer === 0) this.#ends[NEWEST] = older;
    else this.#records[newer * LINE_WORDS + OLDER] = older;
  }
}
