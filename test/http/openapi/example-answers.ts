/** The answers that the API document shows as examples, asked of the real handlers and engine. */
import assert from 'node:assert/strict';
import { DEFAULT_RATE_LIMITS } from '../../../config/rate-limits.js';
import { ClockGuard } from '../../../engine/host/clock-guard.js';
import { type ArchiveRefusal, archiveReads } from '../../../engine/model/archive-reads.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import { defaultRules, type Rules } from '../../../engine/model/rules.js';
import { FAILURE_KINDS, type FailureName } from '../../../http/openapi/failures.js';
import type { Json, JsonObject } from '../../../http/openapi/schemas.js';
import type { UwsRequest } from '../../../http/uws/library.js';
import { RequestHeaders } from '../../../http/uws/request-headers.js';
import { fairHouse, fixedHouse, withHouse } from '../../support/engine/house-rules.js';
import { type Bettor, dataOf, errorOf, Harness, type HarnessOptions, type Reply } from '../api/harness.js';

const MINUTE_MARKET = 'BTC_ONE_MINUTE';
const DAY_MARKET = 'BTC_ONE_DAY';
const ORDER = { marketId: DAY_MARKET, prediction: 'DOWN', amount: 10 };
const OPEN_PRICE = 64_985.25;
const CLOSE_PRICE = 65_010.5;

/** Two markets, so that the list of them stays short. */
function exampleRules(change: Partial<Rules> = {}): Rules {
  const rules = withHouse(defaultRules('f'.repeat(64)), fixedHouse());
  const markets = rules.markets.filter(({ marketId }) => [MINUTE_MARKET, DAY_MARKET].includes(marketId));
  return { ...rules, markets, ...change };
}

/** As the transport words them: `transport-bodies.test.ts`. */
export const LATE_BODY = { code: 'request_timeout', detail: 'the body took too long to arrive' } as const;
export const LARGE_BODY = { code: 'body_too_large', detail: 'a body has at most 16384 bytes' } as const;

/** What goes into the document: `data` of successes by name, `error` of failures by the name of their response. */
export interface ExampleAnswers {
  readonly successes: Readonly<Record<string, Json>>;
  readonly failures: Readonly<Record<FailureName, readonly string[]>>;
}

export function exampleAnswers(): ExampleAnswers {
  return { successes: successes(), failures: failures() };
}

function successes(): ExampleAnswers['successes'] {
  const api = new Harness({ rules: withHouse(exampleRules(), fairHouse()) });
  api.fairShareE6 = 500_000;
  const { secret } = api.bettor();
  const read = (path: string, query = ''): Json => dataOf(api.get(`/v1${path}`, secret, query));
  const marketWithoutRound = read(`/markets/${MINUTE_MARKET}`);
  api.ticks[0] = OPEN_PRICE;
  api.open(0, OPEN_PRICE);
  api.clock.pass(11_983);
  api.ticks[0] = 64_980.11;
  api.fairShareE6 = 449_127;
  const guarded = { ...ORDER, marketId: MINUTE_MARKET, prediction: 'UP', amount: 25, expectedPercent: 50 };
  const order = dataOf<Json>(api.order(secret, { ...guarded, clientSeed: 'my seed' }));
  api.clock.pass(1_204);
  api.order(secret, ORDER);
  const roundPath = `/rounds/${MINUTE_MARKET}_${Math.floor(api.clock.wallMs / 60_000)}`;
  const live = {
    // One of them: all are alike.
    markets: (read('/markets') as Json[]).slice(0, 1),
    market: read(`/markets/${DAY_MARKET}`),
    liveRound: read(roundPath),
  };
  const prices = read('/prices');
  // To the lock, where the root is put on record.
  api.clock.pass(55_000 - (api.clock.wallMs % 60_000));
  api.advance();
  api.publishRoots();
  api.closeMinute(CLOSE_PRICE);
  const settledRound = read(roundPath);
  const page = (path: string, query: string): Json => {
    const { success: _, ...members } = JSON.parse(api.get(`/v1${path}`, secret, query).text) as JsonObject;
    return members;
  };
  const positions = page('/positions', 'status=all');
  const quote = (body: object): Json =>
    dataOf<Json>(api.send('POST', '/v1/orders/quote', { key: secret, body }));
  const keyed = api.order(secret, ORDER, 'my-key');
  assert.equal(keyed.status, 201);
  const pendingOrder = dataOf<Json>(api.order(secret, { ...ORDER, limitOdds: 2.5 }));
  const cancelledOrder = dataOf<Json>(api.send('DELETE', '/v1/orders/bet_4', { key: secret }));
  const limited = new Harness({ rules: exampleRules(), limits: DEFAULT_RATE_LIMITS });
  const silver = limited.bettor({ tier: 'SILVER' }).secret;
  limited.open();
  limited.order(silver, ORDER);
  limited.clock.pass(1_204);
  return {
    time: read('/time'),
    ...live,
    marketWithoutRound,
    prices,
    settledRound,
    limits: dataOf<Json>(limited.get('/v1/limits', silver)),
    account: dataOf<Json>(limited.get('/v1/account', silver)),
    positions,
    orders: page('/orders', 'limit=1'),
    order,
    oneOrder: read('/orders/bet_1'),
    seenOrder: read('/orders/by-idempotency-key/my-key'),
    unseenOrder: read('/orders/by-idempotency-key/another-key'),
    quote: quote({ ...ORDER, minOdds: 1.5 }),
    refusedQuote: quote({ ...ORDER, minOdds: 2.5 }),
    earlyRefusedQuote: quote({ ...ORDER, roundId: `${DAY_MARKET}_1` }),
    pendingOrder,
    cancelledOrder,
    roundProof: read(`${roundPath}/proof`),
    orderProof: read('/orders/bet_1/proof'),
    keys: read('/keys'),
    ledger: page('/account/ledger', 'limit=3'),
    rounds: page('/rounds', ''),
    marketRounds: page(`/markets/${MINUTE_MARKET}/rounds`, ''),
  };
}

/** A server that takes bets, and someone who may place them. */
function trading(options: HarnessOptions = {}, bettorOptions: Parameters<Harness['bettor']>[0] = {}) {
  const api = new Harness({ rules: exampleRules(), ...options });
  const bettor = api.bettor(bettorOptions);
  api.open(0, OPEN_PRICE);
  return { api, ...bettor };
}

const ambiguity = (): string => {
  const headers = new RequestHeaders();
  const request: UwsRequest = {
    forEach: (visit) => {
      visit('content-length', '10');
      visit('transfer-encoding', 'chunked');
    },
    getHeader: () => '',
    getCaseSensitiveMethod: () => 'GET',
    getUrl: () => '/v1/markets',
    getQuery: () => undefined,
  };
  headers.read(request);
  return headers.ambiguity ?? '';
};

const asked = (change: (api: Harness, bettor: Bettor) => void, ask = order): Reply => {
  const { api, ...bettor } = trading();
  change(api, bettor);
  return ask(api, bettor.secret);
};
const order = (api: Harness, key: string): Reply => api.order(key, ORDER);
const markets = (api: Harness, key: string): Reply => api.get('/v1/markets', key);
const faulty = (fault: { code: ErrorCode; detail: string }): Reply =>
  new Harness().send('GET', '/v1/markets', { fault });

/** How to be refused with each code, where the response does not make a difference. */
const WAYS: Readonly<Record<string, () => Reply>> = {
  missing_api_key: () => markets(new Harness(), ''),
  invalid_api_key: () => markets(new Harness(), 'tote_?'),
  key_disabled: () =>
    asked((api, { key }) => {
      api.submit({ kind: 'updateKey', key, enabled: false });
      api.settle();
    }, markets),
  key_expired: () => {
    const api = new Harness();
    const { secret } = api.bettor({ expiresAtMs: api.clock.wallMs + 1 });
    api.clock.pass(1);
    return markets(api, secret);
  },
  insufficient_scope: () => markets(...keyWith({ scopes: ['positions:read'] })),
  tier_too_low: () =>
    asked((api, { account }) => api.submit({ kind: 'updateAccount', account, tier: 0, frozen: null })),
  account_frozen: () =>
    asked((api, { account }) => api.submit({ kind: 'updateAccount', account, tier: null, frozen: true })),
  market_not_found: () =>
    asked(
      () => undefined,
      (api, key) => api.get('/v1/markets/BTC_ONE_YEAR', key),
    ),
  order_not_found: () =>
    asked(
      () => undefined,
      (api, key) => api.get('/v1/orders/bet_1', key),
    ),
  order_not_pending: () =>
    asked(
      (api, { secret }) => api.order(secret, ORDER),
      (api, key) => api.send('DELETE', '/v1/orders/bet_1', { key }),
    ),
  proof_not_found: () => {
    const { api, secret } = trading();
    api.order(secret, ORDER);
    return api.get('/v1/orders/bet_1/proof', secret);
  },
  round_not_found: () =>
    asked(
      () => undefined,
      (api, key) => api.get(`/v1/rounds/${DAY_MARKET}_1`, key),
    ),
  request_timeout: () => faulty(LATE_BODY),
  body_too_large: () => faulty(LARGE_BODY),
  unsupported_media_type: () =>
    asked(
      () => undefined,
      (api, key) => api.send('POST', '/v1/orders', { key, contentType: 'text/plain' }),
    ),
  rate_limited: () => {
    const api = new Harness({ limits: DEFAULT_RATE_LIMITS });
    const { secret } = api.bettor();
    for (let read = 0; read < DEFAULT_RATE_LIMITS.keyRead; read++) markets(api, secret);
    return markets(api, secret);
  },
  round_not_live: () => order(...keyWith()),
  betting_closed: () =>
    asked(
      (api) => api.clock.pass(40_000),
      (api, key) => api.order(key, { ...ORDER, marketId: MINUTE_MARKET }),
    ),
  stake_out_of_range: () =>
    asked(
      () => undefined,
      (api, key) => api.order(key, { ...ORDER, amount: 10_001 }),
    ),
  insufficient_balance: () => order(...keyWith({ balanceCents: 9_99 }, (api) => api.open())),
  round_exposure_limit: overexposed,
  too_many_open_bets: () => {
    const { api, secret } = trading({ rules: exampleRules({ openBetsMax: 2 }) });
    order(api, secret);
    order(api, secret);
    return order(api, secret);
  },
  idempotency_key_reused: () => {
    const { api, secret } = trading();
    api.order(secret, ORDER, 'a key');
    api.order(secret, ORDER, 'key');
    return api.order(secret, { ...ORDER, amount: 11 }, 'key');
  },
  order_expired: () =>
    asked(
      (api) => api.clock.pass(1),
      (api, key) => api.order(key, { ...ORDER, validUntil: new Date(api.clock.wallMs - 1).toISOString() }),
    ),
  round_changed: () =>
    asked(
      () => undefined,
      (api, key) => api.order(key, { ...ORDER, roundId: `${DAY_MARKET}_1` }),
    ),
  odds_changed: () =>
    asked(
      () => undefined,
      (api, key) => api.order(key, { ...ORDER, expectedPercent: 99 }),
    ),
  idempotency_in_progress: () => {
    const { api, secret } = trading();
    const request = { key: secret, body: ORDER, idempotencyKey: 'key' };
    api.begin('POST', '/v1/orders', request);
    const { reply } = api.begin('POST', '/v1/orders', request);
    assert.ok(reply !== null, 'a duplicate is answered at once');
    return reply;
  },
  trading_disabled: () =>
    asked((api) => api.submit({ kind: 'setTrading', enabled: false, reason: 'maintenance until 14:00 UTC' })),
  market_suspended: () => asked((api) => api.submit({ kind: 'suspendMarket', market: 4, suspended: true })),
  stale_price: () => {
    const { api, secret } = trading({ rules: withHouse(exampleRules(), fairHouse()) });
    return order(api, secret);
  },
  clock_unsynchronised: () => {
    const { api, secret } = trading({ clockGuard: new ClockGuard() });
    api.clock.wallMs -= 2_000;
    return order(api, secret);
  },
  journal_backlog: () => {
    const { api, secret } = trading({ backlogCommandsMax: 1 });
    api.begin('POST', '/v1/orders', { key: secret, body: ORDER });
    const { reply } = api.begin('POST', '/v1/orders', { key: secret, body: ORDER });
    assert.ok(reply !== null, 'a refusal is answered at once');
    return reply;
  },
  disk_reserve: () => asked((api) => api.host.journal.space('reserve')),
  journal_unavailable: () => asked((api) => api.host.journal.lose()),
  idempotency_full: () => {
    const { api, secret } = trading({ rules: exampleRules({ idempotencyEntriesMax: 1 }) });
    api.order(secret, ORDER, 'one');
    return api.order(secret, ORDER, 'two');
  },
  overloaded: () => {
    const { api, secret } = trading();
    return api.overload('POST', '/v1/orders', { key: secret, body: ORDER });
  },
  archive_behind: () => past('archive_behind', 'what has happened just now is not stored yet; try again'),
  archive_unavailable: () =>
    past('archive_unavailable', 'what has left memory cannot be read now; try again later'),
  shutting_down: () => asked((api) => void api.host.sequencer.drain()),
};

/** With an archive that answers no question. */
function past(refused: ArchiveRefusal['refused'], detail: string): Reply {
  const archive = archiveReads((_question, tell) => tell({ refused, detail }));
  const api = new Harness({ rules: exampleRules(), archive });
  return api.get('/v1/rounds', api.bettor().secret);
}

/** A server without rounds and one key on it. */
function keyWith(
  options: Parameters<Harness['bettor']>[0] = {},
  change: (api: Harness) => void = () => undefined,
): [api: Harness, secret: string] {
  const api = new Harness({ rules: exampleRules() });
  const { secret } = api.bettor(options);
  change(api);
  return [api, secret];
}

/** Against one large bet the long odds of the other side are taken until the round could not pay them. */
function overexposed(): Reply {
  const { api, secret } = trading({}, { tier: 'VIP', balanceCents: 100_000_00 });
  api.order(secret, { ...ORDER, amount: 10_000 });
  for (let bets = 0; bets < 20; bets++) {
    const reply = api.order(secret, { ...ORDER, prediction: 'UP', amount: 500 });
    if (reply.status !== 201) return reply;
  }
  assert.fail('a round never owes more than its pool');
}

/** `invalid_request` has a sentence for each occasion. */
const INVALID: Partial<Record<FailureName, () => Reply>> = {
  BadRequest: () => faulty({ code: 'invalid_request', detail: ambiguity() }),
  BadParameter: () => {
    const [api, secret] = keyWith();
    return api.get('/v1/positions', secret, 'limit=0');
  },
  BadOrder: () =>
    asked(
      () => undefined,
      (api, key) => api.order(key, { ...ORDER, expectedPercnt: 50 }),
    ),
  BadCancel: () =>
    asked(
      () => undefined,
      (api, key) => api.send('DELETE', '/v1/orders/bet_1', { key, query: 'why=so' }),
    ),
  BadQuote: () =>
    asked(
      () => undefined,
      (api, key) => api.send('POST', '/v1/orders/quote', { key, body: { ...ORDER, expectedPercnt: 50 } }),
    ),
};

function failures(): ExampleAnswers['failures'] {
  const kinds = Object.entries(FAILURE_KINDS) as [FailureName, { readonly codes: readonly string[] }][];
  const errors = kinds.map(([name, { codes }]): [string, string[]] => [
    name,
    codes.map((code) => {
      const way = code === 'invalid_request' ? INVALID[name] : WAYS[code];
      assert.ok(way !== undefined, `there is a way to be refused with ${code}`);
      const error = errorOf(way());
      assert.equal(error.split(':')[0], code);
      return error;
    }),
  ]);
  return Object.fromEntries(errors) as Record<FailureName, string[]>;
}
