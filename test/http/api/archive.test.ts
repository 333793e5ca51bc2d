/**
 * The archive has what left the engine's memory: the ledger's entries add up to the balance, settled rounds are listed
 * and found, and lists of bets lead on into the archive, each bet once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../../../client/rest/pages.js';
import { type ArchiveRefusal, archiveReads } from '../../../engine/model/archive-reads.js';
import type { LedgerEntry, SettledRound } from '../../../http/wire/archive-types.js';
import type { OrderResult, Position } from '../../../http/wire/types.js';
import { NO_ARCHIVE } from '../../support/engine/archive-of-journal.js';
import { type Bettor, codeOf, dataOf, Harness, MINUTE_MS, withRounds } from './harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const BETS_A_MINUTE = 6;

function all<T>(api: Harness, key: string, path: string, query: string, limit: number): T[] {
  const found: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const asked: string = [query, `limit=${limit}`, cursor && `cursor=${cursor}`].filter(Boolean).join('&');
    const reply = api.get(path, key, asked);
    assert.equal(reply.status, 200, reply.text);
    const page = JSON.parse(reply.text) as Page<T>;
    assert.deepEqual(Object.keys(page), ['success', 'data', 'nextCursor']);
    // A page of bets may end where the engine's memory does, and one of the ledger among lost bets.
    const mayBeShort = page.nextCursor === null || /orders|positions|ledger/.test(path);
    assert.ok(mayBeShort || page.data.length === limit, 'only the last page is shorter');
    assert.notEqual(page.nextCursor, cursor, 'each page leads on');
    found.push(...page.data);
    cursor = page.nextCursor;
  }
  return found;
}

const ledger = (api: Harness, key: string, limit = 200): LedgerEntry[] =>
  all(api, key, '/v1/account/ledger', '', limit);
const rounds = (api: Harness, key: string, path = '/v1/rounds', query = '', limit = 200): SettledRound[] =>
  all(api, key, path, query, limit);

const place = (api: Harness, key: string, marketId = MARKET, prediction = 'UP', amount = 1.01): string =>
  dataOf<OrderResult>(api.order(key, { marketId, prediction, amount })).bet.id;

function addsUp(api: Harness, { account }: Bettor, entries: readonly LedgerEntry[]): void {
  let sumCents = 0;
  for (const { amount, balanceAfter, id } of entries.toReversed()) {
    sumCents += Math.round(amount * 100);
    assert.equal(Math.round(balanceAfter * 100), sumCents, id);
  }
  assert.equal(sumCents, api.host.engine.account(account)?.balanceCents);
}

function lived(): { api: Harness; bettor: Bettor } {
  const api = new Harness();
  const bettor = api.bettor({ balanceCents: 1_000_00 });
  api.open();
  api.open(1, 3_000);
  for (const close of [101, 100, 100, null]) {
    for (let bet = 0; bet < BETS_A_MINUTE; bet++)
      place(api, bettor.secret, bet % 3 === 0 ? 'ETH_ONE_MINUTE' : MARKET, bet % 2 === 0 ? 'UP' : 'DOWN');
    api.closeMinute(3_000, 1);
    api.boundary(close, api.clock.wallMs);
  }
  api.clock.pass(10_000);
  api.open();
  return { api, bettor };
}

test('wins, losses, draws, voided rounds, deposits and withdrawals add up to the cent, in pages of any size', () => {
  const { api, bettor } = lived();
  const { account, secret } = bettor;
  api.submit({ kind: 'deposit', account, amountCents: 33_33, reference: 'café "1"' });
  api.submit({ kind: 'withdraw', account, amountCents: 7, reference: 'fee' });
  api.settle();
  const entries = ledger(api, secret);
  addsUp(api, bettor, entries);
  const kinds = new Set(entries.map(({ type }) => type));
  assert.deepEqual([...kinds].sort(), ['deposit', 'payout', 'refund', 'stake', 'withdrawal']);
  assert.equal(entries.find(({ amount }) => amount === 33.33)?.reference, 'café "1"');
  assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
  for (const limit of [1, 7, entries.length]) assert.deepEqual(ledger(api, secret, limit), entries);
  const id = place(api, secret, MARKET, 'UP', 2.5);
  const [newest] = ledger(api, secret);
  const stake = [newest?.type, newest?.orderId, newest?.amount, newest?.reference];
  assert.deepEqual(stake, ['stake', id, -2.5, null]);
});

test('settled rounds have their prices, bets and results, of all markets, of one, and by their start', () => {
  const { api, bettor } = lived();
  const { secret } = bettor;
  const listed = rounds(api, secret);
  assert.deepEqual(rounds(api, secret, '/v1/rounds', '', 3), listed);
  const starts = listed.map(({ startTime }) => startTime);
  assert.deepEqual(starts, starts.toSorted().reverse());
  const ofMarket = rounds(api, secret, `/v1/markets/${MARKET}/rounds`, '', 2);
  const listedOfMarket = listed.filter(({ marketId }) => marketId === MARKET);
  assert.deepEqual(ofMarket, listedOfMarket);
  assert.deepEqual(rounds(api, secret, '/v1/rounds', `marketId=${MARKET}`), ofMarket);
  const results = ofMarket.map(({ result }) => result);
  assert.deepEqual(results, [undefined, 'DRAW', 'DOWN', 'UP']);
  assert.ok(ofMarket.every(({ totalBets, totalVolume }) => totalBets === 4 && totalVolume === 4.04));
  const [, second, , fourth] = ofMarket;
  const range = `from=${fourth?.startTime}&to=${second?.startTime}`.replaceAll('Z', '000Z');
  assert.deepEqual(rounds(api, secret, '/v1/rounds', `marketId=${MARKET}&${range}`, 1), ofMarket.slice(2));
  const inRange = rounds(api, secret, '/v1/rounds', range, 1).filter(({ marketId }) => marketId === MARKET);
  assert.deepEqual(inRange, ofMarket.slice(2));
});

test('an order that was cancelled shows its round and its end as they are, also once it has left memory', () => {
  const { api, secret } = withRounds();
  api.configure((rules) => ({ ...rules, historyBetsMax: 5 }));
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1, limitOdds: 50 };
  const validUntil = new Date(api.clock.wallMs + 3_600_000).toISOString();
  const ends = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? validUntil : undefined));
  const roundId = `BTC_ONE_DAY_${Math.floor(api.clock.wallMs / (24 * 60 * MINUTE_MS))}`;
  for (const end of ends.toReversed()) api.order(secret, { ...order, roundId, validUntil: end });
  api.send('DELETE', '/v1/orders', { key: secret });
  const listed = all<Position>(api, secret, '/v1/orders', 'status=settled', 12);
  const alone = listed.map(({ id }) => dataOf<Position>(api.get(`/v1/orders/${id}`, secret)));
  const shown = [...listed, ...alone];
  assert.equal(shown.map(({ round }) => round.status).join(), Array(24).fill('LIVE').join());
  assert.equal(shown.map((one) => one.validUntil).join(), [...ends, ...ends].join());
  place(api, secret);
  api.clock.pass(60_000);
  api.advance();
  // Memory knows what became of the round of a bet that is in both.
  const [newest] = all<Position>(api, secret, '/v1/orders', `marketId=${MARKET}`, 2);
  assert.equal(newest?.round.status, 'SETTLING');
});

test('lists of bets lead on into the archive: each once, the newest first, with what became of it', () => {
  const { api, secret } = withRounds();
  const firstRound = `${MARKET}_${Math.floor(api.clock.wallMs / 60_000)}`;
  const placed: string[] = [];
  for (let n = 0; n < 3; n++) placed.unshift(place(api, secret, 'BTC_ONE_DAY'));
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 110; n++) placed.unshift(place(api, secret, MARKET, n % 2 === 0 ? 'UP' : 'DOWN', 1));
    api.closeMinute(99 + round);
  }
  const ids = (path: string, query: string, limit: number): string[] =>
    all<Position>(api, secret, path, query, limit).map(({ id }) => id);
  for (const limit of [7, 100, 200]) assert.deepEqual(ids('/v1/orders', '', limit), placed, `${limit}`);
  for (const limit of [3, 100, 200]) {
    const listed = ids('/v1/positions', 'status=all', limit);
    const shown = new Set(listed.slice(0, limit));
    // Behind the page in the order of changes come all others, in the order of placement.
    const others = placed.filter((id) => !shown.has(id));
    assert.deepEqual(listed.slice(limit), others, `${limit}`);
  }
  const settled = all<Position>(api, secret, '/v1/orders', 'status=settled', 60);
  assert.equal(settled.map(({ id }) => id).join(), placed.slice(0, -3).join());
  const ends = settled.map(({ status, settledAt, round }) => [status, settledAt !== null, round.status]);
  assert.deepEqual(new Set(ends.map(String)), new Set(['SETTLED,true,SETTLED']));
  assert.deepEqual(ids('/v1/orders', 'marketId=BTC_ONE_DAY', 2), placed.slice(-3));
  assert.deepEqual(ids('/v1/orders', `roundId=${firstRound}`, 200), placed.slice(-113, -3));
  for (const id of [placed.at(0), placed.at(150), placed.at(-4), placed.at(-1)])
    assert.equal(dataOf<Position>(api.get(`/v1/orders/${id}`, secret)).id, id);
  const gone = `/v1/orders/${placed.at(-4)}`;
  assert.equal(codeOf(api.get(gone, api.bettor().secret)), 'order_not_found');
  const cancelled = api.send('DELETE', gone, { key: secret });
  assert.equal(codeOf(cancelled), 'order_not_pending', 'what left memory has ended');
});

test('bets that left memory are in lists and ledger, also after operators have had it keep more', () => {
  const { api, secret } = withRounds();
  const placed = Array.from({ length: 201 }, () => place(api, secret));
  api.closeMinute(99);
  const first = JSON.parse(api.get('/v1/account/ledger', secret).text) as Page<LedgerEntry>;
  assert.deepEqual([first.data, first.nextCursor === null], [[], false], 'many lost bets take several pages');
  const ids = ledger(api, secret).map(({ orderId }) => orderId);
  assert.deepEqual(ids, [...placed.toReversed(), null]);
  api.configure((rules) => ({ ...rules, historyBetsMax: 1_000 }));
  for (const list of ['orders', 'positions'])
    assert.equal(all<Position>(api, secret, `/v1/${list}`, 'status=all', 200).length, 201, list);
  // A page passes over a thousand rows of memory, and those that the rules keep.
  api.configure((rules) => ({ ...rules, historyBetsMax: 1 }));
  for (let n = 0; n < 1_300; n++) place(api, secret, 'BTC_ONE_DAY', n % 2 === 0 ? 'UP' : 'DOWN', 1);
  const before = `before=${new Date(api.clock.wallMs).toISOString()}`;
  for (const [query, count] of Object.entries({ '': 1_501, 'status=settled': 201, [before]: 201 }))
    assert.equal(all<Position>(api, secret, '/v1/orders', query, 200).length, count, query);
});

test('16 questions of one account wait for the archive, and others find room', () => {
  const held: ((refusal: ArchiveRefusal) => void)[] = [];
  const { api, secret } = withRounds({ archive: archiveReads((_question, tell) => held.push(tell)) });
  const ask = (key: string) => api.begin('GET', '/v1/rounds', { key });
  const waiting = Array.from({ length: 16 }, () => ask(secret));
  assert.deepEqual([ask(secret).reply?.status, ask(api.bettor().secret).reply], [503, null]);
  held[0]?.({ refused: 'archive_behind', detail: '' });
  assert.deepEqual([waiting[0]?.reply?.status, ask(secret).reply, held.length], [503, null, 18]);
});

test('without an archive what it alone has is refused, and what is in memory is answered', () => {
  const { api, secret } = withRounds({ archive: NO_ARCHIVE });
  const [id] = [place(api, secret), place(api, secret)];
  const round = `${MARKET}_${Math.floor(api.clock.wallMs / 60_000)}`;
  api.closeMinute(101);
  const past = ['account/ledger', 'rounds', `markets/${MARKET}/rounds`, `rounds/${round}/proof`];
  for (const path of [...past, `orders/${id}/proof`, 'orders/bet_99']) {
    const reply = api.get(`/v1/${path}`, secret);
    const answered = [reply.status, codeOf(reply), reply.headers.get('retry-after')];
    assert.deepEqual(answered, [503, 'archive_unavailable', '60'], path);
  }
  for (const path of [`orders/${id}`, `rounds/${round}`, 'orders', 'positions'])
    assert.equal(api.get(`/v1/${path}`, secret).status, 200, path);
  for (const [path, query] of Object.entries({ positions: 'status=all&limit=2', orders: 'limit=1' }))
    assert.equal(api.get(`/v1/${path}`, secret, query).status, 200, query);
});
