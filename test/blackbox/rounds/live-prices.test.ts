/** A server with live prices: from the services' streams to rounds that open by them, and from one service to the other. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ASSETS } from '../../../engine/model/domain.js';
import type { Status } from '../../../http/operator/queries/status.js';
import { ExchangeService, tickerJson } from '../../feeds/support/exchange-service.js';
import { eventOf, HermesService } from '../../feeds/support/hermes-service.js';
import { toteText } from '../../support/processes/cli.js';
import { logLines } from '../../support/processes/log-lines.js';
import { Server } from '../../support/processes/server.js';
import { statusWhere } from '../../support/processes/status.js';

const KEY = 'a-key-that-nobody-may-see';
const SENT_EVERY_MS = 200;

let service: HermesService;
let server: Server;
let exchange: ExchangeService;
let sending: NodeJS.Timeout;
/** Hermes sends nothing of these assets. */
const missing = new Set<string>();
let trades = 0;

before(async () => {
  service = await HermesService.open();
  exchange = await ExchangeService.open();
  // The service confuses two metals: SILVER may not be priced by its messages.
  service.listed.set('Metal.XAG/USD', 'ab'.repeat(32));
  sending = setInterval(send, SENT_EVERY_MS);
  server = await Server.start({
    env: {
      TOTE_FEED: 'hermes,coinbase',
      TOTE_COINBASE_URL: exchange.url.href,
      TOTE_CLOCK: 'system',
      TOTE_HERMES_URL: service.url.href,
      TOTE_HERMES_API_KEY: KEY,
    },
  });
});

after(async () => {
  clearInterval(sending);
  await server.remove();
  service.close();
  exchange.close();
});

function send(): void {
  const fields = { conf: '1', expo: -2, publishTime: Math.floor(Date.now() / 1_000) };
  const prices = ASSETS.map((asset, i) => ({ asset, price: `${(i + 1) * 1_000}`, ...fields }));
  const sent = prices.filter(({ asset }) => !missing.has(asset));
  for (const { response } of service.streams.all) response.write(eventOf(sent));
  const trade = tickerJson({ id: ++trades, bid: '10.00', ask: '10.02', timeMs: Date.now() });
  for (const socket of exchange.sockets.all) socket.send(trade);
}

test('prices of the service open rounds, and status tells of the connection', async () => {
  const { feed } = await statusWhere(server, ({ feed }) => feed.ticks['TON'] !== null);
  assert.equal(feed.name, 'hermes,coinbase');
  const shown = [feed.ticks['BTC']?.price, feed.ticks['TON']?.price, feed.ticks['SILVER']];
  assert.deepEqual(shown, [10, 140, null]);
  const [source] = feed.sources;
  assert.deepEqual([source?.name, source?.connection.state], ['hermes', 'connected']);
  assert.deepEqual(Object.keys(source?.excluded ?? {}), ['SILVER']);
  assert.ok((source?.updates['BTC']?.taken ?? 0) > 0);
  const { api } = await server.createBettor();
  // At least one of five time frames has a window with time left to bet.
  await statusWhere(server, ({ rounds }) => rounds.open > 0);
  const prices = await api.get<{ crypto: string; price: number }[]>('/prices');
  assert.equal(prices.data.find(({ crypto }) => crypto === 'BTC')?.price, 10);
});

test('the key is in no line of the log', async () => {
  const stderr = await server.run.findInErrors((text) => (text.includes('feed_ids_refused') ? text : null));
  assert.ok(logLines(stderr).some(({ event }) => event === 'feed_ids_refused'));
  assert.ok(!stderr.includes(KEY) && !server.run.stdout.includes(KEY));
});

test('an asset that one service no longer prices takes the other, and the log says so', async () => {
  const isFrom = (source: string) => (status: Status) => status.feed.ticks['BTC']?.source === source;
  const sourcesOf = ({ feed }: Status) => feed.sources.map(({ updates }) => updates['BTC']);
  const before = await statusWhere(server, isFrom('hermes'));
  assert.ok((sourcesOf(before)[1]?.standby ?? 0) > 0, 'the exchange stands by');
  missing.add('BTC');
  const after = await statusWhere(server, isFrom('coinbase'));
  assert.deepEqual([after.feed.ticks['BTC']?.price, after.feed.ticks['ETH']?.source], [10.01, 'hermes']);
  const line = await server.run.findInErrors((stderr) =>
    logLines(stderr).find(({ event }) => event === 'feed_switched'),
  );
  assert.deepEqual([line['crypto'], line['from'], line['to']], ['BTC', 'hermes', 'coinbase']);
  assert.match(String(line['reason']), /^hermes has had no price for \d+ s$/);
  const opened = await toteText(['replay', server.dataDir, '--kind', 'openLate', '--explain']);
  assert.match(opened, /openLate {2}asset BTC, price 10, .*source hermes, evidence "e62df6c8/);
});
