/**
 * Pages of an account's bets, followed to the end, have each bet that stayed in memory once, whatever was placed and
 * settled in between.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../../engine/engine.js';
import type { BetsPage, BetsPlace, BetsQuery } from '../../../engine/model/bet-pages.js';
import type { BetView } from '../../../engine/model/views.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { everything } from '../../support/reference/compare.js';
import { BTC_1M, BTC_15M, Exchange, MINUTE_MS, rulesFor } from '../../support/reference/exchange.js';
import { Rng } from '../../support/reference/random/rng.js';
import type { ReferenceEngine } from '../../support/reference/reference-engine.js';

const WALKS = 30;
const HISTORY_MAX = 4;

const numbers = (bets: readonly BetView[]): number[] => bets.map(({ bet }) => bet);

class Market {
  readonly exchange = new Exchange({ markets: [BTC_1M, BTC_15M], rules: { historyBetsMax: HISTORY_MAX } });
  readonly account = this.exchange.account('VIP', 1_000_000_00);
  #minutes = 0;

  constructor(private readonly rng: Rng) {
    this.exchange.openLate(BTC_1M, 100);
  }

  get engine(): Engine {
    return this.exchange.pair.engine;
  }

  get model(): ReferenceEngine {
    return this.exchange.pair.reference;
  }

  place(): void {
    const side = this.rng.chance(0.5) ? 'UP' : 'DOWN';
    const market = this.rng.chance(0.5) ? BTC_1M : BTC_15M;
    this.exchange.placed({ account: this.account, market, side, stakeCents: 1_00 });
  }

  settle(): void {
    if (this.#minutes < 12) {
      this.#minutes += 1;
      this.exchange.ends(BTC_1M, this.#minutes * MINUTE_MS, 100 + this.rng.integer(-1, 1));
    }
    if (!this.engine.settlementsWaiting) return;
    const betsMax = this.rng.pick([1, 2, 100]);
    this.exchange.accepted({ kind: 'settle', timeMs: this.exchange.nowMs, betsMax });
  }

  act(times: number): void {
    for (let n = this.rng.integer(0, times); n > 0; n--) {
      if (this.rng.chance(0.7)) this.place();
      else this.settle();
    }
  }
}

interface FirstPage {
  readonly first: BetsPage;
  readonly query: BetsQuery;
}

/** Bets are placed and settled between the pages. */
function walks(begin: (market: Market, limit: number) => FirstPage): number[][] {
  return Array.from({ length: WALKS }, (_, seed) => {
    const rng = new Rng(seed);
    const market = new Market(rng);
    const { engine, model, account } = market;
    market.act(50);
    const before = numbers(model.betsPage(account, everything(1_000)).bets);
    const { first, query } = begin(market, rng.integer(1, 6));
    const listed = numbers(first.bets);
    for (let from = first.next; from !== null; ) {
      market.act(6);
      const page = engine.betsPage(account, { ...query, from });
      listed.push(...numbers(page.bets));
      from = page.next;
    }
    equal(new Set(listed).size, listed.length, `none twice: ${listed.join()}`);
    const after = numbers(model.betsPage(account, everything(1_000)).bets);
    const missing = before.filter((bet) => after.includes(bet) && !listed.includes(bet));
    const newer = listed.filter((bet) => !before.includes(bet));
    deepEqual([missing, newer], [[], []], 'none missing, nothing newer than the first page');
    return listed;
  });
}

test('pages by placement list each bet once, the newest first, while bets are placed and settled', () => {
  const all = walks(({ engine, model, account }, limit) => {
    const query = everything(limit);
    const first = engine.betsPage(account, query);
    deepEqual(numbers(first.bets), numbers(model.betsPage(account, query).bets));
    return { first, query };
  });
  const sorted = all.map((listed) => listed.toSorted((a, b) => b - a));
  deepEqual(all, sorted);
});

test('pages behind the one in the order of changes list the rest of what there was, each bet once', () => {
  walks(({ engine, model, account }, limit) => {
    const first = engine.changesPage(account, limit);
    deepEqual(numbers(first.bets), numbers(model.changesPage(account, limit).bets));
    return { first, query: { ...everything(limit), rest: first.rest } };
  });
});

test('a greater number of kept bets does not bring back those that a smaller one has made forgotten', () => {
  const rules = rulesFor([BTC_1M], { rules: { historyBetsMax: 2 } });
  const exchange = new Exchange({ markets: [BTC_1M], rules });
  const account = exchange.account('VIP', 10_000_00);
  const cancel = (bet: number) =>
    exchange.outcomeOf({ kind: 'cancelOrder', timeMs: exchange.nowMs, account, key: 1, bet });
  exchange.openLate(BTC_1M, 100);
  for (let count = 0; count < 3; count += 1) exchange.placed({ account, market: BTC_1M });
  exchange.ends(BTC_1M, MINUTE_MS, 101);
  exchange.accepted({ kind: 'settle', timeMs: exchange.nowMs, betsMax: 10 });
  exchange.configure({ ...rules, historyBetsMax: 3 });
  deepEqual([cancel(1), cancel(2)], ['order_not_found', 'order_not_pending']);
  exchange.configure({ ...rules, historyBetsMax: 1 });
  equal(cancel(2), 'order_not_pending', 'what is kept is forgotten with the next bet');
  exchange.passTo(MINUTE_MS + 1);
  for (let count = 0; count < 2; count += 1) exchange.placed({ account, market: BTC_1M });
  equal(cancel(2), 'order_not_pending', 'it is still among the settled ones');
  exchange.ends(BTC_1M, 2 * MINUTE_MS, 101);
  exchange.accepted({ kind: 'settle', timeMs: exchange.nowMs, betsMax: 10 });
  deepEqual(numbers(exchange.orders(account, 10)), [5]);
});

test('a page looks at a bounded number of bets, and says where to go on', () => {
  const exchange = new Exchange({ markets: [BTC_1M], rules: { historyBetsMax: HISTORY_MAX } });
  const account = exchange.account('VIP', 10_000_00);
  exchange.openLate(BTC_1M, 100);
  const { engine } = exchange.pair;
  // Straight into the engine: the reference model reads everything again after each command.
  const order = plainOrder({ timeMs: exchange.nowMs, account, market: BTC_1M });
  for (let n = 0; n < 3_000; n += 1) equal(engine.apply({ ...order, side: n % 2 }).status, 'accepted');
  const query = { ...everything(10), market: BTC_15M };
  let pages = 0;
  for (let from: BetsPlace | null = null; pages === 0 || from !== null; pages += 1) {
    const page: BetsPage = engine.betsPage(account, { ...query, from });
    deepEqual(page.bets, []);
    from = page.next;
  }
  ok(pages === 3, `${pages} pages`);
  const from = { beforeBet: 3, nearBet: 0, nearRow: 0 };
  const oldest = engine.betsPage(account, { ...everything(200), from });
  deepEqual([oldest.bets, oldest.next?.beforeBet], [[], 3], 'on the way to the second bet');
});
