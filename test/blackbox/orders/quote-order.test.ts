/** POST /orders/quote on a real server: it says what POST /orders would answer, and changes nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { OrderQuote } from '../../../http/wire/account-types.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { Answered } from '../../support/http/client.js';

const OPEN = 67_000;
const OPEN_BETS_MAX = 3;
const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };

const folder = mkdtempSync(join(tmpdir(), 'tote-quote-'));
const servers: Sandbox[] = [];
after(async () => {
  for (const server of servers) await server.remove();
  rmSync(folder, { recursive: true });
});

async function start(policy: 'fair' | 'fixed', env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const file = join(folder, `${policy}.json`);
  const rules = { openBetsMax: OPEN_BETS_MAX, limits: { '*': { house: { policy } } } };
  writeFileSync(file, JSON.stringify(rules));
  const sandbox = await Sandbox.start({ env: { TOTE_RULES_FILE: file, ...env } });
  servers.push(sandbox);
  await sandbox.openRounds({ BTC: OPEN });
  return sandbox;
}

const ask = ({ api }: Trader, order: object): Promise<Answered<OrderQuote>> =>
  api.send<OrderQuote>('POST', '/orders/quote', { body: JSON.stringify(order) });

/** What a quote must leave as it is: the journal's number, and all that the account and everybody else can read. */
async function everything({ api }: Trader): Promise<unknown[]> {
  const paths = ['/time', '/account', '/positions?status=all', '/orders', '/account/ledger', '/markets'];
  const answers: unknown[] = [];
  for (const path of paths) answers.push((await api.get(path)).data);
  return answers;
}

/** A quote, which has changed nothing. */
async function quoted(trader: Trader, order: object): Promise<OrderQuote> {
  const before = await everything(trader);
  const answered = await ask(trader, order);
  assert.equal(answered.status, 200, answered.text);
  assert.deepEqual(await everything(trader), before);
  return answered.data;
}

/** A quote and the order right behind it, which are of one mind. Returns the code of the refusal, or ''. */
async function compared(trader: Trader, order: object): Promise<{ quote: OrderQuote; code: string }> {
  const quote = await quoted(trader, order);
  const { status, data, error } = await trader.api.order(order);
  const { refusal, roundId, oddsAtBet, entryPercent, potentialPayout, quotedAt } = quote;
  if (status !== 201) {
    assert.ok(refusal !== null, error);
    assert.equal(refusal.detail === '' ? refusal.code : `${refusal.code}: ${refusal.detail}`, error);
    return { quote, code: refusal.code };
  }
  const { bet } = data;
  assert.deepEqual(
    { refusal, oddsAtBet, entryPercent, potentialPayout, quotedAt },
    {
      refusal: null,
      oddsAtBet: bet.oddsAtBet,
      entryPercent: bet.entryPercent,
      potentialPayout: bet.potentialPayout,
      quotedAt: bet.placedAt,
    },
  );
  assert.equal((await trader.api.orders('?limit=1'))[0]?.round.id, roundId);
  return { quote, code: '' };
}

const NO_OFFER = { roundId: null, percent: null, oddsAtBet: null, entryPercent: null, potentialPayout: null };

function hasOffer({ refusal: _, quotedAt: __, ...offer }: OrderQuote): boolean {
  const isNull = Object.values(offer).map((value) => value === null);
  if (isNull.every((absent) => absent)) assert.deepEqual(offer, NO_OFFER);
  else assert.ok(!isNull.includes(true), JSON.stringify(offer));
  return !isNull[0];
}

for (const policy of ['fixed', 'fair'] as const) {
  test(`with the house's policy ${policy}, a quote is what the next order gets, to the cent`, async () => {
    const sandbox = await start(policy);
    const prices = [OPEN, OPEN * 1.0004, OPEN * 0.9997, OPEN * 1.0001];
    const amounts = [1, 33.33, 250.07, 499.99];
    for (const [at, amount] of amounts.entries()) {
      await sandbox.push({ BTC: prices[at] ?? OPEN });
      for (const prediction of ['UP', 'DOWN']) {
        const trader = await sandbox.trader({ tier: 'PLATINUM', balance: 1_000 });
        const guards = { minOdds: 1.01, clientSeed: 'a seed' };
        const { quote, code } = await compared(trader, { ...ORDER, prediction, amount, ...guards });
        assert.equal(code, '');
        const market = await trader.api.market(ORDER.marketId);
        const after = prediction === 'UP' ? market.percentUp : market.percentDown;
        if (policy === 'fixed') assert.equal(quote.entryPercent, after);
      }
    }
    await sandbox.checkConservation();
  });
}

test('what a quote says is what the next order needs for its guards', async () => {
  const sandbox = await start('fair');
  await sandbox.push({ BTC: OPEN * 1.001 });
  const trader = await sandbox.trader();
  const { roundId, percent, oddsAtBet } = await quoted(trader, ORDER);
  const guarded = { ...ORDER, roundId, expectedPercent: percent, minOdds: oddsAtBet };
  assert.equal((await compared(trader, guarded)).code, '');
  assert.equal((await trader.api.market(ORDER.marketId)).currentRound?.id, roundId);
});

test('each refusal is named as POST /orders answers, with odds where the order came as far as them', async () => {
  const sandbox = await start('fixed');
  const rich = await sandbox.trader({ tier: 'VIP', balance: 100_000 });
  const poor = await sandbox.trader({ balance: 5 });
  const late = { validUntil: new Date(sandbox.nowMs - 1).toISOString() };
  const check = async (trader: Trader, change: object, code: string, comesToOdds = false): Promise<void> => {
    const { quote, code: actual } = await compared(trader, { ...ORDER, ...change });
    assert.equal(actual, code);
    assert.equal(hasOffer(quote), comesToOdds, code);
  };
  await check(rich, { marketId: 'NO_SUCH' }, 'market_not_found');
  await check(rich, { marketId: 'ETH_ONE_MINUTE' }, 'round_not_live');
  await check(rich, late, 'order_expired');
  await check(rich, { roundId: 'BTC_ONE_MINUTE_1' }, 'round_changed');
  await check(rich, { amount: 0.99 }, 'stake_out_of_range');
  await check(rich, { amount: 90_000_000_000 }, 'stake_out_of_range');
  await check(rich, { expectedPercent: 99 }, 'odds_changed', true);
  await check(rich, { minOdds: 9 }, 'odds_changed', true);
  await check(poor, {}, 'insufficient_balance', true);
  // The first of several.
  await check(poor, { expectedPercent: 99, amount: 4_000 }, 'odds_changed', true);
  await check(rich, { ...late, amount: 0.01 }, 'order_expired');

  await sandbox.operator.put('/trading', { enabled: false, reason: 'Back at noon' });
  await check(rich, {}, 'trading_disabled');
  await sandbox.operator.put('/trading', { enabled: true });
  await sandbox.operator.patch('/markets/BTC_ONE_MINUTE', { suspended: true });
  await check(rich, {}, 'market_suspended');
  await sandbox.operator.patch('/markets/BTC_ONE_MINUTE', { suspended: false });

  await rich.api.place({ ...ORDER, amount: 10_000 });
  await rich.api.place({ ...ORDER, prediction: 'DOWN', amount: 1_000 });
  await check(rich, { prediction: 'DOWN', amount: 9_000 }, 'round_exposure_limit', true);
  await rich.api.place(ORDER);
  await check(rich, {}, 'too_many_open_bets', true);

  await sandbox.operator.patch(`/accounts/${rich.accountId}`, { frozen: true });
  await check(rich, {}, 'account_frozen', true);
  await sandbox.operator.patch(`/accounts/${poor.accountId}`, { tier: 'BRONZE' });
  await check(poor, {}, 'tier_too_low');
  await sandbox.toOffset(35_000);
  const other = await sandbox.trader();
  await check(other, {}, 'betting_closed');
  await sandbox.toOffset(55_000);
  await check(other, {}, 'round_not_live');
  await sandbox.checkConservation();
});

test('without a fresh price the house gives no quote', async () => {
  const sandbox = await start('fair');
  const trader = await sandbox.trader();
  await sandbox.advance(10_001);
  const { quote, code } = await compared(trader, ORDER);
  assert.deepEqual([code, hasOffer(quote)], ['stale_price', false]);
});

test('what is no order is refused as by POST /orders, and an Idempotency-Key is left alone', async () => {
  const sandbox = await start('fixed');
  const trader = await sandbox.trader();
  for (const body of [
    {},
    { ...ORDER, amount: 1.001 },
    { ...ORDER, minOdds: 0.5 },
    { ...ORDER, maxOdds: 2 },
  ]) {
    const answered = await ask(trader, body);
    refused(answered, 400, 'invalid_request');
    assert.equal(answered.error, (await trader.api.order(body)).error);
  }
  refused(
    await trader.api.send('POST', '/orders/quote?x=1', { body: JSON.stringify(ORDER) }),
    400,
    'invalid_request',
  );
  const headers = { 'Idempotency-Key': 'one' };
  const parts = { body: JSON.stringify(ORDER), headers };
  assert.equal((await trader.api.send('POST', '/orders/quote', parts)).status, 200);
  const { bet } = await trader.api.place({ ...ORDER, amount: 20 }, headers);
  assert.equal(bet.amount, 20, 'the key was free');
  const again = await trader.api.send<OrderQuote>('POST', '/orders/quote', parts);
  assert.equal(again.data.refusal, null);
});

test('a quote counts as a read, and a key that may not place orders may ask', async () => {
  const limits = 'key_read=4,key_write=1,account=100,ip=1000';
  const sandbox = await start('fixed', { TOTE_RATE_LIMITS: limits });
  const trader = await sandbox.trader({ scopes: ['positions:read', 'orders:write'] });
  for (let n = 0; n < 4; n++) assert.equal((await ask(trader, ORDER)).status, 200);
  const full = await ask(trader, ORDER);
  refused(full, 429, 'rate_limited');
  assert.match(full.error, /key_read/);
  await trader.api.place(ORDER);
  refused(await trader.api.order(ORDER), 429, 'rate_limited');
  const reader = await sandbox.trader({ tier: 'GOLD', scopes: ['positions:read'] });
  assert.equal((await ask(reader, ORDER)).data.refusal, null);
  const writer = await sandbox.trader({ scopes: ['orders:write'] });
  refused(await ask(writer, ORDER), 403, 'insufficient_scope');
});
