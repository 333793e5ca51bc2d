/** Prices from Hermes, over real sockets, from a service that speaks the recorded wire format. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { ASSETS, type Asset } from '../../../engine/model/domain.js';
import { HermesFeed } from '../../../feeds/hermes/hermes-feed.js';
import { HERMES_SYMBOLS } from '../../../feeds/hermes/symbols.js';
import { askUntil } from '../../support/ask-until.js';
import { eventOf, HERMES_IDS, HermesService, type SentPrice, updateJson } from '../support/hermes-service.js';
import { startFeed, waitOut } from '../support/seen.js';

const KEY = 'a-key-that-nobody-may-see';
/** Some providers have another one in the address. */
const PATH = '/a-key-in-the-path/hermes';
const NOON_S = Date.UTC(2026, 5, 10, 12) / 1_000;

interface Given {
  readonly path?: string;
  readonly prepare?: (service: HermesService) => void;
}

async function start(t: TestContext, { path = '/hermes', prepare }: Given = {}) {
  const service = await HermesService.open();
  prepare?.(service);
  const own = { url: new URL(path, service.url), apiKey: KEY };
  const started = await startFeed(t, service, (parts) => new HermesFeed({ ...own, ...parts }));
  return { ...started, counts: (asset: Asset) => started.feed.view().updates[asset] };
}

type Started = Awaited<ReturnType<typeof start>>;

async function streamOf({ service, log }: Started): Promise<ServerResponse> {
  const { response } = await service.streams.next();
  await log.ofEvent('feed_connected');
  return response;
}

async function streaming(t: TestContext) {
  const started = await start(t);
  return { started, stream: await streamOf(started) };
}

/** No other second has this price. */
const btcAt = (publishTime: number, more: Partial<SentPrice> = {}): SentPrice => ({
  asset: 'BTC',
  price: `${6_488_617_685_106 + publishTime - NOON_S}`,
  publishTime,
  ...more,
});

test('updates become ticks of all 14 assets, with the time and the evidence of the service', async (t) => {
  const { started, stream } = await streaming(t);
  stream.write(eventOf([btcAt(NOON_S, { slot: 307134755 })]));
  assert.deepEqual(await started.ticks.next(), {
    asset: 0,
    price: 64_886.17685106,
    timeMs: NOON_S * 1_000,
    source: 'hermes',
    origin: `${HERMES_IDS.BTC} slot 307134755 confidence 2302419392e-8`,
  });
  const fields = (i: number) => ({ conf: '3', expo: -5, publishTime: NOON_S + 14 - i });
  const all = ASSETS.map((asset, i) => ({ asset, price: `${1_160_00 + i}`, ...fields(i) }));
  stream.write(eventOf(all));
  for (const [asset] of ASSETS.entries()) {
    const tick = await started.ticks.next();
    assert.deepEqual([tick.asset, tick.price], [asset, (1_160_00 + asset) / 100_000]);
  }
  assert.equal(started.feed.newestMs, (NOON_S + 14) * 1_000, 'not that of the last to arrive');
});

test('the key is in a header only, and every asset is asked for by its symbol before the stream', async (t) => {
  const { service } = await start(t);
  const { request } = await service.streams.next();
  const queryOf = (url = '') => new URL(url, service.url).searchParams.get('query');
  const asked = service.listRequests.map(({ url }) => queryOf(url));
  const symbols = ASSETS.map((asset) => HERMES_SYMBOLS[asset][0]);
  assert.deepEqual(asked, symbols);
  for (const { headers, url } of [...service.listRequests, request]) {
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    assert.equal(headers['accept-encoding'], 'identity', 'a compressed stream would come late');
    assert.ok(!url?.includes(KEY));
  }
  const { searchParams } = new URL(request.url ?? '', service.url);
  const ids = ASSETS.map((asset) => HERMES_IDS[asset]);
  assert.deepEqual(searchParams.getAll('ids[]'), ids);
  const found = [searchParams.get('parsed'), searchParams.get('ignore_invalid_price_ids')];
  assert.deepEqual(found, ['true', 'true']);
});

test('the stream may be cut at every byte', async (t) => {
  const { started, stream } = await streaming(t);
  const bytesOf = (second: number): Buffer => {
    const json = updateJson([btcAt(second)]).replace('"metadata"', '"größe":"½ 🙂","metadata"');
    return Buffer.from(`:keep-alive\n\nid: ${second}\r\ndata:${json}\r\n\r\n`);
  };
  const length = bytesOf(NOON_S).length;
  for (let cut = 1; cut < length; cut++) {
    const bytes = bytesOf(NOON_S + cut);
    // Each write is a chunk of its own in the body, and is handed over as one, however the packets are.
    started.clock.pass(1_000);
    stream.write(bytes.subarray(0, cut));
    stream.write(bytes.subarray(cut));
    assert.equal((await started.ticks.next()).timeMs, (NOON_S + cut) * 1_000, `cut at ${cut}`);
  }
  for (const byte of bytesOf(NOON_S + length)) stream.write(Buffer.of(byte));
  assert.equal((await started.ticks.next()).timeMs, (NOON_S + length) * 1_000);
  assert.deepEqual([started.feed.view().malformed, started.counts('BTC')?.taken], [0, length]);
});

test('doubled updates, those out of order and those of a time to come are left out, within a second too', async (t) => {
  const { started, stream } = await streaming(t);
  const inOrder = [
    btcAt(NOON_S, { slot: 10 }),
    btcAt(NOON_S, { slot: 11, price: '6488617685107' }),
    btcAt(NOON_S + 1, { slot: 12, price: '6488617685108' }),
    // A service without slots is ordered by arrival within a second.
    btcAt(NOON_S + 2, { slot: 0, price: '6488617685109' }),
    btcAt(NOON_S + 2, { slot: null, price: '6488617685110' }),
  ];
  const repeated = [
    btcAt(NOON_S + 1, { slot: 12, price: '6488617685108' }),
    btcAt(NOON_S + 1, { slot: 11, price: '1' }),
    btcAt(NOON_S, { slot: 99, price: '2' }),
  ];
  const [a, b, c, d, e] = inOrder as [SentPrice, SentPrice, SentPrice, SentPrice, SentPrice];
  const ahead = btcAt(NOON_S + 3_600);
  for (const sent of [a, a, ahead, b, a, c, ...repeated, d, d, e, e]) stream.write(eventOf([sent]));
  stream.write(eventOf([btcAt(NOON_S + 3)]));
  await started.ticks.nextWhere(({ timeMs }) => timeMs === (NOON_S + 3) * 1_000);
  const got = started.ticks.all.slice(0, -1).map(({ price }) => price);
  const expected = inOrder.map(({ price }) => Number(`${price}e-8`));
  assert.deepEqual(got, expected);
  assert.deepEqual(started.counts('BTC'), { taken: 6, refused: 1, standby: 0, repeated: 7, unsure: 0 });
});

test('a price that the service is too unsure of is not passed on, and is logged once a minute', async (t) => {
  const { started, stream } = await streaming(t);
  const sent = (second: number, conf: string) => btcAt(second, { price: '1000000', conf });
  stream.write(eventOf([sent(NOON_S, '5000')]));
  stream.write(eventOf([sent(NOON_S + 1, '5001')]));
  stream.write(eventOf([sent(NOON_S + 2, '9000')]));
  stream.write(eventOf([btcAt(NOON_S + 3, { price: '0', conf: '0' })]));
  stream.write(eventOf([sent(NOON_S + 4, '0')]));
  await started.ticks.next();
  assert.equal((await started.ticks.next()).timeMs, (NOON_S + 4) * 1_000);
  const { fields } = await started.log.ofEvent('price_uncertain');
  assert.deepEqual([fields['crypto'], fields['unsureBy']], ['BTC', 0.005001]);
  assert.equal(started.log.all.filter(({ event }) => event === 'price_uncertain').length, 1);
  assert.equal(started.counts('BTC')?.unsure, 3);
  for (const [asset, conf] of [['GOLD', 2_000] as const, ['EURUSD', 1_000] as const]) {
    const [price, publishTime] = ['1000000', NOON_S];
    stream.write(eventOf([{ asset, price, publishTime, conf: `${conf + 1}` }]));
    stream.write(eventOf([{ asset, price, publishTime: NOON_S + 1, conf: `${conf}` }]));
    assert.deepEqual((await started.ticks.next()).timeMs, (NOON_S + 1) * 1_000, asset);
  }
});

test('an id of another asset prices nothing, even where the service sends it', async (t) => {
  const prepare = ({ listed }: HermesService): void => {
    listed.delete('Crypto.TON/USD');
    listed.set('Metal.XAG/USD', 'ab'.repeat(32));
  };
  const started = await start(t, { prepare });
  const { request, response } = await started.service.streams.next();
  const ids = new URL(request.url ?? '', started.service.url).searchParams.getAll('ids[]');
  assert.equal(ids.length, ASSETS.length - 2);
  assert.deepEqual([ids.includes(HERMES_IDS.SILVER), ids.includes(HERMES_IDS.TON)], [false, false]);
  const { fields } = await started.log.ofEvent('feed_ids_refused');
  const refused = fields['assets'] as Record<string, string>;
  assert.match(refused['SILVER'] ?? '', /is not the service's id of Metal\.XAG\/USD, which is abab/);
  assert.match(refused['TON'] ?? '', /no price feed with the symbol Crypto\.TON\/USD/);
  assert.deepEqual(Object.keys(started.feed.view().excluded), ['SILVER', 'TON']);
  const base = { price: '100', conf: '0', publishTime: NOON_S };
  response.write(
    eventOf([
      { asset: 'TON', ...base },
      { asset: 'SILVER', ...base },
      { asset: 'GOLD', ...base },
      { asset: 'BTC', ...base, id: 'cd'.repeat(32) },
      { asset: 'ETH', ...base },
    ]),
  );
  const priced = [await started.ticks.next(), await started.ticks.next()].map(({ asset }) => ASSETS[asset]);
  assert.deepEqual(priced, ['GOLD', 'ETH'], 'the others go on');
  assert.equal(started.ticks.all.length, 2);
});

test('after the service closes the stream, as it does once a day, it is opened again; ids stay checked for a day', async (t) => {
  const started = await start(t);
  const { clock, feed, service } = started;
  let stream = await streamOf(started);
  for (let i = 1; i <= 24 * 360; i++) {
    clock.pass(10_000);
    stream.write(eventOf([btcAt(NOON_S + i * 10)]));
    await started.ticks.next();
    feed.poll();
  }
  stream.end();
  assert.deepEqual(await waitOut(started), { reason: 'the service closed the stream', waitMs: 250 });
  stream = await streamOf(started);
  assert.equal(service.listRequests.length, 2 * ASSETS.length, 'a day has passed');
  stream.destroy();
  await waitOut(started);
  await streamOf(started);
  assert.equal(service.listRequests.length, 2 * ASSETS.length, 'and now a moment');
});

test('a 429 is obeyed: as long as the service says, a minute where it does not', async (t) => {
  const answers: Record<string, string>[] = [{ 'retry-after': '7' }, {}];
  const prepare = (service: HermesService): void => {
    service.intercept = (request, response) => {
      const headers = request.url?.includes('/stream') ? answers.shift() : undefined;
      if (headers === undefined) return false;
      response.writeHead(429, headers).end('Too Many Requests');
      return true;
    };
  };
  const started = await start(t, { prepare });
  assert.equal((await started.log.ofEvent('feed_disconnected')).fields['waitMs'], 7_000);
  started.clock.pass(6_999);
  started.feed.poll();
  assert.equal(started.feed.view().connection.attempts, 1);
  started.clock.pass(1);
  started.feed.poll();
  const { reason, waitMs } = await waitOut(started);
  assert.deepEqual([reason, waitMs], ['the service answered 429: Too Many Requests', 60_000]);
  await streamOf(started);
  const requests = started.service.listRequests.length;
  assert.equal(requests, ASSETS.length, 'nothing more was asked for than had to be');
});

/** Every request has this answer. */
async function disconnectedBy(t: TestContext, status: number, headers: Record<string, string>, body = '') {
  const prepare = (service: HermesService): void => {
    service.intercept = (request, response) => {
      response.writeHead(status, headers).end(`${body}${request.headers.authorization} for ${request.url}`);
      return true;
    };
  };
  const started = await start(t, { path: PATH, prepare });
  return { ...started, ...(await waitOut(started)) };
}

test('Retry-After may be a date, by the clock of the service', async (t) => {
  const { waitMs } = await disconnectedBy(t, 503, {
    date: 'Wed, 10 Jun 2026 12:00:00 GMT',
    'retry-after': 'Wed, 10 Jun 2026 12:00:20 GMT',
  });
  assert.equal(waitMs, 20_000);
});

test('a key that is refused is tried again after half a minute, and is in no log and no status', async (t) => {
  const refused = await disconnectedBy(t, 401, {}, 'invalid API key ');
  assert.match(refused.reason, /answered 401: invalid API key Bearer \[key\] for \/\[key\]\/hermes/);
  assert.equal(refused.waitMs, 30_000);
  assert.doesNotMatch(JSON.stringify([refused.log.all, refused.feed.view()]), /a-key-/);
});

test('a redirection is not followed: the key would go with it', async (t) => {
  const { reason } = await disconnectedBy(t, 302, { location: 'https://elsewhere.example/' });
  assert.match(reason, /answered 302 \(redirections are not followed\)/);
});

test('a stream without anything new for 10 s is given up, whatever else it sends', async (t) => {
  const { started, stream } = await streaming(t);
  stream.write(eventOf([btcAt(NOON_S)]));
  await started.ticks.next();
  started.clock.pass(10_001);
  // The same price again, comments and another asset that nobody asked for are no news.
  stream.write(`:\n\n${eventOf([btcAt(NOON_S)])}${eventOf([btcAt(NOON_S + 1, { id: 'cd'.repeat(32) })])}`);
  stream.write('event: error\ndata: Error receiving update: Lagged(7)\n\n');
  const { fields } = await started.log.ofEvent('feed_service_error');
  assert.equal(fields['detail'], 'Error receiving update: Lagged(7)');
  started.feed.poll();
  const { reason } = await waitOut(started);
  assert.equal(reason, 'nothing new for 10 s');
  const again = await streamOf(started);
  again.write(eventOf([btcAt(NOON_S + 20)]));
  assert.equal((await started.ticks.next()).timeMs, (NOON_S + 20) * 1_000);
});

test('what is not in the form of the service is passed over, and counted', async (t) => {
  const { started, stream } = await streaming(t);
  const sound = JSON.parse(updateJson([btcAt(NOON_S)])) as { parsed: { price: object }[] };
  const [entry] = sound.parsed;
  const broken = [
    { price: { price: '-5', conf: '1', expo: -8, publish_time: NOON_S } },
    { price: { price: 5, conf: '1', expo: -8, publish_time: NOON_S } },
    { price: { price: '5', conf: '1', expo: 99, publish_time: NOON_S } },
    { price: { price: '5', conf: '1', expo: -8, publish_time: 'now' } },
    { price: null },
    { id: 'short' },
  ].map((part) => ({ ...entry, ...part }));
  for (const text of ['not JSON', '[]', 'null', '7', '{"parsed":{}}']) stream.write(`data: ${text}\n\n`);
  stream.write(`data: ${JSON.stringify({ parsed: [...broken, null, entry] })}\n\n`);
  stream.write('data: {"binary":{"encoding":"hex","data":[]}}\n\n');
  assert.equal((await started.ticks.next()).price, 64_886.17685106);
  assert.deepEqual([started.ticks.all.length, started.feed.view().malformed], [1, 5 + broken.length + 1]);
  await started.log.ofEvent('feed_malformed');
});

test('an event without an end is not kept in memory for ever', async (t) => {
  const { started, stream } = await streaming(t);
  stream.on('error', () => undefined);
  stream.write(`data: ${'x'.repeat(1_000_001)}`);
  const { reason } = await waitOut(started);
  assert.equal(reason, 'an event of the stream is too long');
  await streamOf(started);
});

test('the price at a boundary of the past is asked for second by second, with what the service signed', async (t) => {
  const five = ASSETS.slice(0, 5);
  const started = await start(t, {
    prepare: ({ past }) => {
      const eth: SentPrice = { asset: 'ETH', price: '300000000000', conf: '1', publishTime: NOON_S };
      past.set(NOON_S, [btcAt(NOON_S + 2), eth]);
      for (const back of [1, 2]) past.set(NOON_S - back, [btcAt(NOON_S + 2)]);
      past.set(NOON_S - 3, [btcAt(NOON_S - 3)]);
      const conf = (asset: Asset): string => (asset === 'SOL' ? '3000000000' : '1');
      const earlier = { ...eth, publishTime: NOON_S - 60 };
      past.set(
        NOON_S - 60,
        five.map((asset) => ({ ...earlier, asset, conf: conf(asset) })),
      );
    },
  });
  const boundaryMs = NOON_S * 1_000;
  for (const asset of [0, 1]) started.feed.recall(asset, boundaryMs);
  for (const asset of five.keys()) started.feed.recall(asset, boundaryMs - 60_000);
  assert.equal(started.service.pastAsked.all.length, 0, 'the stream comes first');
  await streamOf(started);
  const [eth, btc] = [await started.ticks.next(), await started.ticks.next()];
  assert.deepEqual([eth.asset, eth.timeMs, eth.boundaryMs], [1, boundaryMs, boundaryMs]);
  assert.deepEqual([btc.asset, btc.timeMs, btc.boundaryMs], [0, boundaryMs - 3_000, boundaryMs]);
  assert.match(btc.origin, /^e62d.* slot \d+ confidence \S+ signed UE5BVQEAAAADuAEAAAAE$/);
  // The service is too unsure of the third price.
  for (const asset of [0, 1, 3, 4]) {
    const tick = await started.ticks.next();
    assert.deepEqual([tick.asset, tick.boundaryMs], [asset, boundaryMs - 60_000]);
  }
  const { BTC, ETH } = HERMES_IDS;
  const ids = five.map((asset) => HERMES_IDS[asset]);
  assert.deepEqual(started.service.pastAsked.all, [
    [NOON_S, [BTC, ETH]],
    [NOON_S - 1, [BTC]],
    [NOON_S - 2, [BTC]],
    [NOON_S - 3, [BTC]],
    [NOON_S - 60, ids.slice(0, 4)],
    [NOON_S - 60, ids.slice(4)],
  ]);
  started.feed.start(() => ({ taken: false, detail: 'too far' }));
  started.feed.recall(1, boundaryMs);
  const { fields } = await started.log.ofEvent('feed_service_error');
  assert.match(String(fields['detail']), /^\d+ of ETH at 2026-06-10T12:00:00.000Z is not used: too far$/);
});

test('a question about the past that fails is asked three times, and none after the service sends us away', async (t) => {
  const started = await start(t);
  const { service, feed, log } = started;
  const minutesBefore = (minutes: number): number => (NOON_S - 60 * minutes) * 1_000;
  const secondAsked = async (): Promise<number> => (await service.pastAsked.next())[0];
  feed.recall(0, minutesBefore(0));
  await streamOf(started);
  for (let time = 1; time <= 3; time++) assert.equal(await secondAsked(), NOON_S);
  const { fields } = await log.ofEvent('feed_service_error');
  assert.match(String(fields['detail']), /^prices at 2026-06-10T12:00:00.000Z: the service answered 404/);
  const onceAnswered = (answer: (response: ServerResponse) => void): void => {
    service.intercept = (_, response) => {
      service.pastAsked.add([0, []]);
      service.intercept = () => false;
      answer(response);
      return true;
    };
  };
  onceAnswered((response) => response.writeHead(200).write('{'));
  feed.recall(0, minutesBefore(4));
  assert.equal(await secondAsked(), 0);
  started.clock.pass(4_000);
  feed.poll();
  assert.equal(service.pastAsked.all.length, 4);
  started.clock.pass(1);
  feed.poll();
  for (const time of [2, 3]) assert.equal(await secondAsked(), NOON_S - 240, `${time}: 4 s are a failure`);
  onceAnswered((response) => response.writeHead(429).end());
  for (const minutes of [1, 2]) feed.recall(0, minutesBefore(minutes));
  assert.equal(await secondAsked(), 0);
  started.clock.pass(61_000);
  service.past.set(NOON_S - 180, [btcAt(NOON_S - 180)]);
  await askUntil(
    () => feed.view().updates['BTC']?.taken ?? 0,
    (taken) => {
      if (taken === 0) feed.recall(0, minutesBefore(3));
      return taken > 0;
    },
  );
  assert.equal(await secondAsked(), NOON_S - 180);
});
