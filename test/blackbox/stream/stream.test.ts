/** The stream of market data: its clients, its messages, and its bounds. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { type StreamOptions, streamsOfFile, UpgradeRefused } from '../../support/api/stream-client.js';

let sandbox: Sandbox;
let trader: Trader;

const openAt = streamsOfFile();
const open = (secret: string | null, options?: StreamOptions) => openAt(sandbox, secret, options);

async function refusal(secret: string | null, options?: StreamOptions): Promise<UpgradeRefused> {
  try {
    await open(secret, options);
  } catch (error) {
    if (error instanceof UpgradeRefused) return error;
    throw error;
  }
  return assert.fail('the upgrade was accepted');
}

before(async () => {
  sandbox = await Sandbox.shared();
  await sandbox.openRounds({ BTC: 67_000, ETH: 3_000 });
  trader = await sandbox.trader();
});

test('a key opens it by the header or by a subprotocol, below both bases', async () => {
  for (const base of ['/v1', '/api/v1']) {
    const byHeader = await open(trader.secret, { base });
    await byHeader.take('heartbeat');
    assert.equal(byHeader.socket.protocol, '');
    const { 'x-ratelimit-limit': limit, 'x-request-id': id } = byHeader.headers;
    assert.ok(Number(limit) > 0 && id !== undefined, 'the limits and an id, as in every answer');
    const byProtocol = await open(null, { base, protocols: ['tote.v1', `tote.key.${trader.secret}`] });
    await byProtocol.take('heartbeat');
    assert.equal(byProtocol.socket.protocol, 'tote.v1');
  }
});

test('a refused upgrade is an ordinary answer', async () => {
  assert.equal((await refusal(null)).status, 401);
  const unknown = await refusal(`tk_${'0'.repeat(64)}`);
  assert.equal(unknown.status, 401);
  assert.match(unknown.body, /^\{"success":false,"error":"invalid_api_key/);
  const two = await refusal(trader.secret, { protocols: ['tote.v1', 'tote.key.another'] });
  assert.equal(two.status, 401);
  const plain = await trader.api.send('GET', '/stream');
  const version = plain.headers.get('sec-websocket-version');
  assert.deepEqual([plain.status, plain.error?.split(':')[0], version], [426, 'upgrade_required', '13']);
});

test('a key has at most 20 streams, at all gateways together', async () => {
  const { secret } = await sandbox.trader();
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(secret)));
  const refused = await refusal(secret);
  assert.equal(refused.status, 429);
  assert.match(refused.body, /too_many_streams/);
  await Promise.all(streams.map((stream) => stream.end()));
  await (await open(secret)).end();
});

test('markets: a snapshot as GET /markets has it, then what changes, of the markets asked for', async () => {
  const stream = await open(trader.secret);
  const ids = ['ETH_ONE_MINUTE', 'BTC_ONE_MINUTE'];
  assert.deepEqual((await stream.subscribe('markets', { markets: ids })).markets, ids);
  const { snapshot, data } = await stream.take('markets');
  assert.equal(snapshot, true);
  assert.deepEqual(data.map(({ id }) => id).sort(), ids.toSorted());
  const markets = await trader.api.markets();
  for (const state of data) {
    const { currentRound, ...market } = markets.find(({ id }) => id === state.id) ?? assert.fail(state.id);
    assert.ok(currentRound !== null);
    const { crypto: _, timeFrame: __, minBet: ___, maxBet: ____, ...shown } = market;
    const { id: roundId, status, bettingClosesAt, openPrice, totalBets, totalVolume } = currentRound;
    const round = { roundId, status, bettingClosesAt, openPrice, totalBets, totalVolume };
    assert.deepEqual(state, { ...shown, ...round });
  }
  await trader.api.place({ marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 10 });
  await trader.api.place({ marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 });
  const change = await stream.take('markets', (message) => message.data[0]?.totalBets === 1);
  assert.equal(change.snapshot, false);
  const found = change.data.map(({ id, totalVolume }) => [id, totalVolume]);
  assert.deepEqual(found, [['BTC_ONE_MINUTE', 10]]);
  await stream.ask('unsubscribed', { op: 'unsubscribe', channel: 'markets' });
});

test('prices: the newest tick of each asset with its time, and the open price', async () => {
  const stream = await open(trader.secret);
  await stream.subscribe('prices');
  const { data } = await stream.take('prices');
  assert.equal(data.length, 14);
  const btc = data.find(({ crypto }) => crypto === 'BTC');
  assert.deepEqual([btc?.price, btc?.openPrice], [67_000, 67_000]);
  assert.equal(data.find(({ crypto }) => crypto === 'GOLD')?.price, null);
  await sandbox.push({ BTC: 67_010 });
  const change = await stream.take('prices', (message) => message.data[0]?.price === 67_010);
  const cryptos = change.data.map(({ crypto }) => crypto);
  assert.deepEqual(cryptos, ['BTC']);
  assert.equal(change.data[0]?.priceTime, new Date(sandbox.nowMs).toISOString());
});

test('heartbeats go by the clock and tell how old prices are', async () => {
  const stream = await open(trader.secret);
  const first = await stream.take('heartbeat');
  await sandbox.push({ BTC: 67_020 });
  await sandbox.advance(5_000);
  const { priceAgeMs, seq, time } = await stream.take('heartbeat', (beat) => beat.time > first.time);
  assert.ok(seq >= first.seq);
  assert.deepEqual([priceAgeMs.BTC, priceAgeMs.GOLD], [5_000, null]);
  assert.equal(time, new Date(sandbox.nowMs).toISOString());
});

test('rounds: every transition of the markets asked for, once and in order', async () => {
  const stream = await open(trader.secret);
  await sandbox.openRounds({ BTC: 67_000, ETH: 3_000 });
  const { currentRound } = await trader.api.market('BTC_ONE_MINUTE');
  await stream.subscribe('rounds', { markets: ['BTC_ONE_MINUTE'] });
  await sandbox.closeMinute({ BTC: 67_100, ETH: 3_000 });
  const locked = await stream.take('rounds');
  const [lock] = locked.data;
  assert.deepEqual([lock?.event, lock?.roundId, locked.data.length], ['locked', currentRound?.id, 1]);
  const next = await stream.take('rounds');
  const settled = next.data.find(({ event }) => event === 'settled') ?? (await stream.take('rounds')).data[0];
  assert.ok(settled?.event === 'settled');
  const shown = [settled.roundId, settled.result, settled.openPrice, settled.closePrice];
  assert.deepEqual(shown, [currentRound?.id, 'UP', 67_000, 67_100]);
});

test('what is not understood is refused with a code, and ten in a row end the stream', async () => {
  const stream = await open(trader.secret);
  assert.equal(await stream.refused({ op: 'subscribe', channel: 'weather' }), 'invalid_request');
  assert.equal(await stream.refused({ op: 'dance' }), 'invalid_request');
  assert.equal(await stream.refused({ op: 'subscribe', channel: 'markets', market: 'X' }), 'invalid_request');
  await stream.settle();
  const subscribe = { op: 'subscribe', channel: 'markets' };
  assert.equal(await stream.refused({ ...subscribe, markets: ['BTC_WEEK'] }), 'market_not_found');
  assert.equal(await stream.refused({ ...subscribe, since: 1 }), 'invalid_request');
  const code = await stream.refused({ ...subscribe, channel: 'prices', markets: ['BTC_ONE_DAY'] });
  assert.equal(code, 'invalid_request');
  stream.socket.send('{"op":');
  const { id, message } = await stream.take('error');
  assert.deepEqual([id, message], [null, 'the message is not valid JSON']);
  stream.send({ op: 'ping', id: 1_781_092_860_000 });
  assert.match((await stream.take('error')).message, /^id must be a number, at most 4294967295$/);
  stream.socket.send(Buffer.from('{"op":"ping","id":1}'), { binary: true });
  assert.match((await stream.take('error')).message, /not bytes/);
  stream.socket.send(`"${'x'.repeat(5_000)}"`);
  assert.equal((await stream.take('error')).code, 'body_too_large');
  for (let sent = 4; sent < 10; sent++) stream.socket.send('[]');
  assert.deepEqual(await stream.closed, { code: 4400, reason: 'invalid_request' });
});

test('a flood of subscriptions is refused, and a flood of messages ends the stream, too', async () => {
  const stream = await open(trader.secret);
  for (let sent = 0; sent < 30; sent++) stream.send({ op: 'subscribe', id: sent, channel: 'markets' });
  assert.equal((await stream.take('error')).message, 'more than 10 subscriptions in a second');
  for (let sent = 0; sent < 2_000 && !stream.isClosed; sent++) stream.send({ op: 'ping', id: sent });
  assert.deepEqual(await stream.closed, { code: 4429, reason: 'rate_limited' });
  assert.ok(stream.arrived('error').some(({ code }) => code === 'rate_limited'));
});

test('a channel needs its scope', async () => {
  const account = await sandbox.trader({ scopes: ['positions:read'] });
  const stream = await open(account.secret);
  for (const channel of ['markets', 'prices', 'rounds'])
    assert.equal(await stream.refused({ op: 'subscribe', channel }), 'insufficient_scope');
  const reader = await open((await sandbox.trader({ scopes: ['markets:read'] })).secret);
  for (const channel of ['fills', 'account'])
    assert.equal(await reader.refused({ op: 'subscribe', channel }), 'insufficient_scope');
  const canceller = await open((await sandbox.trader({ scopes: ['orders:cancel'] })).secret);
  await canceller.ask('deadman', { op: 'deadman', seconds: 300 });
});

test('a key that is disabled, or expires once it is rotated, closes its streams, and no others', async () => {
  const account = await sandbox.trader({ tier: 'GOLD' });
  const brief = await sandbox.key(account.accountId, { scopes: ['markets:read'] });
  const [disabled, expiring, other] = await Promise.all([
    open(account.secret),
    open(brief.secret),
    open(trader.secret),
  ]);
  await sandbox.operator.post(`/keys/${brief.id}/rotate`, { overlapSeconds: 10 });
  const patched = await sandbox.operator.send('PATCH', `/keys/${account.keyId}`, '{"enabled":false}');
  assert.equal(patched.status, 200, patched.text);
  assert.deepEqual(await disabled.closed, { code: 4403, reason: 'key_disabled' });
  assert.equal((await disabled.take('error')).code, 'key_disabled');
  await expiring.settle();
  await sandbox.advance(10_000);
  assert.deepEqual(await expiring.closed, { code: 4403, reason: 'key_expired' });
  await other.settle();
});
