/**
 * The operator API (design, section 8): JSON in the public API's envelope, on a port of its own, for holders of an
 * operator token whose role is enough. Every change is a journaled command, and every answer waits until what it reports
 * is durable. `/healthz` and `/readyz` need no token (`health.ts`).
 *
 * It runs on a thread of its own, which reads and checks requests and makes the answers' text. What needs the state is
 * asked of the engine's thread (`desk/`), and what has left memory of the archive's reader.
 */
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import type { By } from '../../engine/model/operators.js';
import type { HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { parseJson } from '../kit/body.js';
import { refuseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { type Found, type Routed, Router } from '../kit/router.js';
import { type Callers, refuseRole } from './access/callers.js';
import type { Denials } from './access/denials.js';
import { Asking, answer, PlainText, Reading, type Result, type Route, sendResult, sendText } from './call.js';
import type { AskDesk, FactsOf, Kind } from './desk/dealings.js';
import { type Health, type HealthRoute, healthRoutes } from './health.js';

const PREFIX = '/operator/v1';
const NOT_FOUND = new Refused('not_found', 'no such path');

export interface OperatorApiOptions {
  readonly ask: AskDesk;
  readonly archive: ArchiveReads;
  readonly routes: readonly Route[];
  /** Those that are below no prefix, but need a token. */
  readonly rootRoutes: readonly Route[];
  readonly callers: Callers;
  /** null where every role may do all that there is. */
  readonly denials: Denials | null;
  readonly health: Health;
  /** A programming error: the process must end. */
  readonly onFatal: (error: unknown) => void;
}

export function createOperatorApi(options: OperatorApiOptions): HttpHandler {
  const api = new OperatorApi(options);
  return (request, responder) => api.handle(request, responder);
}

class OperatorApi {
  readonly #router: Router<Route>;
  readonly #root: Router<Route>;
  /** Paths that need no token. */
  readonly #health: Router<HealthRoute>;

  constructor(private readonly options: OperatorApiOptions) {
    this.#router = new Router([PREFIX], options.routes);
    this.#root = new Router([''], options.rootRoutes);
    this.#health = new Router([''], healthRoutes(options.health));
  }

  handle(request: HttpRequest, responder: HttpResponder): void {
    this.#guarded(() => {
      const result = this.#resultOf(request);
      if (result instanceof Asking) this.#ask(result, responder);
      else if (result instanceof PlainText) this.#sendLater(result, responder);
      else sendResult(responder, result);
    });
  }

  #resultOf(request: HttpRequest): Result | Asking | PlainText {
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
    const refused = refuseRole(caller, route.role) ?? (isRead(method) ? null : refuseQuery(request.query));
    const result = refused ?? route.handle({ params: found.params, request, caller });
    // Some handlers ask for a higher role than their route, depending on the body.
    if (result instanceof Refused && result.code === 'insufficient_role')
      this.options.denials?.note(caller, `${route.method} ${route.path}`);
    if (!(result instanceof Asking) || isRead(method)) return result;
    return result.inNameOf({ operator: caller.name, reason: reasonIn(request) });
  }

  /** Answers once the engine's thread has said all, by when it is durable. */
  #ask({ question, render, by }: Asking, responder: HttpResponder): void {
    const facts: FactsOf<Kind>[] = [];
    this.options.ask({ ...question, by }, (told) =>
      this.#guarded(() => {
        if (told.kind === 'refused') sendResult(responder, new Refused(told.code, told.detail));
        else {
          facts.push(...told.facts);
          if (told.kind === 'done') this.#answer(render(facts), by, responder);
        }
      }),
    );
  }

  #answer(made: Result | Reading | Asking, by: By | null, responder: HttpResponder): void {
    if (made instanceof Asking) this.#ask(by === null ? made : made.inNameOf(by), responder);
    else if (made instanceof Reading)
      made.read(this.options.archive, (result) => this.#guarded(() => sendResult(responder, result)));
    else sendResult(responder, made);
  }

  #sendLater({ contentType, text }: PlainText, responder: HttpResponder): void {
    text.then(
      (body) => this.#guarded(() => sendText(responder, contentType, body)),
      (error: unknown) => this.options.onFatal(error),
    );
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.options.onFatal(error);
    }
  }
}

/** The reason in a body that its handler has checked; '' if there is none. */
function reasonIn({ body }: HttpRequest): string {
  const value = parseJson(body);
  const reason = value instanceof Object && 'reason' in value ? value.reason : '';
  return typeof reason === 'string' ? reason : '';
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The answer of a known path to a method that it does not have. */
function withoutRoute(method: string, { resource }: Found<Routed>): Result {
  const allow = ['Allow', resource.allow];
  if (method === 'OPTIONS') return answer(204, null, allow);
  return new Refused('method_not_allowed', `${method} is not offered here`, allow);
}
