/**
 * The shared part of the rate limits: one buffer with every window, and the facts needed to read it. One thread creates
 * it (`shareLimits`) and passes it to the others; each then has its own `RateLimits` over it.
 */
import { randomInt } from 'node:crypto';
import type { RateLimitSettings } from '../../config/rate-limits.js';
import { LINE_BYTES, Lock, Memory } from './shared-memory.js';
import { SlidingWindows } from './sliding-windows.js';
import { WindowTable } from './window-table.js';

/** Unused parts of the buffer take no memory. */
export const LIMITS_CAPACITY = {
  /** When the table is full and no address in it has been idle for a minute, further ones are refused. */
  addresses: 65_536,
  /** Windows of keys (one each for reads, writes and cancellations), and those of accounts, with the same bound. */
  keys: 2 ** 20,
  /**
   * Blocks of fifteen requests, enough for 62 million in the windows of a minute. Without room, requests are refused until
   * others have left their windows.
   */
  blocks: 2 ** 22,
};
export type LimitsCapacity = Readonly<typeof LIMITS_CAPACITY>;

/** Can be cloned to another thread; null for no limits. */
export type SharedLimits = Readonly<ReturnType<typeof shareLimits>>;

/** `settings` null: no limits, nothing is counted. */
export function shareLimits(settings: RateLimitSettings | null, capacity: LimitsCapacity = LIMITS_CAPACITY) {
  if (settings === null) return null;
  const memory = new SharedArrayBuffer(bytesFor(capacity));
  return { settings, capacity, seed: randomInt(2 ** 32), memory };
}

const windowsOf = ({ addresses, keys }: LimitsCapacity): number => addresses + 2 * keys;

function bytesFor(capacity: LimitsCapacity): number {
  const { addresses, keys, blocks } = capacity;
  const windows = SlidingWindows.bytes(windowsOf(capacity), blocks);
  return 2 * LINE_BYTES + windows + WindowTable.bytes(addresses) + 2 * WindowTable.bytes(keys);
}

/** One thread's view of the buffer. All but `lock` is for the thread that holds the lock. */
export class LimitTables {
  readonly lock: Lock;
  readonly windows: SlidingWindows;
  readonly addresses: WindowTable;
  readonly keys: WindowTable;
  readonly accounts: WindowTable;
  readonly #lastMs: Float64Array;

  constructor({ capacity, seed, memory: buffer }: NonNullable<SharedLimits>) {
    const { addresses, keys, blocks } = capacity;
    const memory = new Memory(buffer);
    this.lock = new Lock(new Int32Array(buffer, memory.lines(1).byteOffset, 1));
    this.#lastMs = new Float64Array(buffer, memory.lines(1).byteOffset, 1);
    this.windows = new SlidingWindows(memory, windowsOf(capacity), blocks);
    this.addresses = new WindowTable(memory, this.windows, 1, addresses, seed);
    this.keys = new WindowTable(memory, this.windows, 1 + addresses, keys, seed);
    this.accounts = new WindowTable(memory, this.windows, 1 + addresses + keys, keys, seed);
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
