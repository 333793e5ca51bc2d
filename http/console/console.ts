/**
 * The console: the operators' web page, below `/console` on their port (docs/ops/console.md). It is a client of the
 * operator API like any other, and adds its files, sessions in place of the token, and a stream of changes.
 */
import { randomUUID } from 'node:crypto';
import typia, { type tags } from 'typia';
import type { BrowserHeaders, HttpHandler, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { readBody } from '../kit/body.js';
import { refuseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { isNamed, type TaggedBody } from '../kit/tagged-body.js';
import type { TokenGuard } from '../operator/access/token-guard.js';
import { answer, type Result, sendResult } from '../operator/endpoint.js';
import type { StaticPages } from '../pages/static-pages.js';
import { NO_SESSION, refuseForgery, refuseOtherOrigin } from './console-guard.js';
import {
  cookieOf,
  endedCookie,
  type Session,
  type SessionResource,
  type Sessions,
  ticketIn,
} from './sessions.js';
import type { Watchers } from './watchers.js';

const BASE = '/console';
export const STREAM_PATH = `${BASE}/stream`;
const SESSION_PATH = `${BASE}/session`;

const NOT_FOUND = new Refused('not_found', 'no such path');
const NOT_BUILT = new Refused(
  'not_found',
  'the console was not built; run npm run build, and start the server again',
);
const NO_BROWSER: BrowserHeaders = { host: '', origin: '', cookie: '', csrfToken: '', ifMatch: '' };
const NOSNIFF = ['X-Content-Type-Options', 'nosniff'];

export interface LoginBody {
  readonly token: string & tags.MinLength<1> & tags.MaxLength<255>;
}

const validateLogin = typia.createValidateEquals<LoginBody>();

export interface ConsoleParts {
  readonly tokens: Pick<TokenGuard, 'present'>;
  readonly sessions: Sessions;
  readonly watchers: Watchers;
  readonly page: StaticPages;
  readonly isStandby: boolean;
}

export class Console {
  constructor(private readonly parts: ConsoleParts) {}

  /** Answers requests for the console's paths, leads there from `/`, and leaves everything else to `next`. */
  wrap(next: HttpHandler): HttpHandler {
    return (request, responder) => {
      const { path, fault } = request;
      if (path === '/' && fault === null && (request.method === 'GET' || request.method === 'HEAD'))
        responder.send(302, `X-Request-Id: ${randomUUID()}\r\nLocation: ${BASE}`, '');
      else if (path === BASE || path.startsWith(`${BASE}/`) || this.parts.page.has(path))
        this.#handle(request, responder);
      else next(request, responder);
    };
  }

  #handle(request: HttpRequest, responder: HttpResponder): void {
    const file = this.parts.page.get(request.path);
    if (file !== undefined && request.fault === null) sendFile(request, responder, file);
    else {
      try {
        const result = this.#resultOf(request);
        if (result !== null) sendResult(responder, result);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        sendResult(responder, error);
      }
    }
  }

  /** null if the request has become a WebSocket. */
  #resultOf(request: HttpRequest): Result | null {
    const { fault, path, method, query, browser } = request;
    if (fault !== null) return new Refused(fault.code, fault.detail);
    const from = browser ?? NO_BROWSER;
    if (path !== SESSION_PATH && path !== STREAM_PATH) return this.#missing(path);
    refuseQuery(query);
    if (path === STREAM_PATH) return this.#openStream(request, from);
    switch (method) {
      case 'GET':
        return this.#show(from);
      case 'POST':
        return this.#logIn(request, from);
      case 'PUT':
        return this.#change(from, false);
      case 'DELETE':
        return this.#change(from, true);
      default:
        return new Refused('method_not_allowed', `${method} is not offered here`, [
          'Allow',
          'GET, POST, PUT, DELETE',
        ]);
    }
  }

  #missing(path: string): Refused {
    return !this.parts.page.has(BASE) && (path === BASE || path === `${BASE}/`) ? NOT_BUILT : NOT_FOUND;
  }

  /** A page that is opened for the first time has no session, which is no error. */
  #show(browser: BrowserHeaders): Result {
    const session = this.#sessionOf(browser);
    return answer(200, session === null ? null : this.#resource(session), NOSNIFF);
  }

  #logIn(request: HttpRequest, browser: BrowserHeaders): Result {
    const body = refuseOtherOrigin(browser) ?? readBody(request, validateLogin);
    if (body instanceof Refused) return body;
    const token = this.parts.tokens.present(body.token, request.address);
    if (token instanceof Refused) return token;
    const before = this.#sessionOf(browser);
    if (before !== null) this.parts.sessions.close(before);
    return this.#give(201, this.parts.sessions.open(token), browser);
  }

  /** Only the session's own page may ask for it. */
  #change(browser: BrowserHeaders, isLogout: boolean): Result {
    const { sessions } = this.parts;
    const session = this.#sessionOf(browser);
    const refused = session === null ? NO_SESSION : refuseForgery(session, browser);
    if (session === null || refused !== null) return refused ?? NO_SESSION;
    if (!isLogout) return this.#give(200, sessions.renewed(session), browser);
    sessions.close(session);
    return answer(204, null, ['Set-Cookie', endedCookie(browser)]);
  }

  #sessionOf(browser: BrowserHeaders): Session | null {
    return this.parts.sessions.read(ticketIn(browser));
  }

  #give(status: 200 | 201, session: Session, browser: BrowserHeaders): Result {
    const cookie = cookieOf(this.parts.sessions.ticketOf(session), browser);
    return answer(status, this.#resource(session), ['Set-Cookie', cookie, ...NOSNIFF]);
  }

  #resource({ caller: { name, role }, csrfToken }: Session): SessionResource {
    return { name, role, isStandby: this.parts.isStandby, csrfToken };
  }

  #openStream(request: HttpRequest, browser: BrowserHeaders): Refused | null {
    const session = this.#sessionOf(browser);
    if (session === null) return NO_SESSION;
    return refuseOtherOrigin(browser) ?? this.parts.watchers.open(request, session);
  }
}

function sendFile(request: HttpRequest, responder: HttpResponder, file: TaggedBody): void {
  const { method, ifNoneMatch, acceptEncoding } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    sendResult(
      responder,
      new Refused('method_not_allowed', `${method} is not offered here`, ['Allow', 'GET, HEAD']),
    );
    return;
  }
  const form = file.form(acceptEncoding);
  const id = `X-Request-Id: ${randomUUID()}`;
  if (isNamed(form.etag, ifNoneMatch)) responder.send(304, id + form.notModifiedHead, '');
  else responder.send(200, id + form.head, form.bytes);
}
