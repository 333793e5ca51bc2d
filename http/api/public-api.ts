/**
 * The public API as one handler. Every request takes the same steps: its route is found, its key is checked, it is
 * counted for its address, key and account, and only then is the rest of it read.
 */
import { must } from '../../engine/base/assert.js';
import type { HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { NOT_FOUND, Refused } from '../kit/refused.js';
import { type Found, isRead, Router } from '../kit/router.js';
import type { KeyState } from '../limits/rate-limits.js';
import { OUTRUN } from '../link/orders.js';
import { Documents } from '../pages/documents.js';
import { HeadTexts } from '../wire/head-texts.js';
import { Authentication } from './authentication.js';
import { Call } from './call.js';
import { BASES, FIRST_ENDPOINT, type Operation, operationOf, streamOperation } from './endpoint.js';
import { apiDocument, ENDPOINTS } from './endpoints.js';
import { limitRefusals, refusedOf } from './refusals.js';
import { type PublicApiParts, type Services, servicesOf } from './services.js';

const NO_CONTENT = 204;
const FOUND = 302;
const TO_DOCS = ['Location', '/docs'] as const;
const WRONG_METHOD = new Refused('method_not_allowed', 'the Allow header names the methods of this path');
const READ_ONLY = 'GET, HEAD, OPTIONS';

export class PublicApi {
  readonly handler: HttpHandler = (request, responder) => this.#handle(request, responder);

  readonly #services: Services;
  readonly #authentication: Authentication;
  readonly #router: Router<Operation>;
  readonly #order: Operation;
  readonly #cancel: Operation;
  readonly #documents: Documents;
  readonly #headTexts: HeadTexts;
  readonly #limitRefusals: readonly Refused[];
  #requests = 0;

  constructor(parts: PublicApiParts) {
    this.#services = servicesOf(parts);
    const { policies } = parts.limits;
    this.#headTexts = new HeadTexts(parts.requestIdPrefix, policies);
    this.#limitRefusals = limitRefusals(policies);
    this.#authentication = new Authentication(parts.rights);
    const operations = ENDPOINTS.map((endpoint, at) => operationOf(endpoint, FIRST_ENDPOINT + at));
    this.#router = new Router(BASES, [...operations, streamOperation(parts.openStream)]);
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
    if (call.request.method === 'POST') this.#perform(call, this.#order, []);
    else this.#dispatch(call);
  }

  /** Runs `run` with the checks and limits of a cancellation. */
  carryOutAs(call: Call, run: () => void): void {
    this.#perform(call, { ...this.#cancel, handle: run }, []);
  }

  #handle(request: HttpRequest, responder: HttpResponder): void {
    const { clock, limitsNowMs, meter } = this.#services;
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
    this.#dispatch(call);
  }

  #dispatch(call: Call): void {
    const { request } = call;
    const found = this.#router.find(request.path);
    const operation = found?.resource.byMethod.get(request.method);
    if (found !== null && operation !== undefined && request.fault === null)
      this.#perform(call, operation, found.params);
    else {
      // A quote whose body is too large is a read, as any other.
      if (operation !== undefined) call.keyLimit = operation.keyLimit;
      const unfit = this.#authentication.identify(call);
      if (this.#admits(call, unfit === null ? 'known' : 'unknown')) this.#answerWithoutKey(call, found);
    }
  }

  #perform(call: Call, operation: Operation, params: readonly string[]): void {
    call.keyLimit = operation.keyLimit;
    call.route = operation.route;
    call.params = params;
    const unfit = this.#authentication.identify(call);
    const forbidden = unfit === null ? this.#authentication.authorise(call, operation) : null;
    const state = unfit !== null ? 'unknown' : forbidden !== null ? 'forbidden' : 'known';
    if (!this.#admits(call, state)) return;
    const refused = unfit ?? forbidden;
    if (refused !== null) {
      call.refuse(this.#services.rights.isOutrun ? refusedOf(OUTRUN) : refused);
      return;
    }
    try {
      operation.handle(this.#services, call);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      call.refuse(error);
    }
  }

  /** For faulty requests, unknown paths, wrong methods, OPTIONS and documents. */
  #answerWithoutKey(call: Call, found: Found<Operation> | null): void {
    const { request } = call;
    if (request.fault !== null) {
      call.refuse(new Refused(request.fault.code, request.fault.detail));
      return;
    }
    if (request.path === '/' && isRead(request.method)) {
      call.sendEmpty(FOUND, TO_DOCS);
      return;
    }
    const page = this.#documents.find(request.path, this.#services.rules());
    const allow = ['Allow', found?.resource.allow ?? READ_ONLY];
    if (found === null && page === undefined) call.refuse(NOT_FOUND);
    else if (request.method === 'OPTIONS') call.sendEmpty(NO_CONTENT, allow);
    else if (page !== undefined && isRead(request.method)) call.sendTagged(page);
    else call.refuse(WRONG_METHOD, allow);
  }

  /** Counts the call, and keeps the present values of the limits for its headers. Refuses it if a limit is reached. */
  #admits(call: Call, state: KeyState): boolean {
    const { limits, meter } = this.#services;
    const isCounted = limits.take(call, state, call.limitsNowMs);
    call.noteLimits(limits);
    if (isCounted) return true;
    meter.limited(call.limitKind);
    // The call's headers name the limit: the smallest of those that refuse.
    const refused = must(this.#limitRefusals[call.limitKind], 'a refusal for each limit');
    call.refuse(refused, ['Retry-After', `${call.retryAfterSeconds}`]);
    return false;
  }
}
