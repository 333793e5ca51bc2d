/**
 * Many bets: rows are allocated, freed and reused across the bounds of every table. Expected values are sums over the
 * events, because the reference model is too slow here.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../engine/engine.js';
import type { Command, PlaceOrder } from '../../engine/model/commands.js';
import type { EngineEvent } from '../../engine/model/events.js';
import { plainOrder } from '../support/engine/plain-order.js';
import { BTC_1M, DAY_MS, MINUTE_MS, rulesFor } from '../support/reference/exchange.js';
import { Rng } from '../support/reference/random/rng.js';

const ROUNDS = 14;
const BETS_A_ROUND = 15_000;
const ACCOUNTS = 40;
const BALANCE_CENTS = 1_000_000_00;
const TTL_MS = 10 * MINUTE_MS;
const HISTORY = 200;

/** The engine with what its events say of each account. */
class Books {
  readonly engine = new Engine();
  readonly balancesCents: number[] = Array.from({ length: ACCOUNTS + 1 }, () => BALANCE_CENTS);
  readonly placed: number[][] = Array.from({ length: ACCOUNTS + 1 }, () => []);
  readonly settled: number[][] = Array.from({ length: ACCOUNTS + 1 }, () => []);

  apply(command: Command): readonly EngineEvent[] {
    const outcome = this.engine.apply(command);
    if (outcome.status !== 'accepted') throw new Error(JSON.stringify([command, outcome]));
    for (const event of outcome.events) this.#read(event);
    return outcome.events;
  }

  #read(event: EngineEvent): void {
    if (event.type === 'betPlaced') {
      this.placed[event.account]?.push(event.bet);
      this.#move(event.account, -event.stakeCents, event.newBalanceCents);
    } else if (event.type === 'betSettled') {
      this.settled[event.account]?.push(event.bet);
      this.#move(event.account, event.payoutCents, event.newBalanceCents);
    }
  }

  #move(account: number, movedCents: number, newBalanceCents: number): void {
    this.balancesCents[account] = (this.balancesCents[account] ?? 0) + movedCents;
    equal(newBalanceCents, this.balancesCents[account]);
  }

  check(): void {
    const totals = this.engine.totals();
    const held = totals.houseCents + totals.accountsCents + totals.openStakesCents + totals.openSeedsCents;
    equal(held, totals.depositsCents - totals.withdrawalsCents);
    for (let account = 1; account <= ACCOUNTS; account++) {
      equal(this.engine.account(account)?.balanceCents, this.balancesCents[account]);
      const orders = this.engine.orders(account, HISTORY).map(({ bet }) => bet);
      deepEqual(orders, this.placed[account]?.slice(-HISTORY).reverse());
    }
  }
}

const order = (timeMs: number, index: number, account: number, rng: Rng): PlaceOrder =>
  plainOrder({
    timeMs,
    account,
    market: BTC_1M,
    side: index % 2,
    stakeCents: rng.integer(1_00, 9_00),
    idempotency: { keyHigh: 7, keyLow: index, body: index % 5 },
    clientSeed: index % 3 === 0 ? `seed ${index}` : null,
  });

test('hundreds of thousands of bets are placed, settled, dropped and replayed correctly', () => {
  const rng = new Rng(1);
  const books = new Books();
  let timeMs = DAY_MS;
  books.apply({ kind: 'configure', timeMs, rulesVersion: 1, rules: rulesFor([BTC_1M]) });
  books.apply({ kind: 'depositHouse', timeMs, amountCents: 1_000_000_00, reference: 'capital' });
  for (let account = 1; account <= ACCOUNTS; account++) {
    books.apply({ kind: 'createAccount', timeMs, name: null, tier: 2, balanceCents: BALANCE_CENTS });
  }
  const opening = { asset: 0, price: 100, priceTimeMs: timeMs, source: null, evidence: '' };
  books.apply({ kind: 'openLate', timeMs, ...opening });

  const sent: PlaceOrder[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let count = 0; count < BETS_A_ROUND; count++) {
      const atMs = timeMs + Math.floor((count * 30_000) / BETS_A_ROUND);
      const command = order(atMs, sent.length, rng.integer(1, ACCOUNTS), rng);
      sent.push(command);
      books.apply(command);
    }
    replaySome(books.engine, sent, rng);
    timeMs += MINUTE_MS;
    books.apply({ kind: 'advance', timeMs });
    const price = 100 + (rng.integer(-1, 1) + 2 * (round % 2)) / 100;
    const boundary = { asset: 0, boundaryMs: timeMs, price, priceTimeMs: timeMs, source: null, evidence: '' };
    books.apply({ kind: 'boundaryPrice', timeMs, ...boundary });
    // The last rounds' bets are settled while the next round's are placed over them.
    while (books.engine.settlementsWaiting && round % 3 !== 0) {
      books.apply({ kind: 'settle', timeMs, betsMax: rng.integer(1, 7_000) });
    }
    books.check();
  }
  equal(books.engine.betCount, ROUNDS * BETS_A_ROUND);
  while (books.engine.settlementsWaiting) books.apply({ kind: 'settle', timeMs, betsMax: 9_999 });
  books.check();
  for (let account = 1; account <= ACCOUNTS; account++) {
    const listed = books.engine.allPositions(account, HISTORY).map(({ bet }) => bet);
    deepEqual(listed, books.settled[account]?.slice(-HISTORY).reverse());
    equal(books.engine.account(account)?.openBets, 0);
  }
});

/** Of the orders that are younger than ten minutes each is replayed; an older one would be placed anew. */
function replaySome(engine: Engine, sent: readonly PlaceOrder[], rng: Rng): void {
  const { timeMs } = engine;
  for (let count = 0; count < 300; count++) {
    const original = rng.pick(sent);
    const again = { ...original, timeMs, key: 2 };
    if (timeMs - original.timeMs < TTL_MS) {
      const outcome = engine.apply(again);
      equal(outcome.status, 'replayed');
      if (outcome.status !== 'replayed' || outcome.event.type !== 'betPlaced') continue;
      const { event } = outcome;
      equal(event.timeMs, original.timeMs);
      deepEqual(
        [event.stakeCents, event.side, event.clientSeed],
        [original.stakeCents, original.side, original.clientSeed],
      );
    } else {
      // Refused for its stake only after the look-up: nothing was remembered.
      const outcome = engine.apply({ ...again, stakeCents: 1 });
      equal(outcome.status === 'rejected' && outcome.code, 'stake_out_of_range');
    }
  }
}
