/**
 * Sessions of the console. A browser that has shown an operator token once gets a session instead, so that the token
 * stays neither in the page nor in the browser. Sessions are in memory alone: a restart ends them all. A session is worth
 * no more than its token, and ends when that is no longer in force.
 */
import { hash, randomBytes } from 'node:crypto';
import type { OperatorToken } from '../../engine/model/operators.js';
import type { BrowserHeaders, Clock } from '../../engine/model/ports.js';

/** A session that sends no request for so long ends. The live stream of an open page is no request. */
export const IDLE_MS_MAX = 60 * 60_000;
/** However busy it is. */
export const AGE_MS_MAX = 12 * 60 * 60_000;
/** One more ends the one that was used least recently. */
export const SESSIONS_MAX = 100;

/** 256 bits, as many as a token has. */
const SECRET_BYTES = 32;
const WELL_FORMED = /^[A-Za-z0-9_-]{43}$/;

export class Session {
  isClosed = false;
  /** Pages send it back with each change, which a page of another site cannot know. */
  readonly csrfToken = newSecret();

  constructor(
    readonly caller: OperatorToken,
    readonly openedMs: number,
    /** When it last sent a request, in monotonic milliseconds like `openedMs`. */
    public usedMs: number,
  ) {}
}

export class Sessions {
  /** By the digest of the id, least recently used first: whoever reads this memory cannot take a session over. */
  readonly #sessions = new Map<string, Session>();

  /** `isInForce` says whether the token that opened a session still is. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly isInForce: (caller: OperatorToken) => boolean,
  ) {}

  /** Opens a session. Only the browser keeps its id. */
  open(caller: OperatorToken): { readonly id: string; readonly session: Session } {
    const nowMs = this.clock.monotonicMs();
    const id = newSecret();
    const session = new Session(caller, nowMs, nowMs);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= SESSIONS_MAX && oldest !== undefined) this.#end(oldest);
    this.#sessions.set(digestOf(id), session);
    return { id, session };
  }

  /** The open session with this id, which is used just now; null if there is none. */
  use(id: string): Session | null {
    if (!WELL_FORMED.test(id)) return null;
    const digest = digestOf(id);
    const session = this.#sessions.get(digest);
    if (session === undefined) return null;
    if (!this.isOpen(session)) {
      this.#end(digest);
      return null;
    }
    session.usedMs = this.clock.monotonicMs();
    this.#sessions.delete(digest);
    this.#sessions.set(digest, session);
    return session;
  }

  /** Whether the session goes on; asking is not using it. */
  isOpen({ caller, isClosed, openedMs, usedMs }: Session): boolean {
    const nowMs = this.clock.monotonicMs();
    const isYoung = nowMs - usedMs < IDLE_MS_MAX && nowMs - openedMs < AGE_MS_MAX;
    return !isClosed && isYoung && this.isInForce(caller);
  }

  /** Whole milliseconds until a session that is not used again ends. */
  leftMs({ openedMs, usedMs }: Session): number {
    const nowMs = this.clock.monotonicMs();
    return Math.max(0, Math.floor(Math.min(usedMs + IDLE_MS_MAX, openedMs + AGE_MS_MAX) - nowMs));
  }

  close(id: string): void {
    this.#end(digestOf(id));
  }

  #end(digest: string): void {
    const session = this.#sessions.get(digest);
    if (session !== undefined) session.isClosed = true;
    this.#sessions.delete(digest);
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

const digestOf = (id: string): string => hash('sha256', id, 'hex');

const NAME = 'tote_console';
/** Of a Host header; there is none where it is the scheme's own. */
const PORT = /:(\d{1,5})$/;
const SECONDS_MAX = AGE_MS_MAX / 1_000;
/** A browser has a few cookies for a host; whoever sends more is not searched for ours. */
const COOKIES_MAX = 50;

/** The session's id in a request's cookies; '' if there is none, or more than one: then somebody else has set one of them. */
export function sessionIdIn(browser: BrowserHeaders): string {
  const start = `${nameFor(browser)}=`;
  const pairs = browser.cookie.split(';', COOKIES_MAX).map((pair) => pair.trim());
  const ids = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return ids.length === 1 ? (ids[0] ?? '') : '';
}

/** Value of Set-Cookie for a session that `browser` has opened. */
export const cookieOf = (id: string, browser: BrowserHeaders): string =>
  `${nameFor(browser)}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${SECONDS_MAX}${secure(browser)}`;

/** Value of Set-Cookie that takes the session's cookie away. */
export const endedCookie = (browser: BrowserHeaders): string =>
  `${nameFor(browser)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${secure(browser)}`;

/** The page's own address says how the browser came, even where a proxy in front of the server ends TLS. */
const secure = ({ origin }: BrowserHeaders): string => (origin.startsWith('https://') ? '; Secure' : '');

function nameFor({ host }: BrowserHeaders): string {
  const port = PORT.exec(host)?.[1];
  return port === undefined ? NAME : `${NAME}_${port}`;
}
