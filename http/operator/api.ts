/**
 * The operator API (design, section 8): JSON in the public API's envelope, on a port of its own, for whoever
 * holds the operator token. What changes anything is a journaled command, and every answer waits until what it
 * tells is durable. `/healthz` and `/readyz` need no token and tell nothing else.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Lifecycle } from '../../engine/host/lifecycle.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { ERROR_STATUS, errorText } from '../../engine/model/errors.js';
import type { HeaderList, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { keyDigest } from '../keys.js';
import { type Match, Router } from '../kit/router.js';
import { type Answer, answer, Refusal, type Route } from './call.js';

const PREFIX = '/operator/v1';

export interface OperatorApiOptions {
  readonly sequencer: Sequencer;
  readonly lifecycle: Lifecycle;
  readonly routes: readonly Route[];
  readonly token: string;
  /** False once the server is stopping; before recovery is done it does not listen. */
  readonly isReady: () => boolean;
  /** A programming error: the state is not to be trusted any more. */
  readonly onFatal: (error: unknown) => void;
}

export function createOperatorApi(options: OperatorApiOptions): HttpHandler {
  const api = new OperatorApi(options);
  return (request, responder) => api.handle(request, responder);
}

class OperatorApi {
  readonly #router: Router;
  readonly #tokenDigest: Buffer;

  constructor(private readonly options: OperatorApiOptions) {
    this.#router = new Router(PREFIX, options.routes);
    this.#tokenDigest = Buffer.from(keyDigest(options.token), 'hex');
  }

  handle(request: HttpRequest, responder: HttpResponder): void {
    try {
      const answer = this.#answer(request);
      if (!(answer instanceof Promise)) this.#sendDurable(answer, responder);
      else {
        answer.then(
          (later) => this.#sendDurable(later, responder),
          (error: unknown) => this.#fail(error, responder),
        );
      }
    } catch (error) {
      this.#fail(error, responder);
    }
  }

  /** Throws a `Refusal` for everything that is wrong with the request. */
  #answer(request: HttpRequest): Answer | Promise<Answer> {
    const { method, path, query, contentType, body, fault } = request;
    if (fault !== null) throw new Refusal(fault.code, fault.detail);
    const isHealth = path === '/healthz' || path === '/readyz';
    if (!isHealth) this.#authorize(request);
    const match = isHealth ? healthMatch(method) : this.#router.match(method, path);
    if (!match.found) {
      if (match.allowed.length === 0) throw new Refusal('not_found', 'no such path');
      const allow = ['Allow', match.allowed.join(', ')];
      if (method === 'OPTIONS') return answer(204, null, 0, allow);
      throw new Refusal('method_not_allowed', `${method} is not offered here`, allow);
    }
    if (path === '/readyz' && !this.options.isReady()) throw new Refusal('shutting_down', '');
    return match.handle({ params: match.params, query: new URLSearchParams(query), contentType, body });
  }

  /** Compares digests in constant time: neither the token's characters nor its length show in the timing. */
  #authorize({ path, authorization }: HttpRequest): void {
    if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) throw new Refusal('not_found', 'no such path');
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
    if (timingSafeEqual(Buffer.from(keyDigest(token), 'hex'), this.#tokenDigest)) return;
    const expected = 'Authorization: Bearer <operator token> is expected';
    throw new Refusal('invalid_operator_token', expected, ['WWW-Authenticate', 'Bearer']);
  }

  #sendDurable({ status, data, headers, after }: Answer, responder: HttpResponder): void {
    const body = status === 204 ? '' : JSON.stringify({ success: true, data });
    const release = () => send(responder, status, headers, body);
    if (after === 'all') this.options.lifecycle.whenQuiet(release);
    else this.options.sequencer.whenDurable(after, release);
  }

  #fail(error: unknown, responder: HttpResponder): void {
    if (!(error instanceof Refusal)) {
      this.options.onFatal(error);
      return;
    }
    const { code, detail, headers } = error;
    const body = JSON.stringify({ success: false, error: errorText(code, detail) });
    send(responder, ERROR_STATUS[code], headers, body);
  }
}

const HEALTH_METHODS = ['GET', 'HEAD', 'OPTIONS'];

function healthMatch(method: string): Match {
  if (method !== 'GET' && method !== 'HEAD') return { found: false, allowed: HEALTH_METHODS };
  return { found: true, params: [], handle: () => answer(200, { status: 'ok' }, 0) };
}

/** One answer, with an id by which its request can be spoken of. */
function send(responder: HttpResponder, status: number, headers: HeaderList, body: string): void {
  const type = body === '' ? [] : ['Content-Type', 'application/json'];
  const common = ['X-Request-Id', randomUUID(), 'Cache-Control', 'no-store', ...type];
  responder.send(status, [...common, ...headers], body);
}
