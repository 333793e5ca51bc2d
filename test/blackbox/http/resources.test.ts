/**
 * Every field of every resource (specification, section 2): the tables of `spec.ts` are held against each answer
 * by the client; here are the values that the fields must have in each state of a round.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { BASES } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import {
  ASSETS,
  CUTOFF_MS,
  FRAMES,
  type Market,
  type Round,
  SEED,
  TIME_FRAMES,
} from '../../support/api/spec.js';
import { checkBetArithmetic } from '../../support/api/spec-arithmetic.js';

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const roundOf = (market: Market): Round => must(market.currentRound, `round of ${market.id}`);
const iso = (timeMs: number): string => new Date(timeMs).toISOString();

test('before the first price all markets are listed, without rounds or prices', async () => {
  const markets = await trader.api.markets();
  const expected = ASSETS.flatMap((crypto) => TIME_FRAMES.map((timeFrame) => `${crypto}_${timeFrame}`));
  assert.deepEqual(markets.map(({ id }) => id).sort(), expected.sort());
  for (const market of markets) {
    assert.equal(market.id, `${market.crypto}_${market.timeFrame}`);
    assert.equal(market.currentRound, null);
    assert.deepEqual([market.minBet, market.maxBet], [1, 10_000]);
    assert.ok(market.oddsUp > 0 && market.oddsDown > 0, 'odds are finite even without pools');
  }
  assert.deepEqual(await trader.api.prices(), []);
});

test('a round that begins on a boundary has the specified times, open price and seeds', async () => {
  // Early in the day, so that the long rounds, which open late, still take bets.
  await sandbox.toBoundary('ONE_DAY');
  await sandbox.openRounds({ BTC: 67_123.45 }, 'FIVE_MINUTES');
  const markets = await trader.api.markets();
  for (const market of markets) {
    if (market.crypto !== 'BTC') {
      assert.equal(market.currentRound, null, market.id);
      continue;
    }
    const { lengthMs, lockLeadMs } = must(FRAMES[market.timeFrame], market.timeFrame);
    const roundNumber = Math.floor(sandbox.nowMs / lengthMs);
    const endMs = (roundNumber + 1) * lengthMs;
    assert.deepEqual(market.currentRound, {
      id: `${market.id}_${roundNumber}`,
      roundNumber,
      startTime: iso(sandbox.boundaryMs),
      lockTime: iso(endMs - lockLeadMs),
      endTime: iso(endMs),
      bettingClosesAt: iso(endMs - lockLeadMs - CUTOFF_MS),
      timeRemaining: Math.floor((endMs - sandbox.nowMs) / 1_000),
      timeToLock: endMs - lockLeadMs - sandbox.nowMs,
      timeToBettingClose: endMs - lockLeadMs - CUTOFF_MS - sandbox.nowMs,
      openPrice: 67_123.45,
      currentPrice: 67_123.45,
      status: 'LIVE',
      totalBets: 0,
      totalVolume: 0,
    });
    assert.deepEqual([market.poolUp, market.poolDown, market.totalPool], [SEED, SEED, 2 * SEED]);
    assert.deepEqual([market.oddsUp, market.oddsDown], [2, 2]);
    assert.deepEqual([market.percentUp, market.percentDown], [50, 50]);
  }
});

test('a price is the open price of the latest round, with its time', async () => {
  await sandbox.advance(7_000);
  await sandbox.push({ BTC: 67_200 });
  const expected = [
    { crypto: 'BTC', price: 67_123.45, source: 'round_open', timestamp: iso(sandbox.boundaryMs) },
  ];
  assert.deepEqual(await trader.api.prices(), expected, 'a tick alone changes no open price');
  const round = roundOf(await trader.api.market('BTC_ONE_MINUTE'));
  assert.deepEqual([round.openPrice, round.currentPrice], [67_123.45, 67_200]);
});

test('an element of the list equals the market shown alone, at both base paths', async () => {
  const list = await trader.api.markets();
  for (const base of BASES) {
    const api = trader.api.at(base);
    assert.deepEqual(await api.markets(), list);
    assert.deepEqual(await api.prices(), await trader.api.prices());
    for (const id of ['BTC_ONE_MINUTE', 'BTC_ONE_DAY', 'EURUSD_FOUR_HOURS']) {
      assert.deepEqual(
        await api.market(id),
        list.find((market) => market.id === id),
      );
    }
  }
});

test('the answer to an order, the market and the position agree', async () => {
  const before = await trader.api.market('BTC_FIVE_MINUTES');
  const { bet, newBalance, limitOrdersFilled } = await trader.api.place({
    marketId: 'BTC_FIVE_MINUTES',
    prediction: 'UP',
    amount: 250.5,
    expectedPercent: 50,
    clientSeed: 'a seed',
  });
  const { betHash, ...facts } = bet;
  // 2,250.50 / 1,250.50 = 1.79968... and 250.50 * 1.7996 * 0.97 = 437.275...
  assert.deepEqual(facts, {
    id: facts.id,
    marketId: 'BTC_FIVE_MINUTES',
    prediction: 'UP',
    amount: 250.5,
    oddsAtBet: 1.7996,
    entryPercent: 55.57,
    potentialPayout: 437.27,
    status: 'ACTIVE',
    placedAt: iso(sandbox.nowMs),
  });
  assert.match(betHash, /^[0-9a-f]{64}$/);
  assert.equal(newBalance, 9_749.5);
  assert.equal(limitOrdersFilled, null);
  checkBetArithmetic(bet, before);

  const market = await trader.api.market('BTC_FIVE_MINUTES');
  assert.deepEqual(
    [market.poolUp, market.poolDown],
    [SEED + 250.5, SEED],
    'the pools include stakes and seeds',
  );
  const round = roundOf(market);
  assert.deepEqual([round.totalBets, round.totalVolume], [1, 250.5], 'bets alone, without the seeds');

  const [position, ...others] = await trader.api.positions();
  assert.equal(others.length, 0);
  assert.deepEqual(position, {
    id: facts.id,
    marketId: 'BTC_FIVE_MINUTES',
    crypto: 'BTC',
    timeFrame: 'FIVE_MINUTES',
    prediction: 'UP',
    amount: 250.5,
    oddsAtBet: 1.7996,
    potentialPayout: 437.27,
    status: 'ACTIVE',
    result: null,
    payout: null,
    profit: null,
    isLimitOrder: false,
    placedAt: iso(sandbox.nowMs),
    settledAt: null,
    entryPercent: 55.57,
    betHash,
    round: { id: round.id, roundNumber: round.roundNumber, status: 'LIVE', endTime: round.endTime },
  });
  assert.deepEqual(await trader.api.orders(), [position]);
  assert.deepEqual(await trader.api.at('/api/v1').positions(), [position]);
});

test('on a manual clock every bet shows at once, however little the clock moves', async () => {
  for (const milliseconds of [0, 1, 0, 49]) {
    const before = await trader.api.market('BTC_ONE_DAY');
    await trader.api.markets();
    await sandbox.advance(milliseconds);
    await trader.api.market('BTC_ONE_DAY');
    await trader.api.place({ marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 });
    const after = await trader.api.market('BTC_ONE_DAY');
    assert.equal(after.poolUp, before.poolUp + 1);
    const listed = (await trader.api.markets()).find(({ id }) => id === after.id);
    assert.deepEqual(listed, after);
  }
});

test('timeToBettingClose, timeToLock and timeRemaining count down to 0 and stop there', async () => {
  const first = roundOf(await trader.api.market('BTC_FIVE_MINUTES'));
  const endMs = Date.parse(first.endTime);
  const lockMs = Date.parse(first.lockTime);
  assert.equal(Date.parse(first.bettingClosesAt), lockMs - CUTOFF_MS);
  const steps = [
    lockMs - CUTOFF_MS - 1,
    lockMs - CUTOFF_MS,
    lockMs - 1,
    lockMs,
    endMs - 1_000,
    endMs - 999,
    endMs - 1,
  ];
  for (const atMs of steps) {
    await sandbox.advanceTo(atMs);
    const round = roundOf(await trader.api.market('BTC_FIVE_MINUTES'));
    assert.equal(round.timeToLock, Math.max(0, lockMs - atMs));
    assert.equal(round.timeToBettingClose, Math.max(0, lockMs - CUTOFF_MS - atMs));
    assert.equal(round.timeRemaining, Math.floor((endMs - atMs) / 1_000));
    assert.equal(round.status, atMs < lockMs ? 'LIVE' : 'LOCKED');
  }
});

test('GET /rounds/{id} shows the round of the market, with the commitment to its seed', async () => {
  const market = await trader.api.market('BTC_FIVE_MINUTES');
  const round = roundOf(market);
  const detail = await trader.api.round(round.id);
  const { seedCommitment, root, ...rest } = detail;
  assert.match(seedCommitment, /^[0-9a-f]{64}$/);
  // It is locked, with one bet.
  assert.equal(root?.treeSize, 1);
  assert.deepEqual(rest, {
    ...round,
    marketId: market.id,
    crypto: 'BTC',
    timeFrame: 'FIVE_MINUTES',
    poolUp: market.poolUp,
    poolDown: market.poolDown,
    totalPool: market.totalPool,
    fairPercentUp: null,
    house: { policy: 'fixed', seed: 1_000, shade: 0, clamp: 0 },
    closePrice: null,
    resolvedAt: null,
    voided: false,
    seed: null,
  });
  assert.deepEqual(await trader.api.at('/api/v1').round(round.id), detail);
});
