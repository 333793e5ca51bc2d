/** The requests of bots: the mix of reads and orders, refused orders, and replays. */
import { must } from '../../engine/base/assert.js';
import { httpRequest, SERIAL } from '../client/http-request.js';
import type { Expectation, RequestTemplate } from '../client/job.js';
import { runLoad } from '../client/load.js';
import type { Bettor, MarketState } from '../tote/bettors.js';
import type { ToteServer } from '../tote/server.js';
import { catchUp } from '../tote/shadow.js';
import { type Book, LIMIT_HEADERS, orderTemplates, PLACED, placed } from './book.js';
import type { Target } from './rows.js';

/** A cycle of ten requests: six markets, two lists of all markets, a list of positions, an order. */
const MIX = [
  'market',
  'list',
  'market',
  'positions',
  'market',
  'order',
  'market',
  'list',
  'market',
  'market',
];
/** Far from any market's percent: both sides have about 50 %. */
const FAR_PERCENT = 99;
/** Serial numbers of runs stay below this. */
const FIXED_KEYS_FROM = 900_000_000_000;
let nextFillSerial = 800_000_000_000;
const FILL_CONNECTIONS = 64;
const FILL_MS_MAX = 120_000;
const QUIET = { onMeasuring: () => {}, onMeasured: () => {} };
const READ = 1;

/** Requests, and the bettor of each. */
export interface Workload {
  readonly templates: readonly RequestTemplate[];
  readonly expectations: readonly Expectation[];
  readonly bettors: readonly Bettor[];
}

export function ordersOnly(bettors: readonly Bettor[], markets: readonly MarketState[]): Workload {
  return { templates: orderTemplates(bettors, markets), expectations: placed(true), bettors };
}

/** `GET /markets/{id}` only. */
export function marketReads(bettors: readonly Bettor[], markets: readonly MarketState[]): Workload {
  const path = `/v1/markets/${must(markets[0], 'market').id}`;
  const templates = bettors.map(({ apiKey }): RequestTemplate => {
    const text = httpRequest('GET', path, [['X-API-Key', apiKey]], '');
    return { text, serialAt: -1, expect: 0, stakeCents: 0 };
  });
  return { templates, expectations: [answered(200, '{"success":true,"data":')], bettors };
}

/** 60 % `GET /markets/{id}`, 20 % `GET /markets`, 10 % `GET /positions`, 10 % orders. */
export function botsMix(
  bettors: readonly Bettor[],
  markets: readonly MarketState[],
  refusals: readonly string[] = [],
): Workload {
  const owners: Bettor[] = [];
  const templates = orderTemplates(bettors, markets).flatMap((order, at) => {
    const bettor = must(bettors[at % bettors.length], 'bettor');
    const market = must(markets[at % markets.length], 'market').id;
    return MIX.map((kind): RequestTemplate => {
      owners.push(bettor);
      if (kind === 'order') return order;
      const path = { market: `/v1/markets/${market}`, list: '/v1/markets', positions: '/v1/positions' }[kind];
      const text = httpRequest('GET', must(path, kind), [['X-API-Key', bettor.apiKey]], '');
      return { text, serialAt: -1, expect: READ, stakeCents: 0 };
    });
  });
  const orders = placed(true).map((want) =>
    want.protocol === 'resp' ? want : { ...want, refusals: { status: 400, bodyStarts: refusals } },
  );
  return { templates, expectations: [...orders, answered(200, '{"success":true,"data":')], bettors: owners };
}

/** Orders that expect other odds: refused after most checks, and not journaled. */
export function refusedOrders(bettors: readonly Bettor[], markets: readonly MarketState[]): Workload {
  const templates = orderTemplates(bettors, markets, FAR_PERCENT).map((order) => ({
    ...order,
    stakeCents: 0,
  }));
  return { templates, expectations: [answered(409, '{"success":false,"error":"odds_changed')], bettors };
}

/** Places each order once, and returns requests that repeat them. `lap` differs for each call. */
export async function replayedOrders(server: ToteServer, book: Book, lap: number): Promise<Workload> {
  const { bettors, markets } = book;
  const first = orderTemplates(bettors, markets).map((order, at) => ({
    ...order,
    text: order.text.replace(SERIAL, String(FIXED_KEYS_FROM + lap * 1_000_000 + at)),
    serialAt: -1,
  }));
  await fill(server, { templates: first, expectations: placed(true), bettors }, first.length, book);
  const headers = [...LIMIT_HEADERS, 'X-Idempotent-Replay: true'];
  return {
    templates: first.map((order) => ({ ...order, stakeCents: 0 })),
    expectations: [{ protocol: 'http', status: 201, bodyStart: PLACED, numbered: false, headers }],
    bettors,
  };
}

/** Sends the first `count` requests from the suite's own process, unmeasured. */
export async function fill(
  server: ToteServer,
  { templates, expectations, bettors }: Workload,
  count: number,
  { acknowledged }: Pick<Book, 'acknowledged'>,
): Promise<void> {
  const result = await runLoad(
    {
      ...{ host: '127.0.0.1', port: server.port, connections: FILL_CONNECTIONS },
      ...{ warmupMs: 0, measureMs: FILL_MS_MAX, pace: { kind: 'closed' }, requestsMax: count },
      ...{ templates, expectations, firstSerial: nextFillSerial },
    },
    QUIET,
  );
  nextFillSerial = Math.max(result.nextSerial, nextFillSerial);
  acknowledged.add(result, templates, (at) => must(bettors[at % bettors.length], 'bettor'));
  const [unexpected] = result.unexpected;
  if (unexpected !== undefined || result.sent !== count) {
    throw new Error(
      `${result.sent} of ${count} orders were sent; unexpected: ${unexpected?.answer ?? 'none'}`,
    );
  }
}
export function workloadTarget(
  name: string,
  server: ToteServer,
  { templates, expectations, bettors }: Workload,
  { acknowledged }: Pick<Book, 'acknowledged'>,
): Target {
  return {
    name: `tote: ${name}`,
    process: server.process,
    port: server.port,
    templates,
    expectations,
    catchUp: () => catchUp(server),
    onResult: ({ client }) =>
      acknowledged.add(client, templates, (at) => must(bettors[at % bettors.length], 'bettor')),
  };
}

const answered = (status: number, bodyStart: string): Expectation => ({
  protocol: 'http',
  status,
  bodyStart,
  numbered: false,
  headers: LIMIT_HEADERS,
});
