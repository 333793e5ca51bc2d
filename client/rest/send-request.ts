/** One HTTP request and its answer, or the failure that it ended with. */
import type { CurrentOdds, ErrorCode, Failure } from '../base/errors.js';
import { onAbort, timeout } from '../base/timing.js';
import type { JournalHead } from '../base/types.js';

export interface Wanted {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Success {
  readonly data: unknown;
  /** null on the last page, and where the answer has no pages. */
  readonly nextCursor: string | null;
  readonly head?: JournalHead | null;
}

export interface Sent {
  readonly outcome: Success | Failure;
  readonly headers: Headers | null;
}

export const isFailure = (outcome: Success | Failure): outcome is Failure => 'code' in outcome;

export type Fetch = typeof fetch;

/** Aborts itself after the time; `signal` aborts it too. `done` must be called at the end. */
function deadline(
  timeoutMs: number,
  signal: AbortSignal | undefined,
): { readonly own: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = timeout(timeoutMs, abort);
  const forget = onAbort(signal, abort);
  return {
    own: controller.signal,
    done: () => {
      clearTimeout(timer);
      forget();
    },
  };
}

/** Throws only the reason of `signal`, if that is aborted meanwhile. */
export async function sendRequest(
  wanted: Wanted,
  send: Fetch,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Sent> {
  const { method, url, headers, body } = wanted;
  const { own, done } = deadline(timeoutMs, signal);
  try {
    // Followed, a redirection may make a GET of an order, whose answer would pass for that of the order.
    const init = { method, headers, signal: own, redirect: 'manual' } as const;
    const response = await send(url, { ...init, ...(body !== null && { body }) });
    return { outcome: readAnswer(response, await response.text()), headers: response.headers };
  } catch (cause) {
    signal?.throwIfAborted();
    const failure = own.aborted ? timedOut(timeoutMs) : brokenBy(cause);
    return { outcome: { ...failure, cause }, headers: null };
  } finally {
    done();
  }
}

export const timedOut = (timeoutMs: number): Failure => ({
  code: 'timed_out',
  detail: `no answer within ${timeoutMs} ms`,
});

/** Node tells by these that no connection came about; browsers do not. */
const UNCONNECTED: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];
/** An answer to the begin of TLS that is none: the address begins with https://, and its server speaks plain HTTP. */
const NO_TLS: readonly unknown[] = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

function brokenBy(thrown: unknown): Failure {
  const cause: unknown = thrown instanceof Error ? thrown.cause : null;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (NO_TLS.includes(code))
    return { code: 'bad_answer', detail: 'the server at this address speaks no TLS', isUnsent: true };
  const isUnsent = UNCONNECTED.includes(code);
  return { code: 'connection_failed', detail: describe(thrown), ...(isUnsent && { isUnsent }) };
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message;
}

interface Envelope {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly nextCursor?: unknown;
  readonly head?: JournalHead | null;
  readonly error?: unknown;
  readonly current?: CurrentOdds;
}

function readAnswer(response: Response, text: string): Success | Failure {
  const envelope = objectIn<Envelope>(text);
  if (response.ok && envelope?.success === true) {
    const { data, nextCursor, head } = envelope;
    return { data, nextCursor: typeof nextCursor === 'string' ? nextCursor : null, ...(head && { head }) };
  }
  const about = {
    status: response.status,
    requestId: response.headers.get('X-Request-Id'),
    retryAfterMs: secondsMs(response.headers.get('Retry-After')),
  };
  const error = envelope?.success === false && typeof envelope.error === 'string' ? envelope.error : '';
  const [, code, detail = ''] = /^(\w+)(?:: (.*))?$/s.exec(error) ?? [];
  if (code === undefined)
    return { code: 'bad_answer', detail: `status ${response.status}, and no answer of tote`, ...about };
  return { code: code as ErrorCode, detail, current: envelope?.current ?? null, ...about };
}

/** null if it is no JSON object. The caller vouches for its form. */
export function objectIn<T extends object>(text: string): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as T | null) : null;
  } catch {
    return null;
  }
}

const secondsMs = (header: string | null): number | null =>
  header !== null && /^\d+$/.test(header) ? Number(header) * 1_000 : null;
