/**
 * The windows of addresses, in bounded memory (design, section 6). They are listed by the time of their last request,
 * so idle ones are at the old end and are dropped as new ones open: only addresses of the last minute are kept.
 *
 * A site (an IPv6 /48) has 65,536 countable addresses, as many as the table has places. So only the first few of a
 * site get windows of their own and the others share one: a single site can neither fill the table nor get much more
 * than the requests of its few windows.
 */
import { must } from '../../engine/base/assert.js';
import { siteOf } from '../uws/client-address.js';
import { SlidingWindows } from './sliding-windows.js';

/** Idle windows dropped for each one opened: more than one, so that the table shrinks after a flood. */
const DROPS_PER_OPENING = 4;
/** Addresses of one site that get windows of their own. */
export const SITE_WINDOWS_MAX = 256;

export class AddressWindows {
  readonly windows = new SlidingWindows();
  readonly #numbers = new Map<string, number>();
  /** By site: how many of its addresses have a window. */
  readonly #sites = new Map<string, number>();
  /** Address and neighbours in the list, by window; 0 for none. */
  readonly #addresses: string[] = [''];
  readonly #older: number[] = [0];
  readonly #newer: number[] = [0];
  #oldest = 0;
  #newest = 0;

  constructor(private readonly windowsMax: number) {}

  /** The number of an address's window at `nowMs`, opened if there is none; 0 if the table is full. */
  of(address: string, nowMs: number): number {
    const known = this.#numbers.get(address);
    if (known !== undefined) {
      this.windows.expire(known, nowMs);
      return known;
    }
    for (let drops = 0; drops < DROPS_PER_OPENING && this.placeMs() <= nowMs; drops++) this.#dropOldest();
    const site = siteOf(address);
    const ofSite = site === null ? 0 : (this.#sites.get(site) ?? 0);
    if (site !== null && ofSite >= SITE_WINDOWS_MAX) return this.of(site, nowMs);
    if (this.windows.size >= this.windowsMax) return 0;
    if (site !== null) this.#sites.set(site, ofSite + 1);
    const window = this.windows.open();
    this.#numbers.set(address, window);
    this.#addresses[window] = address;
    this.#append(window);
    return window;
  }

  /** Counts a request. */
  count(window: number, nowMs: number): void {
    this.windows.count(window, nowMs);
    if (window === this.#newest) return;
    this.#unlink(window);
    this.#append(window);
  }

  /** Takes back the last request of a window. If that leaves it empty, it is the next to be dropped. */
  uncount(window: number): void {
    this.windows.uncount(window);
    if (this.windows.total(window) > 0 || window === this.#oldest) return;
    this.#unlink(window);
    this.#prepend(window);
  }

  /** When the oldest window falls idle and frees its place; Infinity in an empty table. */
  placeMs(): number {
    return this.#oldest === 0 ? Number.POSITIVE_INFINITY : this.windows.idleMs(this.#oldest);
  }

  #dropOldest(): void {
    const window = this.#oldest;
    const address = this.#addresses[window] as string;
    this.#unlink(window);
    this.#numbers.delete(address);
    const site = siteOf(address);
    if (site !== null) this.#leaveSite(site);
    this.#addresses[window] = '';
    this.windows.close(window);
  }

  #leaveSite(site: string): void {
    const ofSite = must(this.#sites.get(site), 'a window of a site is counted');
    if (ofSite === 1) this.#sites.delete(site);
    else this.#sites.set(site, ofSite - 1);
  }

  #append(window: number): void {
    this.#older[window] = this.#newest;
    this.#newer[window] = 0;
    if (this.#newest === 0) this.#oldest = window;
    else this.#newer[this.#newest] = window;
    this.#newest = window;
  }

  #prepend(window: number): void {
    this.#older[window] = 0;
    this.#newer[window] = this.#oldest;
    if (this.#oldest === 0) this.#newest = window;
    else this.#older[this.#oldest] = window;
    this.#oldest = window;
  }

  #unlink(window: number): void {
    const older = this.#older[window] as number;
    const newer = this.#newer[window] as number;
    if (older === 0) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === 0) this.#newest = older;
    else this.#older[newer] = older;
  }
}
