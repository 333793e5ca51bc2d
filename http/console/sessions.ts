/**
 * Sessions of the console. A browser that has shown an operator token once gets a ticket in its place, so that the
 * token stays neither in the page nor in the browser. Tickets are signed with a key that is made from the master
 * secret. All machines of an exchange have that, so a restart or a takeover ends no session. A session is worth no more
 * than its token, and ends with it. A process keeps only the sessions that were logged out there, for as long as their
 * tickets would be good.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { OperatorToken } from '../../engine/model/operators.js';
import type { BrowserHeaders, Clock } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { TokenGuard } from '../operator/access/token-guard.js';

/** A ticket is good for so long; the page has it renewed while somebody uses it. */
export const IDLE_MS_MAX = 60 * 60_000;
/** However often it is renewed. */
export const AGE_MS_MAX = 12 * 60 * 60_000;

const ID_BYTES = 16;
/** Id, opening, last renewal, signature, and the name of the token. */
const TICKET = /^([\w-]{22})\.([0-9a-z]{1,9})\.([0-9a-z]{1,9})\.([\w-]{43})\.([\w.@-]{1,64})$/;

export interface Session {
  readonly caller: OperatorToken;
  readonly id: string;
  readonly openedMs: number;
  readonly renewedMs: number;
  /** Pages send it back with each change, which a page of another site cannot know. */
  readonly csrfToken: string;
}

/** `csrfToken` is to be sent as X-CSRF-Token with each change. */
export type SessionResource = Readonly<ReturnType<typeof resourceOf>>;
export const resourceOf = ({ caller: { name, role }, csrfToken }: Session) => ({ name, role, csrfToken });

export const sessionKeyOf = (masterSecret: Uint8Array): Uint8Array =>
  createHmac('sha256', masterSecret).update('tote console session 1').digest();

export class Sessions {
  /** By id: the end of the ticket of a session that was logged out. */
  readonly #endedMs = new Map<string, number>();

  constructor(
    private readonly key: Uint8Array,
    private readonly clock: Pick<Clock, 'nowMs'>,
    private readonly tokens: Pick<TokenGuard, 'named' | 'isInForce'>,
  ) {}

  open(caller: OperatorToken): Session {
    const nowMs = this.clock.nowMs();
    return this.#session(caller, randomBytes(ID_BYTES).toString('base64url'), nowMs, nowMs);
  }

  renewed = ({ caller, id, openedMs }: Session): Session =>
    this.#session(caller, id, openedMs, this.clock.nowMs());

  /** null if the ticket has no open session. */
  read(ticket: string): Session | null {
    const [, id = '', opened = '', renewed = '', signature = '', name = ''] = TICKET.exec(ticket) ?? [];
    const caller = this.tokens.named(name);
    if (caller === undefined) return null;
    const session = this.#session(caller, id, Number.parseInt(opened, 36), Number.parseInt(renewed, 36));
    const isRight = timingSafeEqual(Buffer.from(signature), Buffer.from(this.#signatureOf(session)));
    return isRight && this.isOpen(session) ? session : null;
  }

  /** Only the browser keeps it. */
  ticketOf(session: Session): string {
    const { id, openedMs, renewedMs, caller } = session;
    const times = `${openedMs.toString(36)}.${renewedMs.toString(36)}`;
    return `${id}.${times}.${this.#signatureOf(session)}.${caller.name}`;
  }

  isOpen({ caller, id, openedMs, renewedMs }: Session): boolean {
    const endsMs = Math.min(renewedMs + IDLE_MS_MAX, openedMs + AGE_MS_MAX);
    return this.clock.nowMs() < endsMs && !this.#endedMs.has(id) && this.tokens.isInForce(caller);
  }

  close({ id }: Session): void {
    const nowMs = this.clock.nowMs();
    for (const [other, endedMs] of this.#endedMs) if (endedMs <= nowMs) this.#endedMs.delete(other);
    // A ticket that was renewed at this very moment has the same id.
    this.#endedMs.set(id, nowMs + IDLE_MS_MAX);
  }

  #session(caller: OperatorToken, id: string, openedMs: number, renewedMs: number): Session {
    return { caller, id, openedMs, renewedMs, csrfToken: this.#sign(`csrf ${id}`) };
  }

  #signatureOf({ caller: { name, role, digest }, id, openedMs, renewedMs }: Session): string {
    return this.#sign(['ticket', id, openedMs, renewedMs, name, role, digest].join(' '));
  }

  #sign(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url');
  }
}

/** '' if there is no ticket, or more than one: then somebody else has set one of them. */
export function ticketIn(browser: BrowserHeaders): string {
  const start = `${nameFor(browser)}=`;
  const pairs = browser.cookie.split(';').map((pair) => pair.trim());
  const tickets = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return tickets.length === 1 ? (tickets[0] ?? '') : '';
}

/** '' takes the browser's ticket away. */
export function cookieOf(ticket: string, browser: BrowserHeaders): string {
  const seconds = ticket === '' ? 0 : AGE_MS_MAX / 1_000;
  return `${nameFor(browser)}=${ticket}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure(browser)}`;
}

/** The page's own address says how the browser came, even where a proxy in front of the server ends TLS. */
const secure = ({ origin }: BrowserHeaders): string => (origin.startsWith('https://') ? '; Secure' : '');

/** Consoles on one host have cookies of their own. A Host header has no port where it is the scheme's. */
function nameFor({ host }: BrowserHeaders): string {
  const [port = ''] = /:\d{1,5}$/.exec(host) ?? [];
  return `tote_console${port.replace(':', '_')}`;
}

const OTHER_ORIGIN = new Refused('csrf_refused', 'Origin must be that of this server');
const WRONG_CSRF_TOKEN = new Refused(
  'csrf_refused',
  'X-CSRF-Token must be the one that the session was given',
);

/** null if the change may come from the session's own page. */
export function refuseForgery(session: Session, browser: BrowserHeaders): Refused | null {
  const sent = Buffer.from(browser.csrfToken);
  const expected = Buffer.from(session.csrfToken);
  const isRight = sent.length === expected.length && timingSafeEqual(sent, expected);
  return refuseOtherOrigin(browser) ?? (isRight ? null : WRONG_CSRF_TOKEN);
}

/** The scheme is not compared: behind a proxy that ends TLS the server does not know it. */
export const refuseOtherOrigin = ({ origin, host }: BrowserHeaders): Refused | null =>
  host !== '' && (origin === `http://${host}` || origin === `https://${host}`) ? null : OTHER_ORIGIN;
