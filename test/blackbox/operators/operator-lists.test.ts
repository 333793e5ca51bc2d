/**
 * The operators' lists, through a real server: filters find what they say, and pages repeat and hide nothing while
 * bets are placed and settled, or have left memory.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../client/rest/pages.js';
import type { BetResource } from '../../../http/operator/bets.js';
import type { RoundResource } from '../../../http/operator/rounds.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { cents } from '../../support/api/spec-arithmetic.js';

let sandbox: Sandbox;
let ada: Trader;
let bob: Trader;
const placed: string[] = [];

async function order(trader: Trader, body: object): Promise<string> {
  const { status, text, data } = await trader.api.order(body);
  assert.equal(status, 201, text);
  const made = (data as { bet: { id: string; status: string } }).bet;
  placed.push(made.id);
  return made.status;
}
async function bet(trader: Trader, marketId: string, prediction: string, amount: number): Promise<void> {
  assert.equal(await order(trader, { marketId, prediction, amount }), 'ACTIVE');
}

/** Until other bets have moved the odds, or to its end. */
async function rest(limitOdds: number): Promise<void> {
  const body = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 4, limitOdds };
  assert.equal(await order(ada, body), 'PENDING');
}

async function minute(open: number, close: number): Promise<void> {
  await sandbox.openRounds({ BTC: open, ETH: 3_000 });
  for (let n = 0; n < 3; n++) {
    await bet(ada, 'BTC_ONE_MINUTE', 'UP', 2);
    await bet(bob, 'BTC_ONE_MINUTE', 'DOWN', 3);
    await bet(bob, 'ETH_ONE_MINUTE', 'UP', 5);
  }
  await rest(2.1);
  await rest(900);
  await bet(bob, 'BTC_ONE_MINUTE', 'DOWN', 500);
  await sandbox.closeMinute({ BTC: close, ETH: 3_000 });
}

before(async () => {
  sandbox = await Sandbox.start();
  ada = await sandbox.trader({ balance: 1_000, tier: 'GOLD' });
  bob = await sandbox.trader({ balance: 5_000 });
  await minute(100, 101);
  await minute(101, 100);
  await sandbox.openRounds({ BTC: 100, ETH: 3_000 });
  await bet(ada, 'BTC_ONE_MINUTE', 'UP', 2);
  await bet(bob, 'BTC_FIVE_MINUTES', 'UP', 7);
  await rest(900);
});
after(() => sandbox.remove());

/** `between` is called after each page. */
async function all<T>(path: string, limit: number, between = async (): Promise<void> => {}): Promise<T[]> {
  const found: T[] = [];
  const query = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { text } = await sandbox.read(cursor === '' ? query : `${query}&cursor=${cursor}`);
    const { data, nextCursor } = JSON.parse(text) as Page<T>;
    assert.ok(data.length <= limit);
    found.push(...data);
    cursor = nextCursor;
    await between();
  }
  return found;
}

const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
async function refused(path: string, code: string): Promise<void> {
  const answered = await sandbox.operator.get(path);
  assert.ok(answered.status >= 400 && answered.error.startsWith(code), `${path}: ${answered.text}`);
}

test('accounts are found by a part of their name, by tier and by being frozen', async () => {
  for (const [name, tier] of [
    ['Zoë Market-Maker', 'VIP'],
    ['zoë two', 'BRONZE'],
    ['other', 'VIP'],
  ]) {
    const made = await sandbox.operator.post<{ id: string }>('/accounts', { name, tier });
    if (name === 'other') await sandbox.operator.patch(`/accounts/${made.data.id}`, { frozen: true });
  }
  const names = async (query: string): Promise<(string | null)[]> =>
    (await all<{ name: string | null }>(`/accounts?${query}`, 1)).map(({ name }) => name);
  assert.deepEqual(await names(`name=${encodeURIComponent('ZOË')}`), ['Zoë Market-Maker', 'zoë two']);
  assert.deepEqual(await names('tier=VIP'), ['Zoë Market-Maker', 'other']);
  assert.deepEqual(await names('tier=VIP&frozen=true'), ['other']);
  assert.deepEqual(await names('tier=VIP&frozen=false&name=o'), ['Zoë Market-Maker']);
  assert.deepEqual(await names('name=nobody'), []);
  await refused('/accounts?tier=GOLDEN', 'invalid_request: tier must be one of BRONZE');
  await refused('/accounts?frozen=1', 'invalid_request: frozen must be one of true, false');
});

test('keys are found by account, by being enabled and by when they expire', async () => {
  const iso = (days: number): string => new Date(sandbox.nowMs + days * 86_400_000).toISOString();
  const soon = await sandbox.key(ada.accountId, { scopes: ['markets:read'], expiresAt: iso(3) });
  const late = await sandbox.key(ada.accountId, { scopes: ['markets:read'], expiresAt: iso(300) });
  await sandbox.operator.patch(`/keys/${bob.keyId}`, { enabled: false });
  const keys = async (query: string): Promise<string[]> => ids(await all(`/keys?${query}`, 2));
  assert.deepEqual(await keys(`accountId=${ada.accountId}`), [ada.keyId, soon.id, late.id]);
  assert.deepEqual(await keys('enabled=false'), [bob.keyId]);
  assert.deepEqual(await keys(`expiresBefore=${iso(30)}`), [soon.id]);
  assert.deepEqual(await keys('enabled=true'), [ada.keyId, soon.id, late.id]);
  assert.doesNotMatch((await sandbox.operator.get('/keys')).text, new RegExp(`${soon.secret}|secret`));
  await refused('/keys?accountId=acc_999', 'account_not_found');
  await sandbox.operator.patch(`/keys/${bob.keyId}`, { enabled: true });
});

test('rounds are listed with those that are settled, the last to start first, by market, status and time', async () => {
  const rounds = await all<RoundResource>('/rounds', 3);
  assert.equal(new Set(ids(rounds)).size, rounds.length, 'each once');
  const starts = rounds.map(({ startTime }) => startTime);
  assert.deepEqual(starts, starts.toSorted().reverse());
  assert.deepEqual(new Set(rounds.map(({ status }) => status)), new Set(['LIVE', 'SETTLED']));
  const ended = rounds.filter((round) => round.status === 'SETTLED' && round.marketId === 'BTC_ONE_MINUTE');
  const settled = await all<RoundResource>('/rounds?status=SETTLED&marketId=BTC_ONE_MINUTE', 1);
  assert.deepEqual(settled, ended);
  assert.deepEqual(
    // A minute without bets may lie between them.
    settled.filter(({ totalBets }) => totalBets > 0).map(({ result, totalBets }) => [result, totalBets]),
    [
      ['DOWN', 8],
      ['UP', 8],
    ],
  );
  const live = rounds.filter(({ status }) => status === 'LIVE');
  assert.deepEqual(await all<RoundResource>('/rounds?status=LIVE', 3), live);
  const from = new Date(sandbox.boundaryMs).toISOString();
  const late = live.filter(({ marketId, startTime }) => marketId === 'BTC_ONE_MINUTE' && startTime >= from);
  assert.deepEqual(await all(`/rounds?from=${from}&marketId=BTC_ONE_MINUTE`, 5), late);
  assert.deepEqual(await all('/rounds?status=UPCOMING', 5), []);
  await refused('/rounds?status=OPEN', 'invalid_request: status must be one of UPCOMING');
  await refused('/rounds?marketId=DOGE_ONE_MINUTE', 'invalid_request: marketId');
});

test('bets of all accounts and of one are listed, newest first, by round, status and time, and by id', async () => {
  const bets = await all<BetResource>('/bets', 4);
  assert.deepEqual(ids(bets), placed.toReversed());
  const statuses = new Set(bets.map(({ status }) => status));
  assert.deepEqual(statuses, new Set(['PENDING', 'ACTIVE', 'SETTLED', 'EXPIRED']));
  const isOpen = ({ status }: BetResource): boolean => status === 'ACTIVE' || status === 'PENDING';
  const own = bets.filter(({ accountId }) => accountId === bob.accountId);
  assert.deepEqual(await all(`/bets?accountId=${bob.accountId}`, 4), own);
  for (const [query, isMeant] of [
    ['status=active', (one) => isOpen(one)],
    ['status=settled', (one) => !isOpen(one)],
    ['marketId=ETH_ONE_MINUTE', (one) => one.marketId === 'ETH_ONE_MINUTE'],
    [`roundId=${bets.at(-1)?.roundId}`, (one) => one.roundId === bets.at(-1)?.roundId],
    [`roundId=${bets[0]?.roundId}`, (one) => one.roundId === bets[0]?.roundId],
    [`from=${bets[8]?.placedAt}`, (one) => one.placedAt >= (bets[8]?.placedAt ?? '')],
    [`to=${bets[8]?.placedAt}`, (one) => one.placedAt < (bets[8]?.placedAt ?? '')],
  ] as const satisfies readonly (readonly [string, (one: BetResource) => boolean])[]) {
    const expected = bets.filter(isMeant);
    assert.ok(expected.length > 0 && expected.length < bets.length, query);
    assert.deepEqual(await all(`/bets?${query}`, 2), expected, query);
    const ofBob = expected.filter(({ accountId }) => accountId === bob.accountId);
    assert.deepEqual(await all(`/bets?accountId=${bob.accountId}&${query}`, 2), ofBob, `Bob's with ${query}`);
  }
  for (const one of bets) assert.deepEqual((await sandbox.read(`/bets/${one.id}`)).data, one);
  await refused('/bets/bet_999999', 'order_not_found');
  await refused('/bets/nothing', 'order_not_found');
  await refused('/bets?accountId=acc_999', 'account_not_found');
  await refused('/bets?status=open', 'invalid_request: status must be one of');
});

test('pages of bets repeat and hide nothing while bets are placed', async () => {
  const until = placed.length;
  const bets = await all<BetResource>('/bets', 3, () => bet(bob, 'BTC_FIVE_MINUTES', 'DOWN', 1));
  assert.deepEqual(ids(bets), placed.slice(0, until).reverse());
});

test("an account's ledger is its own, and a transfer is found by its reference", async () => {
  const entries = await all<{ id: string; amount: number; balanceAfter: number }>(
    `/accounts/${ada.accountId}/ledger`,
    3,
  );
  assert.deepEqual(entries, JSON.parse((await ada.api.get('/account/ledger?limit=200')).text).data);
  const total = entries.reduce((sum, { amount }) => sum + cents(amount), 0n);
  assert.equal(total, cents(await sandbox.balance(ada.accountId)));
  for (const { accountId } of [ada, bob])
    await sandbox.operator.post(`/accounts/${accountId}/deposits`, { amount: 12.5, reference: 'wire 77/ü' });
  await sandbox.operator.post(`/accounts/${bob.accountId}/withdrawals`, { amount: 2.5, reference: 'out' });
  await sandbox.operator.post('/house/deposits', { amount: 100, reference: 'wire 77/ü' });
  const found = async (query: string): Promise<unknown[]> =>
    (await all<Record<string, unknown>>(`/transfers?${query}`, 1)).map(({ type, accountId, amount }) => [
      type,
      accountId,
      amount,
    ]);
  const wire = `reference=${encodeURIComponent('wire 77/ü')}`;
  const ofAccounts = [ada, bob].map(({ accountId }) => ['deposit', accountId, 12.5]);
  const deposits = [['deposit', null, 100], ...ofAccounts];
  assert.deepEqual(await found(wire), deposits);
  assert.deepEqual(await found(`${wire}&accountId=house`), deposits.slice(0, 1));
  assert.deepEqual(await found(`${wire}&accountId=${bob.accountId}`), deposits.slice(2));
  assert.deepEqual(await found('reference=out'), [['withdrawal', bob.accountId, 2.5]]);
  assert.deepEqual(await found('reference=never'), []);
  await refused('/transfers', 'invalid_request: reference is expected');
  await refused(`/transfers?${wire}&accountId=acc_999`, 'account_not_found');
  await refused('/accounts/acc_999/ledger', 'account_not_found');
  await sandbox.checkConservation();
});
