/**
 * The console: the operators' web page, below `/console` on their port (docs/ops/console.md). It is a client of the
 * operator API like any other, and adds its files, sessions in place of the token, and a stream of changes.
 */
import { randomUUID } from 'node:crypto';
import typia, { type tags } from 'typia';
import type { OperatorCaller } from '../../engine/model/operators.js';
import type {
  BrowserHeaders,
  Clock,
  HttpHandler,
  HttpRequest,
  HttpResponder,
} from '../../engine/model/ports.js';
import { readBody } from '../kit/body.js';
import { refuseQuery } from '../kit/params.js';
import { NOT_FOUND, Refused } from '../kit/refused.js';
import { isRead } from '../kit/router.js';
import { isNamed, type TaggedBody } from '../kit/tagged-body.js';
import type { Callers } from '../operator/access/callers.js';
import type { TokenGuard } from '../operator/access/token-guard.js';
import { answer, type Result, sendResult } from '../operator/endpoint.js';
import type { StaticPages } from '../pages/static-pages.js';
import { NO_BROWSER } from '../uws/request-headers.js';
import type { LiveMessage, PageTag, StandbyMessage } from './live-message.js';
import { loadPage, SCRIPT_PATH } from './page-files.js';
import {
  cookieOf,
  refuseForgery,
  refuseOtherOrigin,
  resourceOf,
  type Session,
  Sessions,
  ticketIn,
} from './sessions.js';
import { Watchers } from './watchers.js';

const BASE = '/console';
const STREAM_PATH = `${BASE}/stream`;
const SESSION_PATH = `${BASE}/session`;
export const CONSOLE_STREAMS: readonly string[] = [STREAM_PATH];

const NO_SESSION = new Refused('invalid_session', 'the session has ended; log in again');

interface LoginBody {
  readonly token: string & tags.MinLength<1> & tags.MaxLength<255>;
}

const validateLogin = typia.createValidateEquals<LoginBody>();

interface ConsoleOptions {
  readonly tokens: TokenGuard;
  /** Made of the master secret (`sessionKeyOf`). */
  readonly sessionKey: Uint8Array;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** For the pages that are open. */
  readonly message: () => Promise<LiveMessage | StandbyMessage>;
  /** Others on the same port. */
  readonly pages: StaticPages;
}

/** It knows the callers of the whole port: a holder of a token, or a browser with a session. */
export class Console implements Callers {
  readonly #tokens: TokenGuard;
  readonly #sessions: Sessions;
  readonly watchers: Watchers;
  readonly #pages: StaticPages;

  constructor({ tokens, sessionKey, clock, message, pages }: ConsoleOptions) {
    this.#tokens = tokens;
    this.#sessions = new Sessions(sessionKey, clock, tokens);
    this.#pages = new Map([...loadPage(), ...pages]);
    const script = this.#pages.get(SCRIPT_PATH)?.plain.etag ?? '';
    const tagged = async (): Promise<PageTag> => ({ ...(await message()), script });
    this.watchers = new Watchers(this.#sessions, tagged);
  }

  /**
   * A token comes before a session. Refused with neither, or with a session that may not send the request: a browser
   * sends its cookie of its own accord, so a change must also come from a page of this very origin, and bring the token
   * that only that page was given.
   */
  identify(request: HttpRequest): OperatorCaller | Refused {
    const browser = request.browser ?? NO_BROWSER;
    const ticket = request.authorization === '' ? ticketIn(browser) : '';
    if (ticket === '') return this.#tokens.identify(request);
    const session = this.#sessions.read(ticket);
    if (session === null) return NO_SESSION;
    const changes = !isRead(request.method) && request.method !== 'OPTIONS';
    const refused = changes ? refuseForgery(session, browser) : null;
    return refused ?? session.caller;
  }

  /** Answers requests for the console's paths, leads there from `/`, and leaves everything else to `next`. */
  wrap(next: HttpHandler): HttpHandler {
    return (request, responder) => {
      const { path, fault, method } = request;
      const file = fault === null ? this.#pages.get(path) : undefined;
      if (path === '/' && fault === null && isRead(method))
        responder.send(302, `X-Request-Id: ${randomUUID()}\r\nLocation: ${BASE}`, '');
      else if (file !== undefined) sendFile(request, responder, file);
      else if (path === BASE || path.startsWith(`${BASE}/`)) {
        try {
          const result = this.#resultOf(request);
          if (result !== null) sendResult(responder, result);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          sendResult(responder, error);
        }
      } else next(request, responder);
    };
  }

  /** null if the request has become a WebSocket. */
  #resultOf(request: HttpRequest): Result | null {
    const { fault, path, query } = request;
    if (fault !== null) return new Refused(fault.code, fault.detail);
    if (path !== SESSION_PATH && path !== STREAM_PATH) return NOT_FOUND;
    const browser = request.browser ?? NO_BROWSER;
    const session = this.#sessions.read(ticketIn(browser));
    refuseQuery(query);
    if (path === SESSION_PATH) return this.#session(request, browser, session);
    if (session === null) return NO_SESSION;
    return refuseOtherOrigin(browser) ?? this.watchers.open(request, session);
  }

  #session(request: HttpRequest, browser: BrowserHeaders, session: Session | null): Result {
    const { method } = request;
    if (method === 'POST') return this.#logIn(request, browser, session);
    // A page that is opened for the first time has no session, which is no error.
    if (method === 'GET') return answer(200, session === null ? null : resourceOf(session));
    if (method !== 'PUT' && method !== 'DELETE') return notOffered(method, 'GET, POST, PUT, DELETE');
    const refused = session === null ? NO_SESSION : refuseForgery(session, browser);
    if (session === null || refused !== null) return refused ?? NO_SESSION;
    if (method === 'PUT') {
      const renewed = this.#sessions.renewed(session);
      this.watchers.renew(renewed);
      return this.#give(200, renewed, browser);
    }
    this.#sessions.close(session);
    return answer(204, null, ['Set-Cookie', cookieOf('', browser)]);
  }

  #logIn(request: HttpRequest, browser: BrowserHeaders, before: Session | null): Result {
    const refused = refuseOtherOrigin(browser);
    if (refused !== null) return refused;
    const token = this.#tokens.present(readBody(request, validateLogin).token, request.address);
    if (token instanceof Refused) return token;
    if (before !== null) this.#sessions.close(before);
    return this.#give(201, this.#sessions.open(token), browser);
  }

  #give(status: 200 | 201, session: Session, browser: BrowserHeaders): Result {
    const cookie = cookieOf(this.#sessions.ticketOf(session), browser);
    return answer(status, resourceOf(session), ['Set-Cookie', cookie]);
  }
}

const notOffered = (method: string, allowed: string): Refused =>
  new Refused('method_not_allowed', `${method} is not offered here`, ['Allow', allowed]);

function sendFile(request: HttpRequest, responder: HttpResponder, file: TaggedBody): void {
  const { method, ifNoneMatch, acceptEncoding } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    sendResult(responder, notOffered(method, 'GET, HEAD'));
    return;
  }
  const form = file.form(acceptEncoding);
  const id = `X-Request-Id: ${randomUUID()}`;
  if (isNamed(form.etag, ifNoneMatch)) responder.send(304, id + form.notModifiedHead, '');
  else responder.send(200, id + form.head, form.bytes);
}
