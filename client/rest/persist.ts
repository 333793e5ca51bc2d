/**
 * One request, sent as often as it needs and is allowed to. It waits its turn under the rate limits, is sent again
 * after failures that pass (`retry.ts`), and ends with the answer or one `ToteError`.
 */
import { type Failure, type OrderMarks, ToteError } from '../base/errors.js';
import { backoffMs, type Surroundings } from '../base/timing.js';
import type { OrderRequest, OrderResult } from '../base/types.js';
import type { Pace } from './pace.js';
import { Doubt, isRetried } from './retry.js';
import { isFailure, type Sent, type Success } from './send-request.js';

export interface CallOptions {
  /** Ends the call, which fails with `aborted`; `isOutcomeUnknown` says whether an order may have been placed all the same. */
  readonly signal?: AbortSignal;
  /** How long each attempt waits for its answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** For how long failures that pass are tried again, in milliseconds; 0 for a single attempt. */
  readonly retryForMs?: number;
}

export interface OrderOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters that stand for this order alone. If not given, a random one is made; result and
   * error name it, so that the order can be sent again.
   */
  readonly idempotencyKey?: string;
}

/** An order to place. Its `clientSeed` is the Idempotency-Key if none is given, and `null` sends none. */
export interface OrderToPlace extends Omit<OrderRequest, 'clientSeed'> {
  readonly clientSeed?: string | null;
}

/** The answer to an order, and its marks. */
export interface PlacedOrder extends OrderResult, OrderMarks {
  readonly idempotencyKey: string;
}

const CLIENT_SEED_LENGTH_MAX = 128;

export function markOrder(
  { clientSeed: own, ...terms }: OrderToPlace,
  { idempotencyKey = crypto.randomUUID() }: OrderOptions,
): { readonly order: OrderRequest; readonly marks: OrderMarks & { readonly idempotencyKey: string } } {
  // From the key, so that the same order is sent again, also after a restart.
  const clientSeed = own === undefined ? idempotencyKey.slice(0, CLIENT_SEED_LENGTH_MAX) : own;
  return {
    order: clientSeed === null ? terms : { ...terms, clientSeed },
    marks: { idempotencyKey, clientSeed },
  };
}

/** An order is not sent again later than this: the server remembers its key for ten minutes by the default rules. */
const ORDER_RETRY_MS_MAX = 540_000;

/** The server drops bytes above ASCII at either end of a header, so that two such keys could be one. */
const IDEMPOTENCY_KEY = /^[!-~]{1,257}$/;
const BAD_KEY: Failure = {
  code: 'invalid_request',
  detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
};

interface Persistence {
  readonly pace: Pace;
  /** No attempt but the first begins later than this after the call. */
  readonly retryForMs: number;
  readonly marks: OrderMarks;
  readonly isWrite: boolean;
  readonly namesRound: boolean;
  readonly signal: AbortSignal | undefined;
}

/** After `Retry-After` the server admits one request; a little chance keeps several clients apart. */
const RETRY_AFTER_JITTER_MS = 250;

/** `attempt` throws only the reason of the signal, and only after it has sent something. */
export async function persist(
  attempt: () => Promise<Sent>,
  { pace, retryForMs, marks, isWrite, namesRound, signal }: Persistence,
  around: Surroundings,
): Promise<Success> {
  const { idempotencyKey } = marks;
  if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey))
    throw new ToteError(BAD_KEY, { attempts: 0, isOutcomeUnknown: false, ...marks });
  const retryMsMax = idempotencyKey === null ? retryForMs : Math.min(retryForMs, ORDER_RETRY_MS_MAX);
  const retryUntilMs = around.monotonicMs() + retryMsMax;
  const doubt = new Doubt(idempotencyKey !== null, namesRound);
  const error = (failure: Failure, attempts: number): ToteError => {
    const isOutcomeUnknown = isWrite && doubt.isOutcomeUnknown;
    return new ToteError(failure, { attempts, isOutcomeUnknown, ...marks });
  };
  let last: Failure | null = null;
  for (let attempts = 1; ; attempts++) {
    // Behind other requests of the client it may have to wait for longer than its own pause.
    if (last !== null && pace.nextAtMs > retryUntilMs) throw error(last, attempts - 1);
    await pace.wait(signal).catch(() => undefined);
    if (signal?.aborted === true) throw error(aborted(signal), attempts - 1);
    pace.sent();
    const { outcome, headers } = await attempt().catch(() => ({ outcome: aborted(signal), headers: null }));
    pace.answered(headers);
    if (!isFailure(outcome)) return outcome;
    last = outcome;
    doubt.add(outcome);
    const delayMs = pauseMs(outcome, attempts, around.random);
    // Spares the client's other requests the same refusal.
    if (outcome.code === 'rate_limited') pace.hold(delayMs);
    if (!isRetried(outcome) || around.monotonicMs() + delayMs > retryUntilMs) throw error(outcome, attempts);
    if (outcome.code !== 'rate_limited') await around.sleep(delayMs, signal).catch(() => undefined);
  }
}

const aborted = (signal: AbortSignal | undefined): Failure => ({
  code: 'aborted',
  detail: 'the signal of the call has ended it',
  cause: signal?.reason,
});

function pauseMs({ retryAfterMs }: Failure, attempts: number, random: () => number): number {
  return typeof retryAfterMs === 'number'
    ? retryAfterMs + random() * RETRY_AFTER_JITTER_MS
    : backoffMs(attempts, random);
}
