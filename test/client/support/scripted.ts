/** A client without a network or a clock: answers come from a script, and waiting is only written down. */
import assert from 'node:assert/strict';
import { ToteError } from '../../../client/base/errors.js';
import type { Surroundings } from '../../../client/base/timing.js';
import { type ClientOptions, ToteClient } from '../../../client/client.js';

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly atMs: number;
}

export type Answer = (request: SentRequest) => Response | Promise<Response>;

/** Passes only when somebody waits. */
class VirtualTime implements Surroundings {
  nowMs_ = Date.parse('2026-06-10T12:00:00.000Z');
  readonly slept: number[] = [];
  constructor(readonly random: () => number = () => 0) {}
  readonly nowMs = (): number => this.nowMs_;
  readonly monotonicMs = (): number => this.nowMs_;
  readonly sleep = async (delayMs: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.slept.push(delayMs);
    this.nowMs_ += delayMs;
  };
}

export class Scripted {
  readonly time = new VirtualTime();
  readonly sent: SentRequest[] = [];
  readonly client: ToteClient;

  /** One answer after the other; the last one again and again. */
  constructor(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
    const send = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
      const request: SentRequest = {
        method: init.method ?? 'GET',
        url: String(url),
        headers: init.headers as Record<string, string>,
        body: typeof init.body === 'string' ? init.body : null,
        atMs: this.time.nowMs(),
      };
      this.sent.push(request);
      const answer = answers[Math.min(this.sent.length, answers.length) - 1];
      if (answer === undefined) throw new Error('the script has no answers');
      return answer(request);
    };
    this.client = new ToteClient({
      url: 'http://tote.test/v1',
      key: 'tote_secret',
      fetch: send as typeof fetch,
      surroundings: this.time,
      ...options,
    });
  }
}

export const success =
  (data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json({ success: true, data }, { status, headers });

export const failure =
  (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json({ success: false, error }, { status, headers: { 'X-Request-Id': 'r-1', ...headers } });

/** As Node's `fetch` tells it. */
export function brokenBy(code: string): Answer {
  const cause = Object.assign(new Error(code), { code });
  return () => Promise.reject(new TypeError('fetch failed', { cause }));
}
export const broken = brokenBy('ECONNRESET');

export async function errorOf(call: Promise<unknown>): Promise<ToteError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ToteError, String(error));
  return error;
}

export const ORDER = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 25 } as const;
export const PLACED = { bet: { id: 'bet_1' }, newBalance: 75, limitOrdersFilled: null };
