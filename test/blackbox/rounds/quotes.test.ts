/**
 * The house's quotes as clients see them, on a server with the default rules: pools that follow the price, bets at the odds
 * that were shown, and what cannot be won from them.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';

const MARKET = 'BTC_FIVE_MINUTES';
const OPEN = 67_000;
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 } as const;

let sandbox: Sandbox;
before(async () => {
  sandbox = await Sandbox.start({ env: { TOTE_RULES_FILE: 'none' } });
});
after(() => sandbox.remove());

/** A trader in rounds that have just opened. */
async function opened() {
  await sandbox.openRounds({ BTC: OPEN }, 'FIVE_MINUTES');
  const { api } = await sandbox.trader({ tier: 'PLATINUM', balance: 100_000 });
  return { api, market: () => api.market(MARKET) };
}

test('pools follow the price at once, and the next bet gets what they show', async () => {
  const { api, market } = await opened();
  assert.equal((await market()).percentUp, 50);
  await sandbox.push({ BTC: OPEN * 1.001 });
  const higher = await market();
  assert.ok(higher.percentUp > 60, `${higher.percentUp}`);
  assert.equal(higher.poolUp + higher.poolDown, 2_000, 'the seeds are split anew, no more');
  refused(await api.order({ ...ORDER, expectedPercent: higher.percentUp - 15.01 }), 409, 'odds_changed');
  const { bet } = await api.place({ ...ORDER, expectedPercent: higher.percentUp });
  const odds = Math.floor(((higher.totalPool + 10) / (higher.poolUp + 10)) * 10_000) / 10_000;
  assert.equal(bet.oddsAtBet, odds);

  await sandbox.push({ BTC: OPEN * 0.999 });
  const lower = await market();
  assert.ok(lower.percentUp < 40, `${lower.percentUp}`);
  assert.equal(Math.round((lower.poolUp + lower.poolDown) * 100), 2_010_00);
  const id = lower.currentRound?.id ?? '';
  const round = await api.round(id);
  assert.deepEqual(round.house, { policy: 'fair', seed: 1_000, shade: 0.6, clamp: 0.02 });
  assert.equal(round.poolUp, lower.poolUp);
  assert.ok(round.fairPercentUp !== null && round.fairPercentUp < 40);
});

test('an order is refused without a fresh price, and taken again with the next one', async () => {
  const { api, market } = await opened();
  await sandbox.advance(10_001);
  refused(await api.order(ORDER), 503, 'stale_price');
  assert.equal((await market()).availableUp, 0);
  await sandbox.push({ BTC: OPEN });
  await api.place(ORDER);
});

test('what is available is shown, and a refusal says it', async () => {
  const { api, market } = await opened();
  await api.place({ ...ORDER, amount: 10_000 });
  for (;;) {
    const { availableDown } = await market();
    const answer = await api.order({ ...ORDER, prediction: 'DOWN', amount: 300 });
    if (availableDown >= 300) {
      assert.equal(answer.status, 201);
      continue;
    }
    refused(answer, 400, 'round_exposure_limit');
    const said = /up to ([\d.]+) USD can be bet on DOWN now|nothing can be bet on DOWN now/.exec(answer.text);
    assert.equal(Number(said?.[1] ?? 0), availableDown);
    if (availableDown > 0) await api.place({ ...ORDER, prediction: 'DOWN', amount: availableDown });
    return;
  }
});

test('a late bettor on the side that leads does not take the seeds', async () => {
  const { api, market } = await opened();
  await sandbox.advance(240_000);
  await sandbox.push({ BTC: OPEN * 1.002 });
  const { percentUp, oddsUp } = await market();
  assert.equal(percentUp, 98, 'as sure as a share can be');
  assert.ok(oddsUp * 0.97 < 1, 'what is all but sure does not pay');
  const { bet } = await api.place({ ...ORDER, amount: 100 });
  assert.ok(bet.potentialPayout < 100);
});
