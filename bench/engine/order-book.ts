/**
 * The npm package nodejs-order-book, the nearest thing in process that a user of Node would otherwise take: limit
 * orders into one book, from the same kind of loop as our orders.
 */
import { createRequire } from 'node:module';
import { assert } from '../../engine/base/assert.js';

const SLICE = 2_000;
const WARMUP_ORDERS = 40_000;
const LEVELS = 50;
/** Its tree of prices grows with every resting order. */
const RESTING_MAX = 300_000;

interface LimitOrder {
  readonly id: string;
  readonly side: 'buy' | 'sell';
  readonly size: number;
  readonly price: number;
}
/** The part of the package that is used. */
interface OrderBook {
  limit(order: LimitOrder): { readonly done: readonly unknown[]; readonly err: unknown };
}
interface OrderBookPackage {
  readonly OrderBook: new () => OrderBook;
}

/** Orders a second by the clock, and for each second of CPU time. */
export interface BookRate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

export interface OrderBookRates {
  /** Bids that rest, each at a price of its own: the package's own benchmark of limit orders. */
  readonly resting: BookRate;
  /** Bids that rest at 50 prices. */
  readonly queued: BookRate;
  /** Half of the orders rest at 50 prices, the other half take them: what a book does when it trades. */
  readonly matching: BookRate;
}

/** null where the package is not installed. */
export function orderBookRates(total: number): OrderBookRates | null {
  const found = findPackage();
  if (found === null) return null;
  const rate = (order: (index: number) => LimitOrder, count: number, doneMin: number): BookRate => {
    run(new found.OrderBook(), order, WARMUP_ORDERS, 0);
    const { tookMs, cpuUs } = run(new found.OrderBook(), order, count, doneMin);
    return { perSecond: (count * 1000) / tookMs, perCpuSecond: (count * 1e6) / cpuUs };
  };
  return {
    resting: rate(restingOrder, Math.min(total, RESTING_MAX), 0),
    queued: rate(queuedOrder, Math.min(total, RESTING_MAX), 0),
    matching: rate(matchingOrder, total, total / 4),
  };
}

function findPackage(): OrderBookPackage | null {
  try {
    const found: OrderBookPackage = createRequire(import.meta.url)('nodejs-order-book');
    return found;
  } catch {
    return null;
  }
}

/** What `total` orders take, at least `doneMin` of which must be filled. */
function run(
  book: OrderBook,
  order: (index: number) => LimitOrder,
  total: number,
  doneMin: number,
): { readonly tookMs: number; readonly cpuUs: number } {
  let tookMs = 0;
  let cpuUs = 0;
  let done = 0;
  for (let from = 0; from < total; from += SLICE) {
    const slice = Array.from({ length: SLICE }, (_, at) => order(from + at));
    const before = process.cpuUsage();
    const startedMs = performance.now();
    for (const request of slice) {
      const result = book.limit(request);
      if (result.err !== null && result.err !== undefined)
        throw new Error(`an order failed: ${String(result.err)}`);
      done += result.done.length;
    }
    tookMs += performance.now() - startedMs;
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
  }
  assert(done >= doneMin && done <= total, `orders were matched: ${done} of ${total}`);
  return { tookMs, cpuUs };
}

const restingOrder = (index: number): LimitOrder => ({
  id: String(index),
  side: 'buy',
  size: 50,
  price: index + 1,
});

const queuedOrder = (index: number): LimitOrder => ({ ...restingOrder(index), price: 1 + (index % LEVELS) });

function matchingOrder(index: number): LimitOrder {
  const isSell = index % 2 === 0;
  const level = (Math.imul(index, 7) >>> 1) % LEVELS;
  return {
    id: String(index),
    side: isSell ? 'sell' : 'buy',
    size: 1,
    price: isSell ? 100 + level : 100 + LEVELS,
  };
}
