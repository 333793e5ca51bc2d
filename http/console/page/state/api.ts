/**
 * The session, and requests to the server. An answer is data, or a sentence on what went wrong: nothing here throws. A
 * change whose answer is lost may have been made; only a change that names a reference can be sent again without a
 * second thought.
 */
import { signal } from '@preact/signals';
import { mayDo, type OperatorRole } from '../../../../engine/model/operators.js';
import type { Method } from '../../../kit/router.js';
import type { SessionResource } from '../../sessions.js';

export type Answer<T> =
  | { readonly ok: true; readonly data: T; readonly nextCursor: string | null; readonly isReplay: boolean }
  | { readonly ok: false; readonly error: string };

/** A path below `/operator/v1`, with what is sent to it. */
export type Request = readonly [
  method: Method,
  path: string,
  body?: object,
  headers?: Record<string, string>,
];

const SESSION_PATH = '/console/session';
const TIMEOUT_MS = 30_000;
const FIND_TIMEOUT_MS = 2_000;
/** A session ends an hour after it was last renewed. */
const RENEW_EVERY_MS = 5 * 60_000;
/** Not known of a page that was opened with a session: it may be nearly over. */
let renewedMs = 0;
const LOST =
  'The server did not answer. If this was a change, it may have been made all the same: look before you try again.';
const ENDED = 'Your session has ended. Log in again.';
const NOT_DONE = 'nothing was changed.';

/** `undefined` until the server has said whether there is one. */
export const session = signal<SessionResource | null | undefined>(undefined);
/** '' if no session has ended. */
export const endedBecause = signal('');

/** True for any role that may do as much. The server decides all the same. */
export function may(needed: OperatorRole): boolean {
  const role = session.value?.role;
  return role !== undefined && mayDo(role, needed);
}

export function operator<T>(...[method, path, ...sent]: Request): Promise<Answer<T>> {
  // The clock may have been set back.
  if (Math.abs(Date.now() - renewedMs) > RENEW_EVERY_MS) {
    renewedMs = Date.now();
    void send(['PUT', SESSION_PATH]);
  }
  return send<T>([method, `/operator/v1${path}`, ...sent]);
}

/** A server that does not answer may know the session. */
export async function findSession(): Promise<void> {
  const answer = await send<SessionResource | null>(['GET', SESSION_PATH], FIND_TIMEOUT_MS);
  if (answer.ok && answer.data === null) endSession(session.value === undefined ? '' : ENDED);
  else session.value = answer.ok ? answer.data : (session.value ?? null);
}

/** Returns what went wrong, or ''. */
export async function logIn(token: string): Promise<string> {
  const answer = await send<SessionResource>(['POST', SESSION_PATH, { token }]);
  if (answer.ok) session.value = answer.data;
  return answer.ok ? '' : answer.error;
}

/** Returns what went wrong, or '': only the server can take the ticket from the browser. */
export async function logOut(): Promise<string> {
  const answer = await send(['DELETE', SESSION_PATH]);
  if (answer.ok) endSession('');
  return answer.ok ? '' : `You are still logged in. ${answer.error}`;
}

function endSession(reason: string): void {
  if (session.value !== null) endedBecause.value = reason;
  session.value = null;
}

async function send<T>(
  [method, path, body, headers = {}]: Request,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer<T>> {
  try {
    const csrf = method === 'GET' ? undefined : session.value?.csrfToken;
    const response = await fetch(path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(csrf === undefined ? {} : { 'X-CSRF-Token': csrf }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const isReplay = response.headers.has('X-Idempotent-Replay');
    if (response.status === 204) return { ok: true, data: undefined as T, nextCursor: null, isReplay };
    const answer = (await response.json()) as { data: T; error?: string; nextCursor?: string | null };
    const { data, error, nextCursor = null } = answer;
    if (error === undefined) return { ok: true, data, nextCursor, isReplay };
    if (response.status !== 401) return { ok: false, error };
    endSession(ENDED);
    return { ok: false, error: method === 'GET' || path === SESSION_PATH ? error : NOT_DONE };
  } catch {
    return { ok: false, error: LOST };
  }
}
