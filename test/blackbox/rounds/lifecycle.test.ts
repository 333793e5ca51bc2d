/**
 * The life of a round through a real server (specification, section 3): UPCOMING, LIVE, LOCKED, SETTLING, SETTLED, and what
 * becomes of its bets. The rules of rounds are tested in the engine.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { SEED } from '../../support/api/spec.js';
import { cents } from '../../support/api/spec-arithmetic.js';

const MARKET = 'BTC_ONE_MINUTE';
const OPEN_PRICE = 67_000;
const MINUTE_MS = 60_000;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
});

test('a round locks, ends, gets its price and pays, and the next one takes its place', async () => {
  const { api } = trader;
  await sandbox.openRounds({ BTC: OPEN_PRICE });
  const { id } = must((await api.market(MARKET)).currentRound, 'round');
  const order = { marketId: MARKET, amount: 300 };
  const up = await api.place({ ...order, prediction: 'UP' });
  const down = await api.place({ ...order, prediction: 'DOWN' });
  const endMs = sandbox.boundaryMs + MINUTE_MS;
  const statuses = async (): Promise<readonly unknown[]> => {
    const active = await api.positions();
    return [
      (await api.round(id)).status,
      ...new Set(active.map(({ status, round }) => `${status} in ${round.status}`)),
    ];
  };
  assert.deepEqual(await statuses(), ['LIVE', 'ACTIVE in LIVE']);
  await sandbox.advanceTo(endMs - 5_000);
  assert.deepEqual(await statuses(), ['LOCKED', 'ACTIVE in LOCKED']);
  refused(await api.order({ ...order, prediction: 'UP' }), 400, 'round_not_live');
  await sandbox.advanceTo(endMs - 1);
  await sandbox.push({ BTC: OPEN_PRICE + 1 });
  await sandbox.advance(1);
  assert.deepEqual(await statuses(), ['SETTLING', 'SETTLING in SETTLING']);
  const next = must((await api.market(MARKET)).currentRound, 'next round');
  assert.deepEqual([next.status, next.openPrice, next.timeRemaining], ['UPCOMING', null, 60]);

  // The next round opens, and this one closes, when a tick after the boundary makes its price final.
  await sandbox.advance(1);
  await sandbox.push({ BTC: OPEN_PRICE + 6 });
  const opened = must((await api.market(MARKET)).currentRound, 'next round');
  assert.deepEqual([opened.id, opened.status, opened.openPrice], [next.id, 'LIVE', OPEN_PRICE + 1]);
  const round = await api.round(id);
  assert.deepEqual(
    [round.status, round.result, round.openPrice, round.closePrice, round.totalBets, round.totalPool],
    ['SETTLED', 'UP', OPEN_PRICE, OPEN_PRICE + 1, 2, 2 * SEED + 600],
  );
  const settled = new Map((await api.positions('?status=all')).map((position) => [position.id, position]));
  const [won, lost] = [settled.get(up.bet.id), settled.get(down.bet.id)];
  assert.deepEqual([won?.result, won?.payout], ['WIN', up.bet.potentialPayout]);
  assert.deepEqual([lost?.result, lost?.payout], ['LOSS', 0]);
  const balance = cents(down.newBalance) + cents(up.bet.potentialPayout);
  assert.equal(cents(await sandbox.balance(trader.accountId)), balance);
  await sandbox.checkConservation();
});

test('without a fresh price a round is voided, its bets are refunded, and no next one opens until there is one', async () => {
  const { api } = trader;
  await sandbox.openRounds({ BTC: OPEN_PRICE });
  const { id } = must((await api.market(MARKET)).currentRound, 'round');
  const { bet, newBalance } = await api.place({ marketId: MARKET, prediction: 'UP', amount: 5 });
  await sandbox.toOffset(MINUTE_MS + 2_000);
  const round = await api.round(id);
  assert.deepEqual([round.status, round.voided, 'result' in round], ['SETTLED', true, false]);
  assert.equal((await api.orders()).find((order) => order.id === bet.id)?.result, 'REFUNDED');
  assert.equal(await sandbox.balance(trader.accountId), newBalance + 5);
  assert.equal((await api.market(MARKET)).currentRound, null);
  await sandbox.advance(5_000);
  await sandbox.push({ BTC: OPEN_PRICE + 100 });
  assert.equal((await api.market(MARKET)).currentRound?.openPrice, OPEN_PRICE + 100);
  await sandbox.checkConservation();
});
