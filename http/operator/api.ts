/**
 * The operator API (design, section 8): JSON in the public API's envelope, on a port of its own, for holders of the
 * operator token. Every change is a journaled command, and every answer waits until what it reports is durable.
 * `/healthz` and `/readyz` need no token and reveal nothing else.
 */
import { randomUUID } from 'node:crypto';
import type { Lifecycle } from '../../engine/host/lifecycle.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { HeaderList, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { refuseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { type Found, Router } from '../kit/router.js';
import { answer, type Result, type Route } from './call.js';
import type { TokenGuard } from './token-guard.js';

const PREFIX = '/operator/v1';
const NOT_FOUND = new Refused('not_found', 'no such path');

export interface OperatorApiOptions {
  readonly sequencer: Sequencer;
  readonly lifecycle: Lifecycle;
  readonly routes: readonly Route[];
  readonly guard: TokenGuard;
  /** Why the server is not ready, or null. It does not listen before recovery has finished. */
  readonly notReady: () => ErrorCode | null;
  /** A programming error: the state can no longer be trusted. */
  readonly onFatal: (error: unknown) => void;
}

export function createOperatorApi(options: OperatorApiOptions): HttpHandler {
  const api = new OperatorApi(options);
  return (request, responder) => api.handle(request, responder);
}

class OperatorApi {
  readonly #router: Router<Route>;
  /** Paths that need no token. */
  readonly #health: Router<Route>;

  constructor(private readonly options: OperatorApiOptions) {
    this.#router = new Router([PREFIX], options.routes);
    this.#health = new Router([''], healthRoutes(options));
  }

  handle(request: HttpRequest, responder: HttpResponder): void {
    try {
      const result = this.#resultOf(request);
      if (!(result instanceof Promise)) this.#send(result, responder);
      else {
        result.then(
          (later) => this.#send(later, responder),
          (error: unknown) => this.options.onFatal(error),
        );
      }
    } catch (error) {
      this.options.onFatal(error);
    }
  }

  #resultOf(request: HttpRequest): Result | Promise<Result> {
    const { method, path, query, fault } = request;
    if (fault !== null) return new Refused(fault.code, fault.detail);
    const health = this.#health.find(path);
    const unauthorized = health === null ? this.#refuseToken(request) : null;
    if (unauthorized !== null) return unauthorized;
    const found = health ?? this.#router.find(path);
    if (found === null) return NOT_FOUND;
    const route = found.resource.byMethod.get(method);
    if (route === undefined) return withoutRoute(method, found);
    const refused = method === 'GET' || method === 'HEAD' ? null : refuseQuery(query);
    return refused ?? route.handle({ params: found.params, request });
  }

  #refuseToken(request: HttpRequest): Refused | null {
    const { path } = request;
    if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) return NOT_FOUND;
    return this.options.guard.refuse(request);
  }

  #send(result: Result, responder: HttpResponder): void {
    if (result instanceof Refused) {
      send(responder, result.status, result.headers, result.body);
      return;
    }
    const { status, data, headers, after } = result;
    const body = status === 204 ? '' : JSON.stringify({ success: true, data });
    const release = () => send(responder, status, headers, body);
    if (after === 'all') this.options.lifecycle.whenQuiet(release);
    else this.options.sequencer.whenDurable(after, release);
  }
}

const healthRoutes = ({ notReady }: OperatorApiOptions): readonly Route[] => [
  { method: 'GET', path: '/healthz', handle: () => answer(200, { status: 'ok' }, 0) },
  {
    method: 'GET',
    path: '/readyz',
    handle: () => {
      const code = notReady();
      return code === null ? answer(200, { status: 'ok' }, 0) : new Refused(code, '');
    },
  },
];

/** The answer of a known path to a method that it does not have. */
function withoutRoute(method: string, { resource }: Found<Route>): Result {
  const allow = ['Allow', resource.allow];
  if (method === 'OPTIONS') return answer(204, null, 0, allow);
  return new Refused('method_not_allowed', `${method} is not offered here`, allow);
}

/** Sends one answer, with an id by which people can refer to its request. */
function send(responder: HttpResponder, status: number, headers: HeaderList, body: string): void {
  const type = body === '' ? [] : ['Content-Type', 'application/json'];
  const common = ['X-Request-Id', randomUUID(), 'Cache-Control', 'no-store', ...type];
  responder.send(status, [...common, ...headers], body);
}
