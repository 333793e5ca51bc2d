/**
 * The public API as one handler (specification, sections 4 to 8; design, section 5). Every request, whatever
 * becomes of it, goes the same way: its address is counted, its path and method are found, its key is looked at
 * and counted, and only then is the rest of it read.
 */

import { RoundSeeds } from '../../engine/fairness.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { MARKET_IDS } from '../../engine/model/domain.js';
import type { Clock, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { FAIRNESS_TOOLS } from '../fairness-tools.js';
import { IdempotencyDigests } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { openApiDocument } from '../openapi/document.js';
import type { StaticPage, StaticPages } from '../pages/docs-page.js';
import { HeadTexts } from '../wire/head-texts.js';
import { Authentication } from './authentication.js';
import { Call, type Verdict } from './call.js';
import { type Found, type Operation, RouteTable, reading, route, writing } from './endpoints.js';
import { type LatestTick, MarketView } from './market-view.js';
import { OrderDesk } from './orders.js';
import { Reads } from './reads.js';

export interface PublicApiParts {
  /** Everything its engine has done is durable, or nothing has been read from it yet. */
  readonly sequencer: Sequencer;
  readonly clock: Clock;
  readonly limits: RateLimits;
  /**
   * Whole milliseconds by which requests leave the limits' windows. A wall clock would not do: set back by an hour,
   * it would refuse everyone for an hour.
   */
  readonly limitsNowMs: () => number;
  /** Round seeds and idempotency digests derive from it. */
  readonly masterSecret: Uint8Array;
  /** For `currentPrice`. */
  readonly latestTick: LatestTick;
  /** How old market data may be, in milliseconds of the clock: `MARKET_AGE_MS_MAX`, or 0 on a manual clock. */
  readonly marketAgeMsMax: number;
  /** `loadDocsPages()`; an empty map where nobody reads. */
  readonly pages: StaticPages;
  /** Begins every X-Request-Id; different for each start of the server. */
  readonly requestIdPrefix: string;
}

const OK = 200;
const NO_CONTENT = 204;
const UNAUTHORIZED = 401;
const RATE_LIMITED = new Refused('rate_limited', 'too many requests; wait as long as Retry-After says');
const NOT_FOUND = new Refused('not_found', 'no such path');
const WRONG_METHOD = new Refused('method_not_allowed', 'the Allow header names the methods of this path');
const CHALLENGE = ['WWW-Authenticate', 'ApiKey header="X-API-Key"'] as const;
const READ_ONLY = 'GET, HEAD, OPTIONS';

export function createPublicApi(parts: PublicApiParts): HttpHandler {
  const api = new PublicApi(parts);
  return (request, responder) => api.handle(request, responder);
}

class PublicApi {
  readonly #parts: PublicApiParts;
  readonly #authentication: Authentication;
  readonly #routes: RouteTable;
  readonly #pages: StaticPages;
  readonly #headTexts: HeadTexts;
  #requests = 0;

  constructor(parts: PublicApiParts) {
    this.#parts = parts;
    this.#headTexts = new HeadTexts(parts.requestIdPrefix);
    const { sequencer, latestTick, marketAgeMsMax, masterSecret } = parts;
    this.#authentication = new Authentication(sequencer.engine);
    const view = new MarketView(sequencer.engine, latestTick, marketAgeMsMax);
    sequencer.onEvents((_seq, events) => view.onEvents(events));
    const seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    const reads = new Reads(sequencer, view, seeds, latestTick);
    const desk = new OrderDesk(sequencer, seeds, new IdempotencyDigests(masterSecret));
    this.#routes = new RouteTable([
      route(
        '/markets',
        reading('markets:read', (call) => reads.markets(call)),
      ),
      route(
        '/markets/{id}',
        reading('markets:read', (call, id) => reads.market(call, id)),
        null,
        MARKET_IDS,
      ),
      route(
        '/prices',
        reading('markets:read', (call) => reads.prices(call)),
      ),
      route(
        '/positions',
        reading('positions:read', (call) => reads.positions(call)),
      ),
      route(
        '/orders',
        reading('positions:read', (call) => reads.orders(call)),
        writing('orders:write', (call) => desk.place(call)),
      ),
      route(
        '/rounds/{id}',
        reading('markets:read', (call, id) => reads.round(call, id)),
      ),
    ]);
    this.#pages = new Map([...parts.pages, ...documentPages()]);
  }

  handle(request: HttpRequest, responder: HttpResponder): void {
    const { limits, clock, limitsNowMs } = this.#parts;
    this.#requests += 1;
    const texts = this.#headTexts;
    const call = new Call(request, responder, texts, this.#requests, clock.nowMs(), limitsNowMs());
    const isAdmitted = limits.admitAddress(request.address, call.limitsNowMs);
    const verdict = this.#counted(call, isAdmitted) ?? this.#dispatch(call);
    if (verdict !== null) this.#refuse(call, verdict);
  }

  #dispatch(call: Call): Verdict {
    const { request } = call;
    const found = request.fault === null ? this.#routes.find(request.path) : null;
    const operation = found === null ? null : operationOf(found, request.method);
    if (found === null || operation === null) return this.#withoutKey(call, found);
    return this.#admit(call, operation) ?? operation.run(call, found.segment);
  }

  /** The key, what it may do, and the limits that go with it. */
  #admit(call: Call, operation: Operation): Verdict {
    const { limits } = this.#parts;
    const unknown = this.#authentication.identify(call);
    if (unknown !== null) return unknown;
    const forbidden = this.#authentication.authorise(call, operation);
    if (forbidden !== null) {
      limits.countKey(call.key, call.account, operation.isWrite, call.limitsNowMs);
      call.noteLimits(limits);
      return forbidden;
    }
    return this.#counted(call, limits.admitKey(call.key, call.account, operation.isWrite, call.limitsNowMs));
  }

  /** What needs no key: faulty requests, unknown paths, wrong methods, OPTIONS, documents. A known key counts. */
  #withoutKey(call: Call, found: Found | null): Verdict {
    const { limits } = this.#parts;
    const { request } = call;
    if (this.#authentication.identify(call) === null) {
      const isWrite = !isRead(request.method) && request.method !== 'OPTIONS';
      const isAdmitted = limits.admitKey(call.key, call.account, isWrite, call.limitsNowMs);
      if (this.#counted(call, isAdmitted) !== null) return RATE_LIMITED;
    }
    if (request.fault !== null) return new Refused(request.fault.code, request.fault.detail);
    const page = this.#pages.get(request.path);
    if (found === null && page === undefined) return NOT_FOUND;
    const allow = ['Allow', found?.route.allow ?? READ_ONLY];
    if (request.method === 'OPTIONS') return call.sendOther(NO_CONTENT, allow, '');
    if (page !== undefined && isRead(request.method)) return call.sendOther(OK, page.headers, page.body);
    return call.refuse(WRONG_METHOD, allow);
  }

  /** Keeps for the headers what the limits say now. */
  #counted(call: Call, isAdmitted: boolean): Verdict {
    call.noteLimits(this.#parts.limits);
    return isAdmitted ? null : RATE_LIMITED;
  }

  #refuse(call: Call, refused: Refused): void {
    if (refused === RATE_LIMITED) {
      call.refuse(refused, ['Retry-After', `${this.#parts.limits.retryAfterSeconds}`]);
    } else if (refused.status === UNAUTHORIZED) {
      call.refuse(refused, CHALLENGE);
    } else {
      call.refuse(refused);
    }
  }
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

function operationOf({ route: { get, post } }: Found, method: string): Operation | null {
  if (isRead(method)) return get;
  return method === 'POST' ? post : null;
}

/** The API document under both base addresses, made once. */
function documentPages(): [path: string, page: StaticPage][] {
  const body = Buffer.from(JSON.stringify(openApiDocument(), null, 2));
  const headers = ['Content-Type', 'application/json', 'Cache-Control', 'no-cache'];
  return [
    ['/v1/openapi.json', { headers, body }],
    ['/api/v1/openapi.json', { headers, body }],
  ];
}
