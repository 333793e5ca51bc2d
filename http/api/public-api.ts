/**
 * The public API as one handler (specification, sections 4 to 8; design, section 5). Every request takes the same
 * steps: its address is counted, its route is found, its key is checked and counted, and only then is the rest of it
 * read.
 */

import { must } from '../../engine/base/assert.js';
import { RoundSeeds } from '../../engine/fairness.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { Clock, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { FAIRNESS_TOOLS } from '../fairness-tools.js';
import { IdempotencyDigests } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import { type Found, Router } from '../kit/router.js';
import type { RateLimits } from '../limits/rate-limits.js';
import type { DocsFiles } from '../pages/docs-page.js';
import { Documents } from '../pages/documents.js';
import { isKnown, type StaticPage } from '../pages/static-pages.js';
import { HeadTexts } from '../wire/head-texts.js';
import { Authentication, isAccountRefusal } from './authentication.js';
import { Call, type Verdict } from './call.js';
import { BASES, isRead, isWrite, type Operation, operationOf } from './endpoint.js';
import { apiDocument, ENDPOINTS } from './endpoints.js';
import { type LatestTick, MarketView } from './market-view.js';
import { OrderDesk } from './orders.js';
import { Reads } from './reads.js';

export interface PublicApiParts {
  /** At construction all of its engine's state must be durable. */
  readonly sequencer: Sequencer;
  readonly clock: Clock;
  readonly limits: RateLimits;
  /**
   * The clock of the rate limits, in whole milliseconds. Not the wall clock: set back by an hour, it would keep
   * requests in their windows for an hour.
   */
  readonly limitsNowMs: () => number;
  /** Round seeds and idempotency digests derive from it. */
  readonly masterSecret: Uint8Array;
  /** For `currentPrice`. */
  readonly latestTick: LatestTick;
  /** The greatest age of market data, in milliseconds: `MARKET_AGE_MS_MAX`, or 0 on a manual clock. */
  readonly marketAgeMsMax: number;
  /** `loadDocs()`. */
  readonly docs: DocsFiles;
  /** The first part of every X-Request-Id; differs for each start of the server. */
  readonly requestIdPrefix: string;
}

const OK = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const RATE_LIMITED = new Refused('rate_limited', 'too many requests; wait as long as Retry-After says');
const NOT_FOUND = new Refused('not_found', 'no such path');
const WRONG_METHOD = new Refused('method_not_allowed', 'the Allow header names the methods of this path');
const READ_ONLY = 'GET, HEAD, OPTIONS';

export function createPublicApi(parts: PublicApiParts): HttpHandler {
  const api = new PublicApi(parts);
  return (request, responder) => api.handle(request, responder);
}

class PublicApi {
  readonly #parts: PublicApiParts;
  readonly #authentication: Authentication;
  readonly #router: Router<Operation>;
  readonly #documents: Documents;
  readonly #headTexts: HeadTexts;
  #requests = 0;

  constructor(parts: PublicApiParts) {
    this.#parts = parts;
    this.#headTexts = new HeadTexts(parts.requestIdPrefix);
    const { sequencer, latestTick, marketAgeMsMax, masterSecret } = parts;
    this.#authentication = new Authentication(sequencer.engine);
    const view = new MarketView(sequencer.engine, latestTick, marketAgeMsMax);
    sequencer.onEvents(
      (_seq, events) => view.onEvents(events),
      (bets) => view.onBets(bets),
    );
    const seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    const reads = new Reads(sequencer, view, seeds, latestTick);
    const desk = new OrderDesk(sequencer, seeds, new IdempotencyDigests(masterSecret));
    const services = { reads, desk };
    const operations = ENDPOINTS.map((endpoint) => operationOf(endpoint, services));
    this.#router = new Router(BASES, operations);
    this.#documents = new Documents(parts.docs, apiDocument);
  }

  handle(request: HttpRequest, responder: HttpResponder): void {
    const { limits, clock, limitsNowMs } = this.#parts;
    this.#requests += 1;
    const texts = this.#headTexts;
    const call = new Call(request, responder, texts, this.#requests, clock.nowMs(), limitsNowMs());
    const isAdmitted = limits.admitAddress(request.address, call.limitsNowMs);
    if (!isAdmitted) this.#askKey(call);
    const verdict = this.#counted(call, isAdmitted) ?? this.#dispatch(call);
    if (verdict !== null) this.#refuse(call, verdict);
  }

  /** The address was refused. The key matters only for Retry-After: its own limits may take longer to clear. */
  #askKey(call: Call): void {
    if (this.#authentication.identify(call) !== null) return;
    this.#parts.limits.askKey(call.key, call.account, isWrite(call.request.method), call.limitsNowMs);
  }

  #dispatch(call: Call): Verdict {
    const { request } = call;
    const found = request.fault === null ? this.#router.find(request.path) : null;
    const operation = found?.resource.byMethod.get(request.method);
    if (found === null || operation === undefined) return this.#withoutKey(call, found);
    const unfit = this.#authentication.identify(call);
    if (unfit !== null) return unfit;
    const forbidden = this.#authentication.authorise(call, operation);
    if (forbidden !== null) return this.#forbid(call, operation, forbidden);
    return this.#countedForKey(call, operation.isWrite) ?? operation.run(call, found.params);
  }

  /** Refuses what key or account may not do, except that an order the account placed while it could is replayed. */
  #forbid(call: Call, operation: Operation, forbidden: Refused): Verdict {
    const replay = isAccountRefusal(forbidden) ? operation.replay(call) : null;
    if (replay !== null) return this.#countedForKey(call, operation.isWrite) ?? replay();
    const { limits } = this.#parts;
    limits.countKey(call.key, call.account, operation.isWrite, call.limitsNowMs);
    call.noteLimits(limits);
    return forbidden;
  }

  /**
   * Answers what needs no key: faulty requests, unknown paths, wrong methods, OPTIONS, documents. A valid key still
   * counts.
   */
  #withoutKey(call: Call, found: Found<Operation> | null): Verdict {
    const { request } = call;
    if (this.#authentication.identify(call) === null) {
      if (this.#countedForKey(call, isWrite(request.method)) !== null) return RATE_LIMITED;
    }
    if (request.fault !== null) return new Refused(request.fault.code, request.fault.detail);
    const rules = must(this.#parts.sequencer.engine.rules, 'rules in force');
    const page = this.#documents.find(request.path, rules);
    if (found === null && page === undefined) return NOT_FOUND;
    const allow = ['Allow', found?.resource.allow ?? READ_ONLY];
    if (request.method === 'OPTIONS') return call.sendOther(NO_CONTENT, allow, '');
    if (page !== undefined && isRead(request.method)) return sendPage(call, page);
    return call.refuse(WRONG_METHOD, allow);
  }

  #countedForKey(call: Call, isForWriting: boolean): Verdict {
    const { limits } = this.#parts;
    return this.#counted(call, limits.admitKey(call.key, call.account, isForWriting, call.limitsNowMs));
  }

  /** Keeps the present values of the limits for the headers. */
  #counted(call: Call, isAdmitted: boolean): Verdict {
    call.noteLimits(this.#parts.limits);
    return isAdmitted ? null : RATE_LIMITED;
  }

  #refuse(call: Call, refused: Refused): void {
    if (refused !== RATE_LIMITED) call.refuse(refused);
    else call.refuse(refused, ['Retry-After', `${this.#parts.limits.retryAfterSeconds}`]);
  }
}

function sendPage(call: Call, page: StaticPage): null {
  return isKnown(page, call.request.ifNoneMatch)
    ? call.sendOther(NOT_MODIFIED, page.notModifiedHeaders, '')
    : call.sendOther(OK, page.headers, page.body);
}
