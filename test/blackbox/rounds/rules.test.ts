/** Rules that an operator configures (design, sections 2, 5 and 8), as clients see them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';

const OPEN = 67_000;
const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

const folder = mkdtempSync(join(tmpdir(), 'tote-rules-'));
const running: Sandbox[] = [];
after(async () => {
  for (const sandbox of running) await sandbox.remove();
  rmSync(folder, { recursive: true });
});

/** The environment that puts these rules in force. */
function rulesEnv(rules: object): Record<string, string> {
  const file = join(folder, `rules-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify(rules));
  return { TOTE_RULES_FILE: file };
}

async function started(env: Record<string, string>): Promise<Sandbox> {
  const sandbox = await Sandbox.start({ env });
  running.push(sandbox);
  return sandbox;
}

test('only active markets are listed; their limits hold, and new ones for rounds that open after them', async () => {
  const house = { policy: 'fixed', seedCents: 1 };
  const limits = { '*': { house }, BTC_ONE_MINUTE: { minStakeCents: 500, maxStakeCents: 20_000 } };
  const markets = ['BTC_ONE_MINUTE', 'BTC_ONE_DAY'];
  const before = await started(rulesEnv({ markets, limits }));
  await before.openRounds({ BTC: OPEN, ETH: 3_000 }, 'ONE_DAY');
  const { api, secret } = await before.trader();
  assert.deepEqual(
    (await api.markets()).map(({ id, currentRound }) => [id, currentRound?.status]),
    [
      ['BTC_ONE_MINUTE', 'LIVE'],
      ['BTC_ONE_DAY', 'LIVE'],
    ],
  );
  refused(await api.get('/markets/ETH_ONE_DAY'), 404, 'market_not_found');
  refused(await api.order({ ...ORDER, marketId: 'ETH_ONE_DAY' }), 404, 'market_not_found');
  const market = await api.market('BTC_ONE_MINUTE');
  assert.deepEqual([market.minBet, market.maxBet, market.poolUp, market.poolDown], [5, 200, 0.01, 0.01]);
  refused(await api.order({ ...ORDER, amount: 4.99 }), 400, 'stake_out_of_range');
  refused(await api.order({ ...ORDER, amount: 200.01 }), 400, 'stake_out_of_range');

  const sandbox = await before.restart('stop', rulesEnv({ limits: { '*': { house, minStakeCents: 200 } } }));
  running.push(sandbox);
  const later = sandbox.api(secret);
  assert.equal((await later.market('BTC_ONE_MINUTE')).minBet, 5, 'the open round keeps its rules');
  await sandbox.openRounds({ BTC: OPEN });
  assert.equal((await later.market('BTC_ONE_MINUTE')).minBet, 2);
  refused(await later.order({ ...ORDER, amount: 1.99 }), 400, 'stake_out_of_range');
});

test("the house's quotes follow the price at once, and the next bet gets what they show", async () => {
  const sandbox = await started({ TOTE_RULES_FILE: 'none' });
  await sandbox.openRounds({ BTC: OPEN }, 'FIVE_MINUTES');
  const { api } = await sandbox.trader({ tier: 'PLATINUM', balance: 100_000 });
  const order = { ...ORDER, marketId: 'BTC_FIVE_MINUTES' };
  assert.equal((await api.market(order.marketId)).percentUp, 50);
  await sandbox.push({ BTC: OPEN * 1.001 });
  const higher = await api.market(order.marketId);
  assert.ok(higher.percentUp > 60, `${higher.percentUp}`);
  assert.equal(higher.poolUp + higher.poolDown, 2_000, 'the seeds are split anew, no more');
  refused(await api.order({ ...order, expectedPercent: higher.percentUp - 15.01 }), 409, 'odds_changed');
  const { bet } = await api.place({ ...order, expectedPercent: higher.percentUp });
  assert.equal(bet.oddsAtBet, Math.floor(((higher.totalPool + 10) / (higher.poolUp + 10)) * 10_000) / 10_000);
  const round = await api.round(higher.currentRound?.id ?? '');
  assert.deepEqual(round.house, { policy: 'fair', seed: 1_000, shade: 0.6, clamp: 0.02 });
  assert.ok(round.fairPercentUp !== null && round.fairPercentUp > 60);
  await sandbox.advance(10_001);
  refused(await api.order(order), 503, 'stale_price');
  assert.equal((await api.market(order.marketId)).availableUp, 0);
});
