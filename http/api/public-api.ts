/**
 * The public API as one handler. Every request takes the same steps: its route is found, its key is checked, it is
 * counted for its address, key and account, and only then is the rest of it read.
 */

import { FAIRNESS_TOOLS } from '../../crypto/fairness-tools.js';
import type { SignLater } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { RoundSeeds } from '../../engine/fairness.js';
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import type { Clock, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { Rules } from '../../engine/model/rules.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { Board } from '../board/markets.js';
import type { Rights } from '../board/rights.js';
import { IdempotencyDigests } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import { type Found, Router } from '../kit/router.js';
import type { Admission, KeyState, RateLimits } from '../limits/rate-limits.js';
import { MarketView } from '../market-data/market-view.js';
import type { GatewayMeter } from '../metrics/gateway-meter.js';
import type { OrderTraces } from '../metrics/order-traces.js';
import type { DocsFiles } from '../pages/docs-page.js';
import { Documents } from '../pages/documents.js';
import type { Link } from '../rings/link.js';
import { HeadTexts } from '../wire/head-texts.js';
import { ListedHashes } from '../wire/listed-hashes.js';
import { AccountReads } from './account-reads.js';
import { Authentication, isAccountRefusal } from './authentication.js';
import { Call, type Verdict } from './call.js';
import { BASES, FIRST_ENDPOINT, isRead, type Operation, operationOf } from './endpoint.js';
import { apiDocument, ENDPOINTS } from './endpoints.js';
import { PastBets } from './lists/past-bets.js';
import { OrderHandlers } from './orders.js';
import { PastReads } from './past-reads.js';
import { Reads } from './reads.js';
import { Receipts } from './receipts.js';
import { limitRefusals } from './refusals.js';
import { SharedReads } from './shared-reads.js';
import { type Streams, streamOperation } from './stream-door.js';

export interface PublicApiParts {
  readonly link: Link;
  readonly rights: Rights;
  readonly board: Board;
  readonly rules: () => Rules;
  readonly clock: Clock;
  readonly limits: RateLimits;
  /**
   * In whole milliseconds; it is given the monotonic time. Not the wall clock: set back by an hour, it would keep
   * requests in their windows for an hour.
   */
  readonly limitsNowMs: (monotonicMs: number) => number;
  readonly meter: GatewayMeter;
  readonly traces: OrderTraces;
  /** Round seeds and idempotency digests derive from it. */
  readonly masterSecret: Uint8Array;
  readonly signing: SigningKeys;
  readonly signLater: SignLater;
  /** null before the first. */
  readonly journalHead: () => SignedHead | null;
  /** `MARKET_AGE_MS_MAX` less the greatest age of the board, or 0 on a manual clock. */
  readonly marketAgeMsMax: number;
  readonly archive: ArchiveReads;
  readonly docs: DocsFiles;
  /** GET /stream is not served if absent. */
  readonly streams?: Streams;
  /** Differs for each start of the server. */
  readonly requestIdPrefix: string;
}

const NO_CONTENT = 204;
const FOUND = 302;
const TO_DOCS = ['Location', '/docs'] as const;
const NOT_FOUND = new Refused('not_found', 'no such path');
const WRONG_METHOD = new Refused('method_not_allowed', 'the Allow header names the methods of this path');
const READ_ONLY = 'GET, HEAD, OPTIONS';

export function createPublicApi(parts: PublicApiParts): HttpHandler {
  return new PublicApi(parts).handler;
}

export class PublicApi {
  readonly handler: HttpHandler = (request, responder) => this.#handle(request, responder);

  readonly #parts: PublicApiParts;
  readonly #authentication: Authentication;
  readonly #router: Router<Operation>;
  readonly #order: Operation;
  readonly #cancel: Operation;
  readonly #documents: Documents;
  readonly #headTexts: HeadTexts;
  readonly #limitRefusals: readonly Refused[];
  #requests = 0;

  constructor(parts: PublicApiParts) {
    this.#parts = parts;
    const { policies } = parts.limits;
    this.#headTexts = new HeadTexts(parts.requestIdPrefix, policies);
    this.#limitRefusals = limitRefusals(policies);
    const { link, rights, board, marketAgeMsMax, masterSecret } = parts;
    this.#authentication = new Authentication(rights);
    const view = new MarketView(board, marketAgeMsMax);
    const seeds = new RoundSeeds(masterSecret, FAIRNESS_TOOLS);
    const hashes = new ListedHashes(seeds);
    const pastBets = new PastBets(link, parts.archive);
    const reads = new Reads(link, view, seeds, hashes, pastBets);
    const digests = new IdempotencyDigests(masterSecret);
    const { archive, signing, journalHead } = parts;
    const receipts = new Receipts(signing.keyId, parts.signLater);
    const monotonicMs = (): number => parts.clock.monotonicMs();
    const desk = new OrderHandlers(link, seeds, digests, parts.meter, parts.traces, monotonicMs, receipts);
    const own = new AccountReads(link, hashes, digests, parts, pastBets);
    const past = new PastReads({
      ...{ link, archive, seeds, hashes, past: pastBets, signing, journalHead, receipts },
    });
    const services = { reads, past, shared: new SharedReads(parts), own, desk };
    const operations = ENDPOINTS.map((endpoint, at) => operationOf(endpoint, services, FIRST_ENDPOINT + at));
    const { streams } = parts;
    this.#router = new Router(
      BASES,
      streams === undefined ? operations : [...operations, streamOperation(streams)],
    );
    const ofOrders = (method: string): Operation =>
      must(
        operations.find((operation) => operation.method === method && operation.path === '/orders'),
        'the operation on orders',
      );
    this.#order = ofOrders('POST');
    this.#cancel = ofOrders('DELETE');
    this.#documents = new Documents(parts.docs, apiDocument);
  }

  /** For an order or a cancellation that did not come as a request. */
  carryOut(call: Call): void {
    const verdict =
      call.request.method === 'POST' ? this.#perform(call, this.#order, []) : this.#dispatch(call);
    if (verdict !== null) this.#refuse(call, verdict);
  }

  /** Runs `run` with the checks and limits of a cancellation. */
  carryOutAs(call: Call, run: () => Verdict): void {
    const verdict = this.#perform(call, { ...this.#cancel, run }, []);
    if (verdict !== null) this.#refuse(call, verdict);
  }

  #handle(request: HttpRequest, responder: HttpResponder): void {
    const { clock, limitsNowMs, meter } = this.#parts;
    this.#requests += 1;
    const startedMs = clock.monotonicMs();
    const call = new Call(
      request,
      responder,
      this.#headTexts,
      meter,
      this.#requests,
      clock.nowMs(),
      limitsNowMs(startedMs),
      startedMs,
    );
    const verdict = this.#dispatch(call);
    if (verdict !== null) this.#refuse(call, verdict);
  }

  #dispatch(call: Call): Verdict {
    const { request } = call;
    const found = request.fault === null ? this.#router.find(request.path) : null;
    const operation = found?.resource.byMethod.get(request.method);
    if (found !== null && operation !== undefined) return this.#perform(call, operation, found.params);
    const unfit = this.#authentication.identify(call);
    return this.#count(call, unfit === null ? 'known' : 'unknown') ?? this.#withoutKey(call, found);
  }

  #perform(call: Call, operation: Operation, params: readonly string[]): Verdict {
    call.keyLimit = operation.keyLimit;
    call.route = operation.route;
    const unfit = this.#authentication.identify(call);
    if (unfit !== null) return this.#count(call, 'unknown') ?? unfit;
    const forbidden = this.#authentication.authorise(call, operation);
    if (forbidden !== null) return this.#forbid(call, operation, forbidden);
    return this.#count(call, 'known') ?? operation.run(call, params);
  }

  /** Refuses, except that an order is replayed which the account placed while it still could. */
  #forbid(call: Call, operation: Operation, forbidden: Refused): Verdict {
    if (!isAccountRefusal(forbidden)) return this.#count(call, 'forbidden') ?? forbidden;
    // A replay is limited like any answer, a refusal is not. Both count alike, so the count can come before the
    // engine's thread says which of them it is. A refusal that a full key kept from counting counts afterwards.
    const taken = this.#take(call, 'known');
    if (taken === 'addressFull') return this.#rateLimited(call);
    const isAdmitted = taken === 'admitted';
    return operation.replay(call, (replay) => {
      const verdict = this.#forbiddenVerdict(call, forbidden, isAdmitted, replay);
      if (verdict !== null) this.#refuse(call, verdict);
    });
  }

  #forbiddenVerdict(
    call: Call,
    forbidden: Refused,
    isAdmitted: boolean,
    replay: (() => Verdict) | null,
  ): Verdict {
    if (replay !== null) return isAdmitted ? replay() : this.#rateLimited(call);
    return isAdmitted ? forbidden : (this.#count(call, 'forbidden') ?? forbidden);
  }

  /** For faulty requests, unknown paths, wrong methods, OPTIONS and documents. */
  #withoutKey(call: Call, found: Found<Operation> | null): Verdict {
    const { request } = call;
    if (request.fault !== null) return new Refused(request.fault.code, request.fault.detail);
    if (request.path === '/' && isRead(request.method)) return call.sendEmpty(FOUND, TO_DOCS);
    const page = this.#documents.find(request.path, this.#parts.rules());
    if (found === null && page === undefined) return NOT_FOUND;
    const allow = ['Allow', found?.resource.allow ?? READ_ONLY];
    if (request.method === 'OPTIONS') return call.sendEmpty(NO_CONTENT, allow);
    if (page !== undefined && isRead(request.method)) return call.sendTagged(page);
    return call.refuse(WRONG_METHOD, allow);
  }

  #count(call: Call, fate: KeyState): Verdict {
    return this.#take(call, fate) === 'admitted' ? null : this.#rateLimited(call);
  }

  /** Also keeps the present values of the limits for the headers. */
  #take(call: Call, fate: KeyState): Admission {
    const { limits } = this.#parts;
    const taken = limits.take(call, fate, call.limitsNowMs);
    call.noteLimits(limits);
    return taken;
  }

  /** The call's headers name the limit: the smallest of those that refuse. */
  #rateLimited(call: Call): Refused {
    return must(this.#limitRefusals[call.limitKind], 'a refusal for each limit');
  }

  #refuse(call: Call, refused: Refused): void {
    if (refused.code !== 'rate_limited') {
      call.refuse(refused);
      return;
    }
    this.#parts.meter.limited(call.limitKind);
    call.refuse(refused, ['Retry-After', `${call.retryAfterSeconds}`]);
  }
}
