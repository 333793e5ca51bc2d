/**
 * The shared part of the rate limits: one buffer with every window, and the facts needed to read it. One thread
 * creates it (`shareLimits`) and passes it to the others; each then has its own `RateLimits` over it.
 */
import { randomInt } from 'node:crypto';
import type { RateLimitSettings } from '../../config/rate-limits.js';
import { AddressWindows } from './address-windows.js';
import { Lock } from './lock.js';
import { LINE_BYTES, Memory } from './memory.js';
import { NumberedWindows } from './numbered-windows.js';
import { SlidingWindows } from './sliding-windows.js';

/** The capacity of the buffer. Unused parts take no memory. */
export interface LimitsCapacity {
  /**
   * Addresses remembered at a time. When the table is full and none has been idle for a minute, further addresses are
   * refused.
   */
  readonly addresses: number;
  /** The highest number of a key or an account. */
  readonly numbers: number;
  /** Keys' windows, one for reads and one for writes, and accounts' that are remembered at a time, with the same bound. */
  readonly numberedWindows: number;
  /** Blocks of seven runs. Past it, requests leave their windows late. */
  readonly runBlocks: number;
}

/** Numbers go as far as the engine's table of keys. The blocks are enough for 29 million runs within a minute. */
export const LIMITS_CAPACITY: LimitsCapacity = {
  addresses: 65_536,
  numbers: 2 ** 24,
  numberedWindows: 2 ** 20,
  runBlocks: 2 ** 22,
};

/** Can be cloned to another thread; null for no limits. */
export type SharedLimits = {
  readonly settings: RateLimitSettings;
  readonly capacity: LimitsCapacity;
  readonly seed: number;
  readonly memory: SharedArrayBuffer;
} | null;

/** Makes what threads share. `settings` null: no limits, nothing is counted. */
export function shareLimits(
  settings: RateLimitSettings | null,
  capacity: LimitsCapacity = LIMITS_CAPACITY,
): SharedLimits {
  if (settings === null) return null;
  const memory = new SharedArrayBuffer(bytesFor(capacity));
  return { settings, capacity, seed: randomInt(2 ** 32), memory };
}

/** Windows of all four kinds. */
const windowsOf = ({ addresses, numberedWindows }: LimitsCapacity): number => addresses + 2 * numberedWindows;

function bytesFor(capacity: LimitsCapacity): number {
  const { addresses, numbers, runBlocks } = capacity;
  return (
    2 * LINE_BYTES +
    SlidingWindows.bytes(windowsOf(capacity), runBlocks) +
    AddressWindows.bytes(addresses) +
    NumberedWindows.bytes(2 * numbers + 1) +
    NumberedWindows.bytes(numbers)
  );
}

/** One thread's view of the buffer. All but `lock` is for the thread that holds the lock. */
export class LimitTables {
  readonly lock: Lock;
  readonly windows: SlidingWindows;
  readonly addresses: AddressWindows;
  /** By twice the key's number, one more for writes. */
  readonly keys: NumberedWindows;
  readonly accounts: NumberedWindows;
  readonly #lastMs: Float64Array;

  constructor({ capacity, seed, memory: buffer }: NonNullable<SharedLimits>) {
    const { addresses, numbers, numberedWindows, runBlocks } = capacity;
    const memory = new Memory(buffer);
    this.lock = new Lock(new Int32Array(buffer, memory.lines(1).byteOffset, 1));
    this.#lastMs = new Float64Array(buffer, memory.lines(1).byteOffset, 1);
    this.windows = new SlidingWindows(memory, windowsOf(capacity), runBlocks);
    let first = 1;
    this.addresses = new AddressWindows(memory, this.windows, first, addresses, seed);
    first += addresses;
    this.keys = new NumberedWindows(memory, this.windows, first, numberedWindows, 2 * numbers + 1);
    first += numberedWindows;
    this.accounts = new NumberedWindows(memory, this.windows, first, numberedWindows, numbers);
  }

  /** Open windows of all kinds: memory use grows with them. */
  get size(): number {
    return this.addresses.size + this.keys.size + this.accounts.size;
  }

  /**
   * Time never goes backwards in a window: a clock that does, or a late thread, stands still until it has caught up.
   */
  advance(nowMs: number): number {
    const lastMs = this.#lastMs[0] as number;
    if (nowMs <= lastMs) return lastMs;
    this.#lastMs[0] = nowMs;
    return nowMs;
  }
}
