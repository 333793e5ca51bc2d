/**
 * The operator API: JSON in the public API's envelope, on a port of its own, for holders of an operator token whose
 * role is enough. Every change is a journaled command, and every answer waits until the facts in it are durable.
 * `/healthz` and `/readyz` need no token (`health.ts`).
 *
 * It runs on a thread of its own, which reads and checks requests and makes the answers' text. It asks the engine's
 * thread for the state (`queries/`), and the archive's reader for the past.
 */
import type { HttpHandler, HttpRequest } from '../../engine/model/ports.js';
import { later } from '../kit/client-work.js';
import { refuseQuery } from '../kit/params.js';
import { Refusal, Refused } from '../kit/refused.js';
import { type Found, type Routed, Router } from '../kit/router.js';
import { type Callers, type Denials, refuseRole } from './access/callers.js';
import { answer, Call, type OperatorRoute, PREFIX, type Result, sendResult } from './endpoint.js';
import { type Health, type HealthRoute, healthRoutes } from './health.js';

const NOT_FOUND = new Refused('not_found', 'no such path');

export interface OperatorApiOptions {
  readonly routes: readonly OperatorRoute[];
  /** Below no prefix, but for holders of a token. */
  readonly rootRoutes: readonly OperatorRoute[];
  readonly callers: Callers;
  /** null if every role may do all that there is. */
  readonly denials: Denials | null;
  readonly health: Health;
}

export function createOperatorApi(options: OperatorApiOptions): HttpHandler {
  const api = new OperatorApi(options);
  return (request, responder) => {
    const failed = later((error: unknown) => {
      throw error;
    });
    void api.answer(request).then(
      later((result) => sendResult(responder, result)),
      failed,
    );
  };
}

class OperatorApi {
  readonly #router: Router<OperatorRoute>;
  readonly #root: Router<OperatorRoute>;
  readonly #health: Router<HealthRoute>;

  constructor(private readonly options: OperatorApiOptions) {
    this.#router = new Router([PREFIX], options.routes);
    this.#root = new Router([''], options.rootRoutes);
    this.#health = new Router([''], healthRoutes(options.health));
  }

  async answer(request: HttpRequest): Promise<Result> {
    const { method, path, fault } = request;
    if (fault !== null) return new Refused(fault.code, fault.detail);
    const health = this.#health.find(path);
    if (health !== null)
      return health.resource.byMethod.get(method)?.handle() ?? withoutRoute(method, health);
    const root = this.#root.find(path);
    if (root === null && path !== PREFIX && !path.startsWith(`${PREFIX}/`)) return NOT_FOUND;
    const caller = this.options.callers.identify(request);
    if (caller instanceof Refused) return caller;
    const found = root ?? this.#router.find(path);
    if (found === null) return NOT_FOUND;
    const route = found.resource.byMethod.get(method);
    if (route === undefined) return withoutRoute(method, found);
    const result = await handled(route, new Call(request, caller, found.params));
    // Some handlers ask for a higher role than their route, depending on the body.
    if (result instanceof Refused && result.code === 'insufficient_role')
      this.options.denials?.note(caller, `${route.method} ${route.path}`);
    return result;
  }
}

async function handled(route: OperatorRoute, call: Call): Promise<Result> {
  const { method, query } = call.request;
  const refused = refuseRole(call.caller, route.role) ?? (isRead(method) ? null : refuseQuery(query));
  if (refused !== null) return refused;
  try {
    return await route.handle(call);
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    throw error;
  }
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** For a known path without this method. */
function withoutRoute(method: string, { resource }: Found<Routed>): Result {
  const allow = ['Allow', resource.allow];
  if (method === 'OPTIONS') return answer(204, null, allow);
  return new Refused('method_not_allowed', `${method} is not offered here`, allow);
}
