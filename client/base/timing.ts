/** Waiting, for retries of requests and reconnections of the stream, and calls of the bot's own functions. */

export interface Surroundings {
  /** Since 1970, by the machine's clock. */
  readonly nowMs: () => number;
  /** From any beginning, for waiting: setting the machine's clock does not affect it. */
  readonly monotonicMs: () => number;
  /** At least 0 and below 1. */
  readonly random: () => number;
  /** Resolves after the delay; rejects with the signal's reason as soon as it is aborted. */
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
}

export const realSurroundings: Surroundings = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  random: Math.random,
  sleep,
};

function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const timer = timeout(delayMs, () => {
      forget();
      resolve();
    });
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}

const actsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` once the signal is aborted, until the function that is returned is called. A signal has one listener for
 * all calls, because Node 20 warns of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const acts = actsOf.get(signal) ?? new Set();
  actsOf.set(signal, acts.add(act));
  signal.addEventListener('abort', tellAborted, { once: true });
  return () => {
    acts.delete(act);
    if (acts.size === 0) signal.removeEventListener('abort', tellAborted);
  };
}

function tellAborted({ currentTarget }: Event): void {
  for (const act of actsOf.get(currentTarget as AbortSignal) ?? []) act();
}

/** `setTimeout` takes no more, and would end a longer time, or one without end, at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;
export const timeout = (delayMs: number, act: () => void): ReturnType<typeof setTimeout> =>
  setTimeout(act, Math.min(delayMs, TIMEOUT_MS_MAX));

const FIRST_BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 5_000;

/**
 * The pause after so many failures in a row: doubled each time, up to five seconds. A random half of it is left out,
 * so that clients that failed together do not come back together.
 */
export function backoffMs(failures: number, random: () => number): number {
  const fullMs = Math.min(BACKOFF_MS_MAX, FIRST_BACKOFF_MS * 2 ** (failures - 1));
  return fullMs * (1 - random() / 2);
}

/**
 * Calls a function of the bot. Its error is uncaught, as in any listener, but only after the client's own work: thrown
 * into the package `ws`, it would stop that connection for good.
 */
export function callBot(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
