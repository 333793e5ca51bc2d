/** The guarantee of an Idempotency-Key, and its duration. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { order } from '../../../bench/engine/scenario.js';
import { must } from '../../../engine/base/assert.js';
import type { IdempotencyDigest } from '../../../engine/model/commands.js';
import type { BetPlaced, OrderTerms } from '../../../engine/model/events.js';
import type { Rules } from '../../../engine/model/rules.js';
import { KeyIndex } from '../../../engine/state/key-index.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { engineOf, tablesOf } from '../../support/engine/snapshots.js';
import { BTC_15M, Exchange, rulesFor } from '../../support/reference/exchange.js';
import { newHasher } from '../../support/reference/pair.js';

const TTL_MS = 600_000;

const factsOf = ({ fairShareE6: _, ...facts }: BetPlaced): OrderTerms => facts;

test('a key is remembered for less than ten minutes to the millisecond', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00, { markets: [BTC_15M] });
  exchange.atMs = 1_234;
  const wish = { account, market: BTC_15M, key: 7 };
  const first = exchange.placed(wish);

  exchange.atMs = 1_234 + TTL_MS - 1;
  deepEqual(exchange.bet(wish), { status: 'replayed', seq: exchange.reads.seq, event: factsOf(first) });
  equal(exchange.betOutcome({ ...wish, body: 2 }), 'idempotency_key_reused');

  exchange.atMs = 1_234 + TTL_MS;
  const second = exchange.placed({ ...wish, body: 2 });
  deepEqual([second.bet, exchange.betOutcome({ ...wish, body: 2 })], [first.bet + 1, 'replayed']);
  equal(exchange.betOutcome(wish), 'idempotency_key_reused');
});

test('a key belongs to its account', () => {
  const exchange = Exchange.opened({ markets: [BTC_15M] });
  const ann = exchange.account('GOLD', 10_000_00);
  const bob = exchange.account('GOLD', 10_000_00);
  const wish = { account: ann, market: BTC_15M, key: 7 };
  equal(exchange.betOutcome(wish), 'accepted');
  equal(exchange.betOutcome({ ...wish, account: bob, body: 2 }), 'accepted');
  deepEqual([exchange.betOutcome(wish), exchange.balanceCents(ann)], ['replayed', 10_000_00 - 10_00]);
});

test('a refused order is not remembered', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_00, { markets: [BTC_15M] });
  const wish = { account, market: BTC_15M, key: 7, stakeCents: 20_00 };
  equal(exchange.betOutcome(wish), 'insufficient_balance');
  const timeMs = exchange.nowMs;
  exchange.accepted({ kind: 'deposit', timeMs, account, amountCents: 10_00, reference: 'more' });
  equal(exchange.betOutcome({ ...wish, body: 2 }), 'accepted');
});

test('a full memory refuses orders with new keys, and forgets none early', () => {
  const { exchange, account } = Exchange.withAccount('GOLD', 10_000_00, {
    markets: [BTC_15M],
    rules: { idempotencyEntriesMax: 2 },
  });
  const bet = (key?: number) => exchange.betOutcome({ account, market: BTC_15M, ...(key && { key }) });
  equal(bet(1), 'accepted');
  exchange.atMs = 1_000;
  deepEqual([bet(2), bet(3)], ['accepted', 'idempotency_full']);
  deepEqual([bet(1), bet(2)], ['replayed', 'replayed']);
  equal(bet(), 'accepted', 'an order without a key needs no memory');
  exchange.atMs = TTL_MS - 1;
  equal(bet(3), 'idempotency_full');
  exchange.atMs = TTL_MS;
  equal(bet(3), 'accepted');
  deepEqual([bet(2), bet(1)], ['replayed', 'idempotency_full']);
});

const place = (
  { engine }: Exchange['pair'],
  timeMs: number,
  digest: Partial<IdempotencyDigest>,
  index = 0,
) => {
  const idempotency = { keyHigh: 1, keyLow: 7, body: 1, ...digest };
  const terms = { timeMs, account: 1 + (index % 4), market: BTC_15M, side: index % 2, idempotency };
  const outcome = engine.apply(plainOrder(terms));
  return outcome.status === 'rejected' ? outcome.code : outcome.status;
};

test('keys and bodies are told apart by each of their bits', () => {
  const { exchange } = Exchange.withAccount('GOLD', 1_000_000_00, { markets: [BTC_15M] });
  for (const digest of [
    {},
    { keyHigh: 2 },
    { keyHigh: 1 + 2 ** 47 },
    { keyLow: 7 + 2 ** 42 },
    { keyLow: 7 + 2 ** 41 },
  ]) {
    equal(place(exchange.pair, exchange.nowMs, digest), 'accepted');
    for (const body of [2, 1 + 2 ** 31, 1 + 2 ** 47])
      equal(place(exchange.pair, exchange.nowMs, { ...digest, body }), 'idempotency_key_reused');
  }
});

test('a refused order drops no entries, however many have expired; an accepted one drops no younger ones', () => {
  const exchange = Exchange.opened({ markets: [BTC_15M] });
  for (let account = 0; account < 4; account++) exchange.account('GOLD', 1_000_000_00);
  const timeMs = exchange.nowMs;
  // Straight into the engine: the reference model reads everything again after each command.
  const { engine } = exchange.pair;
  const at = (atMs: number, index: number): string =>
    place(exchange.pair, atMs, { ...order(index, 1).idempotency }, index);
  const old = 20_000;
  const [entries, all] = [36_000, 56_000];
  for (let index = 0; index < entries; index++)
    equal(at(timeMs + (index < old ? 0 : 1_000), index), 'accepted');
  equal(at(timeMs + 1_000, 0), 'replayed');
  const configure = (atMs: number, changed: Partial<Rules>) => {
    const rules = rulesFor([BTC_15M], { rules: changed });
    engine.apply({ kind: 'configure', timeMs: atMs, rulesVersion: 1, rules });
  };
  configure(timeMs + 1_000, { idempotencyEntriesMax: entries - old });
  const digest = engine.stateDigest(newHasher);
  deepEqual([at(timeMs + TTL_MS, entries), engine.stateDigest(newHasher)], ['idempotency_full', digest]);

  configure(timeMs + TTL_MS, { openBetsMax: entries });
  // The first drops entries, the second finds the place of one of them.
  for (const index of [entries, 0]) equal(at(timeMs + TTL_MS, index), 'accepted');
  for (let index = entries + 1; index < all; index++) equal(at(timeMs + TTL_MS, index), 'accepted');
  for (let index = old; index < all; index += 7) equal(at(timeMs + TTL_MS, index), 'replayed');
  equal(at(timeMs + TTL_MS, old - 1), 'accepted');
  equal(engineOf(tablesOf(engine)).stateDigest(newHasher), engine.stateDigest(newHasher));
});

test('the index gives up the places of entries that were dropped', () => {
  const index = new KeyIndex();
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 0; number < 250_000; number++)
    index.add(must(order(number, 1).idempotency, 'digest').keyLow, number, Math.max(0, number - 10_000));
  ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});
