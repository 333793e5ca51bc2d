/** The players of a run, and the server's acknowledgements. */
import { must } from '../../engine/base/assert.js';
import type { SuiteOptions } from '../report/section.js';
import { Acknowledged, type Audited, CountedOrders } from '../tote/audit.js';
import { type MarketState, makeBettors, marketsForRun, openMarkets } from '../tote/bettors.js';
import type { ToteServer } from '../tote/server.js';
import { captureAnswer, type WireAnswer } from './answer.js';
import { type Answered, type Target, toteTarget } from './runs.js';
import { ordersOnly, type Workload } from './workload.js';

export const ORDERS = 'POST /v1/orders';
const BETTORS = 1_000;
const QUICK_BETTORS = 200;
/** Rounds of minutes close before a busy machine has placed its orders. */
const BETTING_MS_MIN = 15 * 60_000;

/** A quick run places few orders. */
export const bettorsOf = ({ quick }: Pick<SuiteOptions, 'quick'>): number =>
  quick ? QUICK_BETTORS : BETTORS;

export interface Book extends Audited {
  readonly markets: readonly MarketState[];
  readonly orders: Workload;
  readonly sample: WireAnswer;
}

/**
 * Bettors with a key each, and markets that take bets for at least `neededMs`. The 10,000 open bets of an account limit
 * the length of a run: the usual number of bettors has room for 10 million.
 */
export async function openBook(server: ToteServer, neededMs: number, count = BETTORS): Promise<Book> {
  const bettors = await makeBettors(server, count);
  const first = must(bettors[0], 'bettor');
  await openMarkets(server, first.apiKey);
  const markets = await marketsForRun(server, first.apiKey, Math.max(neededMs, BETTING_MS_MIN));
  const orders = ordersOnly({ bettors, markets });
  const acknowledged = new Acknowledged();
  const template = must(orders.templates[0], 'template');
  const sample = await captureAnswer(server.port, template.text);
  if (sample.status !== 201) throw new Error(`the first order was answered ${sample.status}: ${sample.body}`);
  acknowledged.addOne(first, template.stakeCents);
  return { bettors, markets, orders, sample, acknowledged };
}

/** For clients that tell no more of the orders than their number. */
export function countedTarget(name: string, server: ToteServer, book: Book) {
  const counted = new CountedOrders();
  const onAnswered = (answered: Answered): void => counted.addRun(answered);
  const target: Target = { ...toteTarget(name, server, book.orders, book), onAnswered };
  return { target, counted };
}
