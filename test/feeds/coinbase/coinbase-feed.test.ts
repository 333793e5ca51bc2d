/** Trades of an exchange as prices, over real sockets, from a service that speaks the recorded wire format. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { WebSocket } from 'ws';
import { ASSETS, assetClassOf } from '../../../engine/model/domain.js';
import { CoinbaseFeed } from '../../../feeds/coinbase/coinbase-feed.js';
import { ExchangeService, heartbeatJson, tickerJson } from '../support/exchange-service.js';
import { startFeed, waitOut } from '../support/seen.js';

const NOON_MS = Date.UTC(2026, 5, 10, 12);
const ETH = ASSETS.indexOf('ETH');

async function start(t: TestContext, prepare: (service: ExchangeService) => void = () => undefined) {
  const service = await ExchangeService.open();
  const { url } = service;
  prepare(service);
  return startFeed(t, service, (parts) => new CoinbaseFeed({ url, ...parts }));
}

type Started = Awaited<ReturnType<typeof start>>;

async function socketOf({ service, log }: Started): Promise<WebSocket> {
  const socket = await service.sockets.next();
  await log.ofEvent('feed_connected');
  return socket;
}

test('the middle of the book after a trade becomes a tick with its time, whatever the trade paid; each cryptocurrency is subscribed to alone', async (t) => {
  const started = await start(t);
  const socket = await socketOf(started);
  socket.send(tickerJson({ id: 1081862674, timeMs: NOON_MS - 102 }));
  socket.send(tickerJson({ id: 1081862675, timeMs: NOON_MS, price: '80691.54', bid: '80691.20' }));
  socket.send(tickerJson({ id: 7, timeMs: NOON_MS + 1, bid: '3300', ask: '3300', product: 'ETH-USD' }));
  await started.ticks.next();
  assert.deepEqual(await started.ticks.next(), {
    asset: 0,
    price: 80_691.37,
    spread: 80_691.54 - 80_691.2,
    timeMs: NOON_MS,
    source: 'coinbase',
    origin: 'BTC-USD trade 1081862675 bid 80691.2 ask 80691.54',
  });
  assert.deepEqual([(await started.ticks.next()).asset, started.ticks.all[0]?.timeMs], [ETH, NOON_MS - 102]);
  const cryptos = ASSETS.filter((name) => assetClassOf(name) === 'CRYPTO');
  for (const name of cryptos) assert.equal(await started.service.subscribed.next(), `${name}-USD`);
  assert.equal(started.feed.covers(ASSETS.indexOf('GOLD')), false);
});

test('how late prices arrive is measured by asset, by the clock of the wall', async (t) => {
  const started = await start(t);
  const socket = await socketOf(started);
  assert.equal(started.feed.latenessMs(ETH), null);
  socket.send(tickerJson({ id: 1, timeMs: started.clock.nowMs() - 1_234, product: 'ETH-USD' }));
  await started.ticks.next();
  assert.deepEqual([started.feed.latenessMs(ETH), started.feed.latenessMs(0)], [1_234, null]);
  assert.equal(started.feed.view().latenessMs.ETH, 1_234);
});

test('doubled trades, those out of order and those of a time to come are left out, over a new connection too', async (t) => {
  const started = await start(t);
  let socket = await socketOf(started);
  for (const id of [10, 10, 11, 9, 3_600_000, 12]) socket.send(tickerJson({ id, timeMs: NOON_MS + id }));
  for (let i = 0; i < 3; i++) await started.ticks.next();
  socket.close(1001);
  const { reason, waitMs } = await waitOut(started);
  assert.deepEqual([reason, waitMs], ['the service closed the connection (code 1001)', 250]);
  socket = await socketOf(started);
  socket.send(tickerJson({ id: 12, timeMs: NOON_MS + 12 }));
  socket.send(tickerJson({ id: 13, timeMs: NOON_MS + 13 }));
  assert.equal((await started.ticks.next()).timeMs, NOON_MS + 13);
  socket.send(tickerJson({ id: 1, timeMs: NOON_MS + 14 }));
  assert.equal((await started.ticks.next()).timeMs, NOON_MS + 14, 'the exchange counts anew');
  const counts = started.feed.view().updates.BTC;
  assert.deepEqual(counts, { taken: 5, refused: 1, standby: 0, repeated: 3, unsure: 0 });
  assert.equal(started.feed.newestMs, NOON_MS + 14);
});

test('an exchange that refuses the connection is left alone for as long as it says', async (t) => {
  const server = createServer().on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const started = await startFeed(t, server, (parts) => new CoinbaseFeed({ url, ...parts }));
  assert.deepEqual(await waitOut(started), { reason: 'the service answered 429', waitMs: 7_000 });
});

test('heartbeats keep a quiet market connected; without them the connection is given up', async (t) => {
  const started = await start(t);
  const socket = await socketOf(started);
  for (let i = 1; i <= 5; i++) {
    started.clock.pass(9_000);
    socket.send(heartbeatJson(NOON_MS));
    socket.ping();
    await once(socket, 'pong');
    started.feed.poll();
  }
  started.clock.pass(10_001);
  started.feed.poll();
  await once(socket, 'close');
  assert.equal((await waitOut(started)).reason, 'nothing new for 10 s');
  await socketOf(started);
});

test('a product that the exchange does not have is left out, the others are not', async (t) => {
  const started = await start(t, ({ unknown }) => void unknown.add('TON-USD'));
  const socket = await socketOf(started);
  const { fields } = await started.log.ofEvent('feed_service_error');
  assert.equal(fields['detail'], 'Failed to subscribe: TON-USD is not a valid product');
  const { excluded } = started.feed.view();
  assert.deepEqual(excluded, { TON: 'Failed to subscribe: TON-USD is not a valid product' });
  assert.equal(started.feed.covers(ASSETS.indexOf('TON')), false);
  socket.terminate();
  await waitOut(started);
  await socketOf(started);
  const products = (ASSETS.filter((name) => assetClassOf(name) === 'CRYPTO').length - 1) * 2 + 1;
  while (started.service.subscribed.all.length < products) await started.service.subscribed.next();
  assert.equal(started.service.subscribed.all.filter((product) => product === 'TON-USD').length, 1);
});

test('what is not in the form of the service is counted, and new kinds of messages are passed over', async (t) => {
  const started = await start(t);
  const socket = await socketOf(started);
  const sound = JSON.parse(tickerJson({ id: 5, timeMs: NOON_MS })) as object;
  const broken = [
    { best_bid: '-1' },
    { best_bid: '0' },
    { best_bid: '80691.55' },
    { best_ask: 80_691 },
    { best_ask: '1e9' },
    { trade_id: 'x' },
    { trade_id: -1 },
    { time: 'now' },
    { product_id: null },
  ];
  for (const part of broken) socket.send(JSON.stringify({ ...sound, ...part }));
  for (const text of ['not JSON', '[]', 'null']) socket.send(text);
  for (const other of [{ type: 'match', price: 7 }, { type: 'status' }]) socket.send(JSON.stringify(other));
  socket.send(tickerJson({ id: 5, timeMs: NOON_MS, product: 'DOGE-USD' }));
  socket.send(tickerJson({ id: 6, timeMs: NOON_MS }));
  assert.equal((await started.ticks.next()).origin.slice(0, 15), 'BTC-USD trade 6');
  assert.equal(started.feed.view().malformed, broken.length + 3);
});
