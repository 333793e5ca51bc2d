/**
 * Rules that an operator configures (design, sections 2, 5 and 8), as clients see them: which markets there are, their
 * limits, a full memory of Idempotency-Keys, and a house that cannot pay its seeds.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { IDEMPOTENCY_MS, SEED } from '../../support/api/spec.js';

const folder = mkdtempSync(join(tmpdir(), 'tote-rules-'));
const running: Sandbox[] = [];
after(async () => {
  for (const sandbox of running) await sandbox.remove();
  rmSync(folder, { recursive: true });
});

/** The environment that puts these rules in force. */
function rulesEnv({
  limits = {},
  ...rules
}: {
  limits?: object;
  [name: string]: unknown;
}): Record<string, string> {
  const fixed = { house: { policy: 'fixed' } };
  const file = join(folder, `rules-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify({ ...rules, limits: { '*': fixed, ...limits } }));
  return { TOTE_RULES_FILE: file };
}

async function started(env: Record<string, string>): Promise<Sandbox> {
  const sandbox = await Sandbox.start({ env });
  running.push(sandbox);
  return sandbox;
}

const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

test('only active markets are listed; others are not found', async () => {
  const sandbox = await started(rulesEnv({ markets: ['BTC_ONE_MINUTE', 'ETH_ONE_DAY'] }));
  await sandbox.openRounds({ BTC: 67_000, ETH: 3_000 }, 'ONE_DAY');
  const { api } = await sandbox.trader();
  const markets = await api.markets();
  assert.deepEqual(
    markets.map(({ id, currentRound }) => [id, currentRound?.status]),
    [
      ['BTC_ONE_MINUTE', 'LIVE'],
      ['ETH_ONE_DAY', 'LIVE'],
    ],
  );
  refused(await api.get('/markets/BTC_ONE_DAY'), 404, 'market_not_found');
  refused(await api.order({ ...ORDER, marketId: 'BTC_ONE_DAY' }), 404, 'market_not_found');
  await api.place(ORDER);
});

test("a market's limits are shown and enforced; new ones apply to rounds that open after them", async () => {
  const limits = {
    BTC_ONE_MINUTE: { minStakeCents: 500, maxStakeCents: 20_000, house: { policy: 'fixed', seedCents: 1 } },
  };
  const before = await started(rulesEnv({ limits }));
  await before.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const { api, secret } = await before.trader();
  const market = await api.market('BTC_ONE_MINUTE');
  assert.deepEqual([market.minBet, market.maxBet, market.poolUp, market.poolDown], [5, 200, 0.01, 0.01]);
  refused(await api.order({ ...ORDER, amount: 4.99 }), 400, 'stake_out_of_range');
  refused(await api.order({ ...ORDER, amount: 200.01 }), 400, 'stake_out_of_range');

  const sandbox = await before.restart('stop', rulesEnv({ limits: { '*': { minStakeCents: 200 } } }));
  running.push(sandbox);
  const later = sandbox.api(secret);
  assert.equal((await later.market('BTC_ONE_MINUTE')).minBet, 5, 'the open round keeps its rules');
  refused(await later.order({ ...ORDER, amount: 4.99 }), 400, 'stake_out_of_range');
  assert.equal((await later.market('BTC_ONE_DAY')).minBet, 1);
  await sandbox.openRounds({ BTC: 67_000 });
  assert.equal((await later.market('BTC_ONE_MINUTE')).minBet, 2);
  refused(await later.order({ ...ORDER, amount: 1.99 }), 400, 'stake_out_of_range');
  assert.equal((await later.order({ ...ORDER, amount: 2 })).status, 201);
});

test('a full memory of Idempotency-Keys refuses new ones, and forgets none early', async () => {
  const sandbox = await started(rulesEnv({ idempotencyEntriesMax: 3 }));
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  const { api } = await sandbox.trader();
  const order = { ...ORDER, marketId: 'BTC_ONE_DAY' };
  const keyed = (key: string) => api.order(order, { 'Idempotency-Key': key });
  const first = await keyed('first');
  await keyed('second');
  await keyed('third');
  refused(await keyed('fourth'), 503, 'idempotency_full');
  assert.equal((await api.order(order)).status, 201, 'an order without a key needs no memory');
  assert.equal((await keyed('first')).text, first.text);
  await sandbox.advance(IDEMPOTENCY_MS);
  assert.equal((await keyed('fourth')).status, 201);
});

test('a round whose seeds the house cannot pay does not open, until it can', async () => {
  const sandbox = await started({ TOTE_HOUSE_CAPITAL: '1,999.99' });
  await sandbox.toBoundary('ONE_DAY');
  await sandbox.push({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  const open = async (): Promise<number> =>
    (await api.markets()).filter(({ currentRound }) => currentRound !== null).length;
  assert.equal(await open(), 0);
  refused(await api.order(ORDER), 400, 'round_not_live');
  const deposit = (amount: number) =>
    sandbox.operator.post('/house/deposits', { amount, reference: `deposit of ${amount}` });
  assert.equal((await deposit(0.01)).status, 201);
  assert.equal(await open(), 1, 'the price is still fresh');
  assert.equal((await sandbox.house()).balance, 0);
  await deposit(4 * 2 * SEED);
  assert.equal(await open(), 5);
  await sandbox.checkConservation();
});
