/**
 * The cookie that holds a session's id. No script can read it (HttpOnly), no other site's page sends it (SameSite=Strict),
 * and where the browser came over TLS it goes over nothing else (Secure).
 *
 * Browsers send a host's cookies to all its ports. So the port is in the cookie's name: whoever reaches two machines by two
 * tunnels of his own one stays logged in at both.
 */
import type { BrowserHeaders } from '../../engine/model/ports.js';
import { AGE_MS_MAX } from './sessions.js';

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
