/**
 * Whole lives of rounds (specification, section 3; design, section 4): UPCOMING, LIVE, LOCKED, SETTLING, SETTLED with
 * every result, and what becomes of the bets.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { type Bet, type Position, SEED } from '../../support/api/spec.js';
import { cents } from '../../support/api/spec-arithmetic.js';

const MARKET = 'BTC_ONE_MINUTE';
const OPEN_PRICE = 67_000;
const MINUTE_MS = 60_000;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.start();
  trader = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
});
after(() => sandbox.remove());

interface OpenBets {
  readonly roundId: string;
  readonly up: Bet;
  readonly down: Bet;
  readonly balance: number;
  readonly house: bigint;
}

/** What the house has, its seeds in open rounds included. */
async function houseMoney(): Promise<bigint> {
  const { balance, openSeeds } = await sandbox.house();
  return cents(balance) + cents(openSeeds);
}

/** A fresh one-minute round at `OPEN_PRICE` with a bet on either side. */
async function betBothWays(): Promise<OpenBets> {
  await sandbox.openRounds({ BTC: OPEN_PRICE });
  const { currentRound } = await trader.api.market(MARKET);
  const house = await houseMoney();
  const order = { marketId: MARKET, amount: 300 };
  const up = await trader.api.place({ ...order, prediction: 'UP' });
  const down = await trader.api.place({ ...order, prediction: 'DOWN' });
  assert.equal(down.newBalance, up.newBalance - 300);
  const roundId = must(currentRound, 'round').id;
  return { roundId, up: up.bet, down: down.bet, balance: down.newBalance, house };
}

async function positionsById(): Promise<Map<string, Position>> {
  return new Map((await trader.api.positions('?status=all')).map((position) => [position.id, position]));
}

/** The bet is settled with this result and payout, now. */
function settledAs(position: Position | undefined, bet: Bet, result: string, payout: number): void {
  const settled = must(position, `position ${bet.id}`);
  assert.deepEqual(
    {
      status: settled.status,
      result: settled.result,
      payout: settled.payout,
      profit: settled.profit,
      round: settled.round.status,
      oddsAtBet: settled.oddsAtBet,
      potentialPayout: settled.potentialPayout,
    },
    {
      status: 'SETTLED',
      result,
      payout,
      profit: Number(cents(payout) - cents(bet.amount)) / 100,
      round: 'SETTLED',
      oddsAtBet: bet.oddsAtBet,
      potentialPayout: bet.potentialPayout,
    },
  );
  assert.ok(Date.parse(must(settled.settledAt, 'settledAt')) <= sandbox.nowMs);
}

/** The account has what was paid, the house has gained what was not. */
async function checkMoney(bets: OpenBets, paid: number): Promise<void> {
  assert.equal(cents(await sandbox.balance(trader.accountId)), cents(bets.balance) + cents(paid));
  assert.equal(await houseMoney(), bets.house + cents(600) - cents(paid));
  await sandbox.checkConservation();
}

const MOVES = [
  { closePrice: 67_000.01, result: 'UP', up: 'WIN', down: 'LOSS' },
  { closePrice: 66_999.99, result: 'DOWN', up: 'LOSS', down: 'WIN' },
  { closePrice: OPEN_PRICE, result: 'DRAW', up: 'DRAW', down: 'DRAW' },
] as const;

for (const { closePrice, result, up, down } of MOVES) {
  test(`${result}: LIVE, LOCKED, SETTLING, SETTLED, and the next round in its place`, async () => {
    const bets = await betBothWays();
    const endMs = sandbox.boundaryMs + MINUTE_MS;
    const statuses = async (): Promise<readonly unknown[]> => {
      const active = await trader.api.positions();
      return [
        (await trader.api.round(bets.roundId)).status,
        ...new Set(active.map(({ status, round }) => `${status} in ${round.status}`)),
      ];
    };
    assert.deepEqual(await statuses(), ['LIVE', 'ACTIVE in LIVE']);
    await sandbox.advanceTo(endMs - 5_000);
    assert.deepEqual(await statuses(), ['LOCKED', 'ACTIVE in LOCKED']);
    await sandbox.advanceTo(endMs - 1);
    await sandbox.push({ BTC: closePrice });
    assert.deepEqual(await statuses(), ['LOCKED', 'ACTIVE in LOCKED']);

    await sandbox.advance(1);
    assert.deepEqual(await statuses(), ['SETTLING', 'SETTLING in SETTLING']);
    const next = must((await trader.api.market(MARKET)).currentRound, 'next round');
    assert.deepEqual([next.status, next.openPrice, next.timeRemaining], ['UPCOMING', null, 60]);
    assert.equal(Date.parse(next.startTime), endMs);

    // The next round opens, and this one closes, when a tick after the boundary makes its price final.
    await sandbox.advance(1);
    await sandbox.push({ BTC: closePrice + 5 });
    const opened = must((await trader.api.market(MARKET)).currentRound, 'next round');
    assert.deepEqual([opened.id, opened.status, opened.openPrice], [next.id, 'LIVE', closePrice]);
    assert.equal(opened.currentPrice, closePrice + 5);
    assert.deepEqual(await statuses(), ['SETTLED']);
    const round = await trader.api.round(bets.roundId);
    assert.deepEqual(
      [round.result, round.openPrice, round.closePrice, round.voided, round.timeRemaining, round.timeToLock],
      [result, OPEN_PRICE, closePrice, false, 0, 0],
    );
    assert.equal(round.resolvedAt, new Date(endMs + 1).toISOString());
    assert.deepEqual([round.totalBets, round.totalVolume, round.totalPool], [2, 600, 2 * SEED + 600]);

    const payouts = { WIN: (bet: Bet) => bet.potentialPayout, LOSS: () => 0, DRAW: (bet: Bet) => bet.amount };
    const paidUp = payouts[up](bets.up);
    const paidDown = payouts[down](bets.down);
    const positions = await positionsById();
    settledAs(positions.get(bets.up.id), bets.up, up, paidUp);
    settledAs(positions.get(bets.down.id), bets.down, down, paidDown);
    await checkMoney(bets, paidUp + paidDown);
  });
}

test('without a tick after the boundary the price is final after 2 s of grace', async () => {
  const bets = await betBothWays();
  await sandbox.toOffset(MINUTE_MS - 3_000);
  await sandbox.push({ BTC: 67_010 });
  await sandbox.advance(3_000 + 1_999);
  assert.equal((await trader.api.round(bets.roundId)).status, 'SETTLING');
  await sandbox.advance(1);
  assert.equal((await trader.api.round(bets.roundId)).result, 'UP');
});

test('the price is the latest tick at or before the boundary, the last to arrive among equals', async () => {
  const bets = await betBothWays();
  const endMs = sandbox.boundaryMs + MINUTE_MS;
  const tick = async (price: number, atMs: number): Promise<void> => {
    const timestamp = new Date(atMs).toISOString();
    const pushed = await sandbox.operator.post('/prices', [{ crypto: 'BTC', price, timestamp }]);
    assert.equal(pushed.status, 200, pushed.text);
  };
  await sandbox.advanceTo(endMs);
  await tick(67_500, endMs - 10);
  await tick(67_400, endMs - 500);
  await tick(66_000, endMs);
  await tick(66_500, endMs);
  await tick(67_600, endMs - 1);
  await sandbox.advance(5);
  await tick(68_000, endMs + 1);
  await tick(67_900, endMs);
  const round = await trader.api.round(bets.roundId);
  assert.deepEqual([round.closePrice, round.result], [66_500, 'DOWN'], 'and it is never revised');
});

test('VOID by a stale price: 10 s old is fresh, a millisecond more refunds all bets', async () => {
  const fresh = await betBothWays();
  await sandbox.toOffset(MINUTE_MS - 10_000);
  await sandbox.push({ BTC: 67_001 });
  await sandbox.advance(12_000);
  assert.equal((await trader.api.round(fresh.roundId)).result, 'UP', 'exactly 10 s');

  const stale = await betBothWays();
  await sandbox.toOffset(MINUTE_MS - 10_001);
  await sandbox.push({ BTC: 67_002 });
  await sandbox.advance(12_001);
  const round = await trader.api.round(stale.roundId);
  assert.deepEqual([round.status, round.voided, round.closePrice], ['SETTLED', true, null]);
  assert.ok(!('result' in round), 'a voided round has no result');
  assert.equal((await trader.api.market(MARKET)).currentRound, null, 'and no next one opens');
  const positions = await positionsById();
  settledAs(positions.get(stale.up.id), stale.up, 'REFUNDED', 300);
  settledAs(positions.get(stale.down.id), stale.down, 'REFUNDED', 300);
  await checkMoney(stale, 600);
  refused(await trader.api.order({ marketId: MARKET, prediction: 'UP', amount: 1 }), 400, 'round_not_live');
});

for (const phase of ['LIVE', 'LOCKED', 'SETTLING']) {
  test(`VOID by an operator while ${phase}`, async () => {
    const bets = await betBothWays();
    await sandbox.toOffset({ LIVE: 1_000, LOCKED: 56_000, SETTLING: MINUTE_MS }[phase] ?? 0);
    assert.equal((await trader.api.round(bets.roundId)).status, phase);
    const voiding = () => sandbox.operator.post(`/rounds/${bets.roundId}/void`, { reason: 'a test' });
    assert.equal((await voiding()).status, 200);
    const round = await trader.api.round(bets.roundId);
    assert.deepEqual([round.status, round.voided, 'result' in round], ['SETTLED', true, false]);
    const positions = await positionsById();
    settledAs(positions.get(bets.up.id), bets.up, 'REFUNDED', 300);
    settledAs(positions.get(bets.down.id), bets.down, 'REFUNDED', 300);
    await checkMoney(bets, 600);
    refused(await voiding(), 409, 'round_already_resolved');
    if (phase !== 'SETTLING') assert.equal((await trader.api.market(MARKET)).currentRound, null);
    // The window is used up; the next one has its round.
    await sandbox.push({ BTC: OPEN_PRICE });
    if (phase !== 'SETTLING') assert.equal((await trader.api.market(MARKET)).currentRound, null);
    await sandbox.openRounds({ BTC: OPEN_PRICE });
    assert.equal((await trader.api.market(MARKET)).currentRound?.status, 'LIVE');
  });
}

test('a round without bets returns the seeds to the house', async () => {
  await sandbox.openRounds({ BTC: OPEN_PRICE });
  const { openSeeds } = await sandbox.house();
  await sandbox.closeMinute({ BTC: OPEN_PRICE + 1 });
  const after = await sandbox.house();
  assert.equal(after.openSeeds, openSeeds, 'one round gave its seeds back, the next one took them');
  await sandbox.checkConservation();
});

test('round numbers count windows, and ids are never reused', async () => {
  const seen = new Set<string>();
  for (let n = 0; n < 4; n++) {
    await sandbox.openRounds({ BTC: OPEN_PRICE });
    const round = must((await trader.api.market(MARKET)).currentRound, 'round');
    assert.equal(round.roundNumber, Math.floor(sandbox.nowMs / MINUTE_MS));
    assert.equal(round.id, `${MARKET}_${round.roundNumber}`);
    assert.ok(!seen.has(round.id));
    seen.add(round.id);
  }
});

test('unknown rounds are 404', async () => {
  for (const id of [
    `${MARKET}_1`,
    `${MARKET}_99999999`,
    `${MARKET}_`,
    MARKET,
    'BTC',
    'x',
    '%41',
    `${MARKET}_-1`,
  ]) {
    refused(await trader.api.get(`/rounds/${id}`), 404, 'round_not_found');
  }
});
