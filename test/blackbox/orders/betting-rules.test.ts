/**
 * What decides whether a well-formed order becomes a bet (specification, POST /orders and section 8; design, section
 * 5), each rule at its exact boundary, and the order of the checks.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { refused } from '../../support/api/api-client.js';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { CUTOFF_MS, FRAMES, type OrderRequest, SEED, TIME_FRAMES } from '../../support/api/spec.js';
import { cents, checkBetArithmetic, oddsE4, payoutCents } from '../../support/api/spec-arithmetic.js';

const OPEN_BETS_MAX = 12;

let sandbox: Sandbox;
const rulesFolder = mkdtempSync(join(tmpdir(), 'tote-rules-'));

before(async () => {
  const rulesFile = join(rulesFolder, 'rules.json');
  writeFileSync(
    rulesFile,
    JSON.stringify({ openBetsMax: OPEN_BETS_MAX, limits: { '*': { house: { policy: 'fixed' } } } }),
  );
  sandbox = await Sandbox.start({ env: { TOTE_RULES_FILE: rulesFile } });
});
after(async () => {
  await sandbox.remove();
  rmSync(rulesFolder, { recursive: true });
});

const order = (parts: Partial<OrderRequest>): OrderRequest => ({
  marketId: 'BTC_ONE_MINUTE',
  prediction: 'UP',
  amount: 1,
  ...parts,
});

test('slippage: exactly 15 points is accepted, a little more is odds_changed', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  // 1,500 on UP against 1,000: the percents before an order joins are 60 and 40.
  await api.place(order({ amount: 500 }));
  const cases: readonly (readonly [prediction: string, expectedPercent: number, isTaken: boolean])[] = [
    ['UP', 75.000_001, false],
    ['UP', 44.999_999, false],
    ['UP', 100, false],
    ['UP', 0, false],
    ['DOWN', 55.000_001, false],
    ['DOWN', 24.999_999, false],
    ['UP', 75, true],
  ];
  for (const [prediction, expectedPercent, isTaken] of cases) {
    const answered = await api.order(order({ prediction, expectedPercent }));
    assert.equal(answered.status, isTaken ? 201 : 409, `${prediction} ${expectedPercent}: ${answered.text}`);
    if (!isTaken) assert.equal(answered.error, 'odds_changed', 'the code alone, as specified');
  }
  // 1,501 / 2,501 is published as 60.02 and 39.98: it is the published percent that counts.
  const { percentUp, percentDown } = await api.market('BTC_ONE_MINUTE');
  assert.deepEqual([percentUp, percentDown], [60.02, 39.98]);
  refused(await api.order(order({ prediction: 'DOWN', expectedPercent: 24.979_999 })), 409, 'odds_changed');
  await api.place(order({ prediction: 'DOWN', expectedPercent: 24.98 }));
});

test('the cutoff: bets are accepted until 20 s before the lock, in every time frame', async () => {
  for (const frame of TIME_FRAMES) {
    const { lengthMs = 0, lockLeadMs = 0 } = FRAMES[frame] ?? {};
    await sandbox.openRounds({ BTC: 67_000 }, frame);
    const { api } = await sandbox.trader();
    const placing = () => api.order(order({ marketId: `BTC_${frame}` }));
    const lockMs = sandbox.boundaryMs + lengthMs - lockLeadMs;
    await sandbox.advanceTo(lockMs - CUTOFF_MS - 1);
    assert.equal((await placing()).status, 201, frame);
    await sandbox.advance(1);
    refused(await placing(), 400, 'betting_closed');
    await sandbox.advanceTo(lockMs - 1);
    refused(await placing(), 400, 'betting_closed');
    await sandbox.advance(1);
    refused(await placing(), 400, 'round_not_live');
    await sandbox.advanceTo(lockMs + lockLeadMs - 1);
    refused(await placing(), 400, 'round_not_live');
    await sandbox.push({ BTC: 67_000 });
    await sandbox.advance(1);
    const current = (await api.market(`BTC_${frame}`)).currentRound;
    assert.equal(current?.status, 'UPCOMING');
    refused(await placing(), 400, 'round_not_live');
    await sandbox.advance(2_000);
    assert.equal((await placing()).status, 201, 'the next round is LIVE once its open price is final');
  }
});

test('a market without a round takes no bet', async () => {
  const { api } = await sandbox.trader();
  refused(await api.order(order({ marketId: 'ETH_ONE_MINUTE' })), 400, 'round_not_live');
});

test('stakes: the limits of the market and of the tier, to the cent', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const limits = { SILVER: 1_000, GOLD: 5_000, PLATINUM: 10_000, VIP: 10_000 };
  for (const [tier, stakeMax] of Object.entries(limits)) {
    const { api, accountId } = await sandbox.trader({ tier, balance: 100_000 });
    for (const amount of [0.01, 0.99, stakeMax + 0.01, 50_000, 50_000.01, 1_000_000]) {
      const answered = await api.order(order({ amount }));
      refused(answered, 400, 'stake_out_of_range');
      assert.match(answered.error, /^stake_out_of_range: ./, 'with a sentence for people');
    }
    await api.place(order({ amount: stakeMax, prediction: tier === 'VIP' ? 'DOWN' : 'UP' }));
    assert.equal(await sandbox.balance(accountId), 100_000 - stakeMax);
    assert.equal((await api.order(order({ amount: 1 }))).status, 201);
  }
});

test('balance: the last cent can be bet, one more cannot', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api, accountId } = await sandbox.trader({ balance: 12.34 });
  refused(await api.order(order({ amount: 12.35 })), 400, 'insufficient_balance');
  const { newBalance } = await api.place(order({ amount: 12.34 }));
  assert.equal(newBalance, 0);
  refused(await api.order(order({ amount: 1 })), 400, 'insufficient_balance');
  await sandbox.operator.post(`/accounts/${accountId}/deposits`, { amount: 1, reference: 'one' });
  assert.equal((await api.place(order({ amount: 1 }))).newBalance, 0);
});

test('exposure: a round never owes more than its pool', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
  // Swing the pools: what was promised at good odds stays promised when the pools have moved.
  await api.place(order({ prediction: 'UP', amount: 10_000 }));
  let owed = 0;
  for (;;) {
    const before = await api.market('BTC_ONE_MINUTE');
    const answered = await api.order(order({ prediction: 'DOWN', amount: 1_000 }));
    const after = await api.market('BTC_ONE_MINUTE');
    if (answered.status !== 201) {
      refused(answered, 400, 'round_exposure_limit');
      assert.deepEqual(after, before, 'a refused bet moves no pool');
      break;
    }
    checkBetArithmetic(answered.data.bet, before);
    owed += answered.data.bet.potentialPayout;
    assert.ok(owed <= after.totalPool, `DOWN is owed ${owed} of ${after.totalPool}`);
  }
  // 6,305.00 + 4,526.60 + 3,637.50 fit into 15,000.00; another 3,104.00 into 16,000.00 do not.
  assert.equal(Math.round(owed * 100), 1_446_910);
  // The least stake that would make the round owe more than its pool, and a cent less.
  const { poolUp, poolDown } = await api.market('BTC_ONE_MINUTE');
  const owesTooMuch = (stake: bigint): boolean => {
    const total = cents(poolUp) + cents(poolDown) + stake;
    return 1_446_910n + payoutCents(stake, oddsE4(total, cents(poolDown) + stake)) > total;
  };
  let stake = 100n;
  while (!owesTooMuch(stake)) stake++;
  const bet = (amountCents: bigint) => order({ prediction: 'DOWN', amount: Number(amountCents) / 100 });
  refused(await api.order(bet(stake)), 400, 'round_exposure_limit');
  await api.place(bet(stake - 1n));
  await sandbox.closeMinute({ BTC: 66_999 });
  assert.equal((await api.orders()).filter(({ result }) => result === 'WIN').length, 4);
  await sandbox.checkConservation();
});

test('open bets: as many as the rules allow, and another once one has settled', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  for (let n = 0; n < OPEN_BETS_MAX; n++) {
    await api.place(order({ marketId: n === 0 ? 'BTC_ONE_MINUTE' : 'BTC_ONE_DAY' }));
  }
  refused(await api.order(order({})), 400, 'too_many_open_bets');
  await sandbox.closeMinute({ BTC: 67_000 });
  await sandbox.push({ BTC: 67_000 });
  await api.place(order({}));
  refused(await api.order(order({})), 400, 'too_many_open_bets');
});

test('a suspended market takes no bets and opens no further round', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader();
  await api.place(order({}));
  await sandbox.operator.patch('/markets/BTC_ONE_MINUTE', { suspended: true });
  refused(await api.order(order({})), 503, 'market_suspended');
  assert.equal((await api.order(order({ marketId: 'BTC_ONE_DAY' }))).status, 201, 'others go on');
  await sandbox.closeMinute({ BTC: 67_001 });
  assert.equal((await api.orders()).at(-1)?.result, 'WIN', 'an open round ends as usual');
  assert.equal((await api.market('BTC_ONE_MINUTE')).currentRound, null);
  await sandbox.operator.patch('/markets/BTC_ONE_MINUTE', { suspended: false });
  await sandbox.push({ BTC: 67_002 });
  assert.equal((await api.market('BTC_ONE_MINUTE')).currentRound?.status, 'LIVE');
});

test('the rules are checked in the specified order', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { api } = await sandbox.trader({ tier: 'SILVER', balance: 100 });
  const bad = { amount: 1_000_000, expectedPercent: 0 };
  const bodyFirst = { ...order(bad), marketId: 'NO_SUCH', prediction: 'LEFT' };
  await sandbox.operator.put('/trading', { enabled: false, reason: 'a test' });
  refused(await api.order(bodyFirst), 400, 'invalid_request');
  refused(await api.order(order({ ...bad, marketId: 'NO_SUCH' })), 404, 'market_not_found');
  refused(await api.order(order({ ...bad, marketId: 'ETH_ONE_DAY' })), 503, 'trading_disabled');
  await sandbox.operator.put('/trading', { enabled: true });
  refused(await api.order(order({ ...bad, marketId: 'ETH_ONE_DAY' })), 400, 'round_not_live');
  refused(await api.order(order(bad)), 400, 'stake_out_of_range');
  refused(await api.order(order({ ...bad, amount: 1_000 })), 409, 'odds_changed');
  refused(await api.order(order({ amount: 1_000, expectedPercent: 50 })), 400, 'insufficient_balance');
  await sandbox.toOffset(35_000);
  refused(await api.order(order(bad)), 400, 'betting_closed');
  await sandbox.toOffset(55_000);
  refused(await api.order(order(bad)), 400, 'round_not_live');
  assert.equal((await sandbox.house()).openSeeds % (2 * SEED), 0);
});
