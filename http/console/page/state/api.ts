/**
 * Requests to the server. An answer is data, or a sentence on what went wrong: nothing here throws. A change whose
 * answer is lost may have been made; only a change that names a reference can be sent again without a second thought.
 */
import type { SessionResource } from '../../sessions.js';
import { ENDED, endSession, session } from './session.js';

export type Answer<T> =
  | { readonly ok: true; readonly data: T; readonly nextCursor: string | null }
  | { readonly ok: false; readonly error: string };

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const TIMEOUT_MS = 30_000;
const FIND_TIMEOUT_MS = 2_000;
/** A session ends an hour after it was last renewed. */
const RENEW_EVERY_MS = 5 * 60_000;
let renewedMs = Date.now();
const LOST =
  'The server did not answer. If this was a change, it may have been made all the same: look before you try again.';

/** `path` is below `/operator/v1`. */
export const operator = <T>(
  method: Method,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<T>> => {
  if (Date.now() - renewedMs > RENEW_EVERY_MS) {
    renewedMs = Date.now();
    void send('PUT', '/console/session');
  }
  return send<T>(method, `/operator/v1${path}`, body, headers);
};

/** A server that does not answer may know the session; one that took over is no standby any more. */
export async function findSession(): Promise<void> {
  const answer = await send<SessionResource | null>(
    'GET',
    '/console/session',
    undefined,
    {},
    FIND_TIMEOUT_MS,
  );
  const before = session.value ?? null;
  if (answer.ok && answer.data === null) endSession(before === null ? '' : ENDED);
  else if (answer.ok && JSON.stringify(answer.data) !== JSON.stringify(before)) session.value = answer.data;
  else if (!answer.ok) session.value = before;
}

export async function logIn(token: string): Promise<string> {
  const answer = await send<SessionResource>('POST', '/console/session', { token });
  if (!answer.ok) return answer.error;
  session.value = answer.data;
  return '';
}

export async function logOut(): Promise<void> {
  await send('DELETE', '/console/session');
  endSession('');
}

async function send<T>(
  method: Method,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
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
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await read<T>(response);
  } catch {
    return { ok: false, error: LOST };
  }
}

async function read<T>(response: Response): Promise<Answer<T>> {
  if (response.status === 204) return { ok: true, data: undefined as T, nextCursor: null };
  const { data, error, nextCursor } = (await response.json()) as {
    data: T;
    error?: string;
    nextCursor?: string | null;
  };
  if (error === undefined) return { ok: true, data, nextCursor: nextCursor ?? null };
  if (error.startsWith('invalid_session')) endSession(ENDED);
  return { ok: false, error };
}
