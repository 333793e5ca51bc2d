/**
 * An account has and shows 10,000 open bets, and the last 200 placed and settled. The 10,000 run through the engine
 * alone, because the reference model is too slow for them.
 */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../../engine/engine.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { BTC_1M, DAY_MS, rulesFor } from '../../support/reference/exchange.js';

const OPEN_BETS_MAX = 10_000;

test('an account has at most 10,000 open bets, and a settled one frees a place', () => {
  const engine = new Engine();
  const timeMs = DAY_MS;
  const from = { source: 'test', evidence: '' };
  engine.apply({ kind: 'configure', timeMs, rulesVersion: 1, rules: rulesFor([BTC_1M]) });
  engine.apply({ kind: 'depositHouse', timeMs, amountCents: 1_000_000_00, reference: 'capital' });
  engine.apply({ kind: 'createAccount', timeMs, name: null, tier: 2, balanceCents: 100_000_00 });
  engine.apply({ kind: 'openLate', timeMs, asset: 0, price: 100, priceTimeMs: timeMs, ...from });
  const place = (atMs: number, index: number): string => {
    const outcome = engine.apply(plainOrder({ timeMs: atMs, account: 1, market: BTC_1M, side: index % 2 }));
    return outcome.status === 'rejected' ? outcome.code : outcome.status;
  };
  for (let index = 0; index < OPEN_BETS_MAX; index++) equal(place(timeMs, index), 'accepted');
  equal(engine.account(1)?.openBets, OPEN_BETS_MAX);
  equal(place(timeMs, 0), 'too_many_open_bets');

  const endMs = timeMs + 60_000;
  engine.apply({ kind: 'advance', timeMs: endMs });
  const [asset, price] = [0, 101];
  engine.apply({
    kind: 'boundaryPrice',
    timeMs: endMs,
    asset,
    boundaryMs: endMs,
    price,
    priceTimeMs: endMs,
    ...from,
  });
  equal(place(endMs, 0), 'too_many_open_bets', 'resolved is not settled');
  engine.apply({ kind: 'settle', timeMs: endMs, betsMax: 1 });
  equal(place(endMs, 0), 'accepted');
  equal(place(endMs, 0), 'too_many_open_bets');
  equal(engine.openPositions(1, 20_000).length, OPEN_BETS_MAX);
});
