/**
 * The caller of a request to the operator port: a holder of a token, or a browser with a session. A browser sends its
 * cookie of its own accord, so a request that changes something must also come from a page of this very origin, and
 * bring the token that only that page was given.
 */
import { timingSafeEqual } from 'node:crypto';
import type { OperatorCaller } from '../../engine/model/operators.js';
import type { BrowserHeaders, HttpRequest } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { Callers } from '../operator/access/callers.js';
import { type Session, type Sessions, ticketIn } from './sessions.js';

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const NO_SESSION = new Refused('invalid_session', 'the session has ended; log in again');
const OTHER_ORIGIN = new Refused('csrf_refused', 'Origin must be that of this server');
const WRONG_CSRF_TOKEN = new Refused(
  'csrf_refused',
  'X-CSRF-Token must be the one that the session was given',
);

export class ConsoleGuard implements Callers {
  constructor(
    private readonly tokens: Callers,
    private readonly sessions: Sessions,
  ) {}

  /** A token comes before a session. Refused with neither, or with a session that may not send the request. */
  identify(request: HttpRequest): OperatorCaller | Refused {
    const { authorization, browser } = request;
    const ticket = authorization === '' && browser ? ticketIn(browser) : '';
    if (ticket === '' || !browser) return this.tokens.identify(request);
    const session = this.sessions.read(ticket);
    if (session === null) return NO_SESSION;
    const refused = READS.includes(request.method) ? null : refuseForgery(session, browser);
    return refused ?? session.caller;
  }
}

/** null if the change may come from the session's own page. */
export function refuseForgery(session: Session, browser: BrowserHeaders): Refused | null {
  if (!isSameOrigin(browser)) return OTHER_ORIGIN;
  const sent = Buffer.from(browser.csrfToken);
  const expected = Buffer.from(session.csrfToken);
  const isRight = sent.length === expected.length && timingSafeEqual(sent, expected);
  return isRight ? null : WRONG_CSRF_TOKEN;
}

/** The scheme is not compared: behind a proxy that ends TLS the server does not know it. */
export const isSameOrigin = ({ origin, host }: BrowserHeaders): boolean =>
  host !== '' && (origin === `http://${host}` || origin === `https://${host}`);

export const refuseOtherOrigin = (browser: BrowserHeaders): Refused | null =>
  isSameOrigin(browser) ? null : OTHER_ORIGIN;
