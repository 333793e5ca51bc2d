/** `GET /metrics` and `GET /vitals` of a real server have the clients' requests, over all gateways. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { OrderTrace } from '../../../engine/model/operators.js';
import { VITAL_NAMES } from '../../../http/metrics/vitals.js';
import type { VitalsResource } from '../../../http/operator/figures/vitals.js';
import { StreamClient } from '../../support/api/stream-client.js';
import { askUntil } from '../../support/ask-until.js';
import { tote, toteJson, toteText } from '../../support/processes/cli.js';
import { type Scrape, scrape, scrapeWhere } from '../../support/processes/scrape.js';
import { type Bettor, Server } from '../../support/processes/server.js';

const ORDERS = 12;
const TRACED = 4;
const ORDER = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };

async function started(env: Readonly<Record<string, string>> = {}) {
  const server = await Server.start({ env: { TOTE_GATEWAYS: '2', ...env } });
  const bettor = await server.createBettor();
  await server.toNextDay({ BTC: 67_000 });
  return { server, bettor };
}

let server: Server;
let bettor: Bettor;
before(async () => {
  ({ server, bettor } = await started());
});
after(() => server.remove());

const bet = ({ api }: Bettor, amount = 10) =>
  api.post<{ bet: { id: string } }>('/orders', { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount });

test('requests are counted by route and status, refusals by code', async () => {
  for (let n = 0; n < ORDERS; n++) assert.equal((await bet(bettor)).status, 201);
  assert.equal((await bet(bettor, 0.001)).status, 400);
  assert.equal((await bettor.api.get('/markets/BTC_ONE_DAY')).status, 200);
  assert.equal((await bettor.api.get('/markets/NO_SUCH')).status, 404);
  assert.equal((await bettor.api.get('/no/such/path')).status, 404);
  assert.equal((await server.api('wrong').get('/markets')).status, 401);
  const scraped = await scrape(server);
  const requests = (labels: string): number | undefined =>
    scraped.value(`tote_http_requests_total{${labels}}`);
  assert.equal(requests('method="POST",route="/orders",status="201"'), ORDERS);
  assert.equal(requests('method="POST",route="/orders",status="400"'), 1);
  assert.equal(requests('method="GET",route="/markets/{id}",status="200"'), 1);
  assert.equal(requests('method="GET",route="/markets/{id}",status="404"'), 1);
  assert.equal(requests('method="any",route="other",status="404"'), 1);
  assert.equal(scraped.sum('tote_http_requests_total'), ORDERS + 5);
  assert.equal(scraped.value('tote_refusals_total{code="market_not_found"}'), 1);
  assert.equal(scraped.value('tote_refusals_total{code="not_found"}'), 1);
  assert.equal(scraped.sum('tote_refusals_total'), 4);
  assert.ok(!scraped.text.includes('NO_SUCH'), 'what clients send names no series');
});

test('every accepted order is timed, and the parts of its time are the whole', async () => {
  const replayed = { 'Idempotency-Key': 'once' };
  for (let n = 0; n < 3; n++) assert.equal((await bettor.api.post('/orders', ORDER, replayed)).status, 201);
  const scraped = await scrape(server);
  const placed = ORDERS + 1;
  assert.equal(scraped.value('tote_order_duration_seconds_count'), placed);
  const whole = scraped.value('tote_order_duration_seconds_sum') ?? 0;
  const parts = ['ring', 'engine', 'commit', 'release'].map((stage) => {
    assert.equal(scraped.value(`tote_order_stage_duration_seconds_count{stage="${stage}"}`), placed);
    return scraped.value(`tote_order_stage_duration_seconds_sum{stage="${stage}"}`) ?? 0;
  });
  assert.ok(parts.every((part) => part > 0 && part < whole));
  const sum = parts.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - whole) < 1e-4 * placed, `${parts} are ${whole}`);
  const buckets = scraped.of('tote_order_duration_seconds_bucket').map(([, value]) => value);
  assert.ok(buckets.every((value, at) => value >= (buckets[at - 1] ?? 0)));
  assert.equal(buckets.at(-1), placed);
});

test('the stages of an order are found by the ids of its bet and its request, and by its Idempotency-Key', async () => {
  const trace = async (id: string) =>
    (await server.operator.get<OrderTrace>(`/orders/trace?id=${encodeURIComponent(id)}`)).data;
  // Both gateways take some.
  const placed = [];
  for (let n = 0; n < TRACED; n++) {
    const key = { 'Idempotency-Key': n % 2 === 0 ? `trace-${n}` : `"trace-${n}"` };
    const { headers, data } = await bettor.api.post<{ bet: { id: string } }>('/orders', ORDER, key);
    placed.push({ bet: data.bet.id, request: headers.get('x-request-id') ?? '', key: `trace-${n}` });
  }
  const last = must(placed.at(-1), 'an order').bet;
  // A trace is written just after the answer.
  const isFound = (found: OrderTrace): boolean => found !== undefined;
  await askUntil(() => trace(last), isFound);
  for (const { bet, request, key } of placed) {
    const { betId, requestId, stages, totalMs } = await trace(bet);
    assert.deepEqual([betId, requestId], [bet, request]);
    const names = stages.map(({ stage }) => stage);
    assert.deepEqual(names, ['gateway', 'engine', 'commit', 'answered']);
    assert.ok(stages.every(({ tookMs }) => tookMs > 0));
    assert.equal(stages.at(-1)?.atMs, totalMs);
    for (const id of [request, key]) assert.equal((await trace(id)).betId, bet);
  }
  assert.equal((await server.operator.get('/orders/trace?id=unknown')).status, 404);
  const at = server.dataDir;
  const found = await toteJson<OrderTrace>(['trace', 'trace-1', at]);
  assert.deepEqual({ ...found, receivedAt: '' }, { ...(await trace('trace-1')), receivedAt: '' });
  assert.match(await toteText(['trace', 'trace-1', at]), /^commit +\d+\.\d{3} ms +\d+\.\d{3} ms$/m);
  assert.match((await tote(['trace', 'unknown', at])).stderr, /no such order, or 100,000 since/);
  assert.equal((await tote(['trace', 'x', at, '--server', 'http://127.0.0.1:9'])).code, 3);
});

test('commands, batches and the state of the exchange are told', async () => {
  const scraped = await scrapeWhere(server, (now) => now.value('tote_open_bets') === ORDERS + 1 + TRACED);
  const accepted = scraped.value('tote_commands_total{kind="placeOrder",outcome="accepted"}');
  assert.equal(accepted, ORDERS + 1 + TRACED);
  assert.equal(scraped.value('tote_commands_total{kind="createAccount",outcome="accepted"}'), 1);
  const { data: status } = await server.operator.get<{ sequence: number }>('/status');
  assert.equal(scraped.value('tote_batch_commands_sum'), status.sequence, 'every command was in a batch');
  const batches = scraped.value('tote_batch_commands_count');
  assert.equal(batches, scraped.value('tote_commit_duration_seconds_count'));
  type House = Record<'balance' | 'accounts' | 'openStakes', number>;
  const { data: house } = await server.operator.get<House>('/house');
  const money = ['house_balance', 'accounts_balance', 'open_stakes', 'open_seeds', 'reserved_stakes'];
  const dollars = money.map((name) => scraped.value(`tote_${name}_dollars`) ?? Number.NaN);
  assert.deepEqual(dollars.slice(0, 3), [house.balance, house.accounts, house.openStakes]);
  const paidIn = 1_000_000 + 10_000;
  assert.ok(Math.abs(dollars.reduce((sum, value) => sum + value) - paidIn) < 0.005, dollars.join());
  const { data: exposed } = await server.operator.get<{ worst: number }>('/house/exposure');
  assert.equal(scraped.value('tote_exposure_dollars'), -exposed.worst);
  assert.ok(exposed.worst < 0);
  assert.equal(scraped.value('tote_taking_orders'), 1);
  assert.equal(scraped.value('tote_feed_age_seconds{asset="BTC"}'), 0, 'the clock stands still');
  assert.equal(scraped.value('tote_feed_age_seconds{asset="ETH"}'), undefined);
});

test('threads tell how busy they are, and the process its memory', async () => {
  const threads = ['engine', 'gateway0', 'gateway1', 'operators', 'journal', 'shadow', 'reader'];
  const busy = (thread: string): string => `tote_thread_busy_seconds_total{thread="${thread}"}`;
  const isBusy = (now: Scrape, thread: string): boolean => (now.value(busy(thread)) ?? 0) > 0;
  assert.equal((await scrape(server)).value(busy('reader')), 0, 'it begins with the first question');
  assert.equal((await bettor.api.get('/account/ledger')).status, 200);
  const scraped = await scrapeWhere(server, (now) => threads.every((thread) => isBusy(now, thread)));
  for (const thread of threads.slice(0, 4))
    assert.ok((scraped.value(`tote_thread_heap_used_bytes{thread="${thread}"}`) ?? 0) > 1e6, thread);
  assert.ok((scraped.value('process_resident_memory_bytes') ?? 0) > 5e7);
  assert.ok((scraped.value('process_open_fds') ?? 0) > 10);
});

test('refusals of rate limits are counted by limit, streams by how they end', async (t) => {
  const limits = 'key_read=1000,key_write=2,account=1000,ip=1000';
  const { server, bettor } = await started({ TOTE_RATE_LIMITS: limits });
  t.after(() => server.remove());
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) statuses.push((await bet(bettor)).status);
  assert.deepEqual(statuses, [201, 201, 429, 429, 429]);
  const stream = await StreamClient.open(server.publicUrl, bettor.secret);
  const other = await StreamClient.open(server.publicUrl, bettor.secret);
  const open = await scrape(server);
  assert.equal(open.value('tote_rate_limited_total{limit="key_write"}'), 3);
  assert.equal(open.sum('tote_rate_limited_total'), 3);
  assert.deepEqual([open.value('tote_streams'), open.value('tote_streams_opened_total')], [2, 2]);
  stream.socket.close();
  await server.operator.patch(`/keys/${bettor.keyId}`, { enabled: false });
  await Promise.all([stream.closed, other.closed]);
  const closed = await scrapeWhere(server, (now) => now.value('tote_streams') === 0);
  assert.equal(closed.value('tote_streams_ended_total{reason="closed"}'), 1);
  assert.equal(closed.value('tote_streams_ended_total{reason="key_disabled"}'), 1);
});

test('vitals are columns over one column of times, and go on from a time', async () => {
  await bet(bettor);
  const vitals = async (query = ''): Promise<VitalsResource> => {
    const answered = await server.operator.get<VitalsResource>(`/vitals${query}`);
    assert.equal(answered.status, 200, answered.text);
    return answered.data;
  };
  const seen = await askUntil(
    vitals,
    ({ columns }) => columns['ordersPerSecond']?.some((rate) => rate !== null && rate > 0) === true,
    100,
  );
  assert.equal(seen.everySeconds, 5);
  assert.deepEqual(Object.keys(seen.columns), VITAL_NAMES);
  assert.equal(seen.columns['gateways']?.at(-1), 2);
  const last = seen.time.at(-1) ?? 0;
  assert.ok((await vitals(`?since=${last}`)).time.every((time) => time > last));
  for (const query of ['?since=yesterday', '?since=-1', '?until=3'])
    assert.equal((await server.operator.get(`/vitals${query}`)).status, 400, query);
});
