/**
 * What has left the engine's memory, through the public API of a real server: the ledger's entries add up to the balance,
 * nothing acknowledged is missing, pages repeat and hide nothing while bets are placed, and a restart changes nothing.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { answeredByArchive, refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { cents } from '../../support/api/spec-arithmetic.js';

interface Entry {
  readonly id: string;
  readonly time: string;
  readonly type: string;
  readonly reference: string | null;
  readonly orderId: string | null;
  readonly amount: number;
  readonly balanceAfter: number;
}
interface SettledRound {
  readonly id: string;
  readonly marketId: string;
  readonly startTime: string;
  readonly openPrice: number | null;
  readonly closePrice: number | null;
  readonly totalBets: number;
  readonly totalVolume: number;
  readonly result?: string;
  readonly voidReason: string | null;
}
interface Page<T> {
  readonly success: boolean;
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

const MINUTES = 5;
const BETS_A_MINUTE = 12;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader({ balance: 1_000 });
});

async function page<T>(path: string, from: Trader = trader): Promise<Page<T>> {
  const answered = await answeredByArchive(from.api, path);
  assert.equal(answered.status, 200, answered.text);
  const read = JSON.parse(answered.text) as Page<T>;
  assert.deepEqual(Object.keys(read), ['success', 'data', 'nextCursor']);
  return read;
}

/** All pages, from the newest to the first. `between` is called after each. */
async function all<T>(path: string, limit: number, between = async (): Promise<void> => {}): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
    const { data, nextCursor }: Page<T> = await page<T>(cursor === '' ? query : `${query}&cursor=${cursor}`);
    assert.ok(data.length === limit || nextCursor === null, 'only the last page is shorter');
    found.push(...data);
    cursor = nextCursor;
    await between();
  }
  return found;
}

const ledger = (limit = 200, between?: () => Promise<void>): Promise<Entry[]> =>
  all<Entry>('/account/ledger', limit, between);

/** Each entry leads to its balance, the first of them from nothing, and the last to the account's. */
async function addsUp(entries: readonly Entry[]): Promise<void> {
  let sum = 0n;
  for (const { amount, balanceAfter, id } of entries.toReversed()) {
    sum += cents(amount);
    assert.equal(cents(balanceAfter), sum, id);
  }
  assert.equal(sum, cents(await sandbox.balance(trader.accountId)));
}

/** A minute with bets on both sides, which the price then decides. */
async function minute(openPrice: number, closePrice: number): Promise<void> {
  await sandbox.openRounds({ BTC: openPrice, ETH: 3_000 });
  for (let bet = 0; bet < BETS_A_MINUTE; bet++) {
    const marketId = bet % 3 === 0 ? 'ETH_ONE_MINUTE' : 'BTC_ONE_MINUTE';
    await trader.api.place({ marketId, prediction: bet % 2 === 0 ? 'UP' : 'DOWN', amount: 1.01 });
  }
  await sandbox.closeMinute({ BTC: closePrice, ETH: 3_000 });
}

test('an order that was acknowledged is in the ledger at once', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  for (let n = 0; n < 5; n++) {
    const { bet, newBalance } = await trader.api.place({
      marketId: 'BTC_ONE_MINUTE',
      prediction: 'UP',
      amount: 2.5,
    });
    const { data } = await page<Entry>('/account/ledger?limit=1');
    const [newest] = data;
    assert.deepEqual(
      [newest?.type, newest?.orderId, newest?.amount, newest?.balanceAfter, newest?.reference],
      ['stake', bet.id, -2.5, newBalance, null],
    );
  }
  await addsUp(await ledger(2));
});

test('wins, losses, draws, voided rounds, deposits and withdrawals add up to the cent, also after restarts', async () => {
  for (let at = 0; at < MINUTES; at++) await minute(67_000, 67_000 + (at - 1) * 10);
  const moved = `/accounts/${trader.accountId}`;
  await sandbox.operator.post(`${moved}/deposits`, { amount: 33.33, reference: 'café "1"' });
  await sandbox.operator.post(`${moved}/withdrawals`, { amount: 0.07, reference: 'fee' });
  await sandbox.openRounds({ BTC: 67_000 });
  const voided = await trader.api.place({ marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 3 });
  const roundId = (await trader.api.market('BTC_ONE_MINUTE')).currentRound?.id ?? '';
  await sandbox.operator.post(`/rounds/${roundId}/void`, { reason: 'test' });
  const entries = await ledger();
  await addsUp(entries);
  const kinds = new Set(entries.map(({ type }) => type));
  assert.deepEqual([...kinds].sort(), ['deposit', 'payout', 'refund', 'stake', 'withdrawal']);
  const refund = entries.find(({ orderId, type }) => orderId === voided.bet.id && type === 'refund');
  assert.equal(refund?.amount, 3);
  assert.equal(entries.find(({ amount }) => amount === 33.33)?.reference, 'café "1"');
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  assert.deepEqual(await ledger(7), entries, 'pages of any size have the same entries');
  for (const how of ['stop', 'kill'] as const) {
    sandbox = await sandbox.restart(how);
    trader = { ...trader, api: sandbox.api(trader.secret) };
    assert.deepEqual(await ledger(11), entries, how);
  }
  await addsUp(entries);
  await sandbox.checkConservation();
});

test('pages repeat nothing and hide nothing while bets are placed', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const before = await ledger();
  const paged = await ledger(9, async () => {
    await trader.api.place({ marketId: 'BTC_ONE_MINUTE', prediction: 'DOWN', amount: 1 });
  });
  assert.deepEqual(paged, before);
  await addsUp(await ledger());
});

test('nobody sees the money of others', async () => {
  const other = await sandbox.trader({ balance: 5 });
  const { data, nextCursor } = await page<Entry>('/account/ledger', other);
  assert.deepEqual([data.length, data[0]?.amount, nextCursor], [1, 5, null]);
  const reader = await sandbox.trader({ scopes: ['markets:read'] });
  refused(await reader.api.get('/account/ledger'), 403, 'insufficient_scope');
});

test('settled rounds have their prices, bets and results, of all markets and of one', async () => {
  const rounds = await all<SettledRound>('/rounds', 3);
  assert.deepEqual(rounds, await all<SettledRound>('/rounds', 200));
  assert.equal(new Set(rounds.map(({ id }) => id)).size, rounds.length);
  const starts = rounds.map(({ startTime }) => startTime);
  assert.deepEqual(starts, starts.toSorted().reverse());
  const ofMarket = await all<SettledRound>('/markets/BTC_ONE_MINUTE/rounds', 2);
  assert.deepEqual(
    ofMarket,
    rounds.filter(({ marketId }) => marketId === 'BTC_ONE_MINUTE'),
  );
  assert.deepEqual(await all<SettledRound>('/rounds?marketId=BTC_ONE_MINUTE', 200), ofMarket);
  const results = new Set(ofMarket.map(({ result }) => result));
  for (const result of ['UP', 'DOWN', 'DRAW', undefined]) assert.ok(results.has(result), `${result}`);
  for (const { openPrice, closePrice, result, voidReason } of ofMarket) {
    if (result === undefined) assert.equal(voidReason, 'test');
    else {
      const difference = (closePrice ?? Number.NaN) - (openPrice ?? Number.NaN);
      assert.equal(result, difference > 0 ? 'UP' : difference < 0 ? 'DOWN' : 'DRAW');
    }
  }
  assert.ok(ofMarket.some(({ totalBets, totalVolume }) => totalBets === 8 && totalVolume === 8.08));
});

test('rounds are found by the time at which they start', async () => {
  const rounds = await all<SettledRound>('/markets/BTC_ONE_MINUTE/rounds', 200);
  const [, second, , fourth] = rounds;
  const range = `from=${fourth?.startTime}&to=${second?.startTime}`;
  for (const path of [`/rounds?marketId=BTC_ONE_MINUTE&${range}`, `/rounds?${range}`]) {
    const found = await all<SettledRound>(path, 1);
    assert.deepEqual(
      found.filter(({ marketId }) => marketId === 'BTC_ONE_MINUTE'),
      rounds.slice(2, 4),
    );
    for (const { startTime } of found)
      assert.ok(startTime >= `${fourth?.startTime}` && startTime < `${second?.startTime}`);
  }
});

test('invalid parameters are 400, and named', async () => {
  const cases: readonly (readonly [path: string, name: RegExp])[] = [
    ['/account/ledger?limit=0', /limit/],
    ['/account/ledger?cursor=x', /cursor/],
    ['/account/ledger?cursor=', /cursor/],
    ['/account/ledger?form=1', /form/],
    [`/account/ledger?cursor=${Buffer.from('rounds 1 2').toString('base64url')}`, /cursor/],
    [`/rounds?cursor=${Buffer.from('rounds 1').toString('base64url')}`, /cursor/],
    [`/rounds?cursor=${Buffer.from('rounds 1 99').toString('base64url')}`, /cursor/],
    ['/rounds?from=yesterday', /from/],
    ['/rounds?to=2026-02-30T00:00:00Z', /to/],
    ['/rounds?limit=201', /limit/],
    ['/markets/BTC_ONE_MINUTE/rounds?from=2026-01-01T00:00:00Z', /from/],
  ];
  for (const [path, name] of cases) {
    const answered = await trader.api.get(path);
    refused(answered, 400, 'invalid_request');
    assert.match(answered.error, name, path);
  }
  refused(await trader.api.get('/rounds?marketId=BTC'), 404, 'market_not_found');
  refused(await trader.api.get('/markets/BTC/rounds'), 404, 'market_not_found');
});

test('lists of bets lead on into the archive: each once, the newest first, with what became of it', async () => {
  const bettor = await sandbox.trader({ balance: 1_000 });
  const placed: string[] = [];
  const place = async (marketId: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const { bet } = await bettor.api.place({
        marketId,
        prediction: n % 2 === 0 ? 'UP' : 'DOWN',
        amount: 1,
      });
      placed.unshift(bet.id);
    }
  };
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  await place('BTC_ONE_DAY', 3);
  for (let round = 0; round < 3; round++) {
    await place('BTC_ONE_MINUTE', 110);
    await sandbox.closeMinute({ BTC: 67_000 + (round - 1) * 5 });
    await sandbox.openRounds({ BTC: 67_000 });
  }
  const ids = (list: readonly (readonly { readonly id: string }[])[]): string[] =>
    list.flat().map(({ id }) => id);
  for (const limit of ['7', '100', '200']) {
    assert.deepEqual(ids(await bettor.api.pages('/orders', { limit })), placed, limit);
  }
  for (const limit of ['3', '100', '200']) {
    const [first, ...rest] = await bettor.api.pages('/positions', { status: 'all', limit });
    assert.equal(first?.length, Number(limit));
    const shown = new Set(first?.map(({ id }) => id));
    // Behind the page in the order of changes come all others, in the order of placement.
    assert.deepEqual(
      ids(rest),
      placed.filter((id) => !shown.has(id)),
      limit,
    );
  }
  const settled = await bettor.api.pages('/orders', { status: 'settled', limit: '60' });
  assert.deepEqual(ids(settled), placed.slice(0, -3));
  assert.ok(settled.flat().every(({ status, settledAt }) => status === 'SETTLED' && settledAt !== null));
  assert.deepEqual(
    ids(await bettor.api.pages('/orders', { marketId: 'BTC_ONE_DAY', limit: '2' })),
    placed.slice(-3),
  );
  for (const id of [placed.at(0), placed.at(150), placed.at(-4), placed.at(-1)]) {
    const answered = await answeredByArchive(bettor.api, `/orders/${id}`);
    assert.equal((answered.data as { id: string }).id, id);
  }
  const other = await sandbox.trader();
  refused(await answeredByArchive(other.api, `/orders/${placed.at(-4)}`), 404, 'order_not_found');
  await sandbox.checkConservation();
});
