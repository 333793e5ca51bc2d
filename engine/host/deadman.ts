/**
 * Cancels the resting orders of keys whose bots have gone. A stream of the key asks for it; it happens once no stream
 * of the key has sent a message for so long, or the last one that asked has ended. A start begins every countdown anew.
 */
import type { Outcome } from '../model/events.js';
import type { CommandSink } from './resting-orders.js';

/** All keys together: about a millisecond of work. */
const ORDERS_A_TURN = 1_000;

/** Far longer than between two calls of `pump`, and far shorter than a silence that counts. */
const PAUSE_MS_MAX = 200;

/**
 * For `DeadmanOptions.nowMs`: a pause between two readings counts for no more than that. While the process stalls the
 * messages of bots wait in its sockets, and its own silence must not be taken for theirs.
 */
export function withoutPauses(monotonicMs: () => number): () => number {
  let lastMs = monotonicMs();
  let passedMs = 0;
  return () => {
    const readMs = monotonicMs();
    passedMs += Math.min(readMs - lastMs, PAUSE_MS_MAX);
    lastMs = readMs;
    return passedMs;
  };
}

interface Watched {
  streams: number;
  heard: number;
  sinceMs: number;
  isDue: boolean;
}

export interface DeadmanOptions {
  readonly sequencer: CommandSink & { stampMs(): number };
  /** Never runs backwards. */
  readonly nowMs: () => number;
  /** Changes with each message of the key's streams. */
  readonly heard: (key: number) => number;
}

export class Deadman {
  readonly #keys = new Map<number, Watched>();

  constructor(private readonly options: DeadmanOptions) {
    const { engine } = options.sequencer;
    for (let key = 1; key <= engine.keyCount; key++) if (engine.key(key).deadmanSeconds > 0) this.#watch(key);
  }

  opened(key: number): void {
    this.beforeOrder(key);
    this.#watch(key).streams += 1;
  }

  /**
   * Orders that earlier streams have left go first: a new order is not theirs. They may still be there where a gate was closed
   * until now.
   */
  beforeOrder(key: number): void {
    const watched = this.#keys.get(key);
    while (watched?.isDue && this.#look(key, watched, ORDERS_A_TURN) === ORDERS_A_TURN);
  }

  /** A stream that asked has ended. */
  ended(key: number): void {
    const watched = this.#watch(key);
    watched.streams -= 1;
    if (watched.streams > 0) return;
    watched.isDue = true;
    // At once: a stream that asks next keeps its orders.
    this.#look(key, watched, ORDERS_A_TURN);
  }

  /** 0 ends the countdown. */
  set(key: number, seconds: number): Outcome {
    const { sequencer, nowMs } = this.options;
    const outcome = sequencer.submit({ kind: 'setDeadman', timeMs: sequencer.stampMs(), key, seconds });
    if (outcome.status === 'accepted') this.#watch(key).sinceMs = nowMs();
    return outcome;
  }

  /** Call several times a second. */
  pump(): void {
    if (this.options.sequencer.stopped) return;
    let ordersLeft = ORDERS_A_TURN;
    for (const [key, watched] of this.#keys) {
      ordersLeft -= this.#look(key, watched, ordersLeft);
      if (ordersLeft === 0) return;
    }
  }

  #watch(key: number): Watched {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const { heard, nowMs } = this.options;
    const watched = { streams: 0, heard: heard(key), sinceMs: nowMs(), isDue: false };
    this.#keys.set(key, watched);
    return watched;
  }

  #look(key: number, watched: Watched, ordersMax: number): number {
    return this.#isDue(key, watched) ? this.#fire(key, watched, ordersMax) : 0;
  }

  #isDue(key: number, watched: Watched): boolean {
    const { sequencer, heard, nowMs } = this.options;
    const { deadmanSeconds } = sequencer.engine.key(key);
    if (deadmanSeconds === 0) {
      watched.isDue = false;
      if (watched.streams === 0) this.#keys.delete(key);
      return false;
    }
    const heardNow = heard(key);
    if (heardNow !== watched.heard) {
      watched.heard = heardNow;
      watched.sinceMs = nowMs();
    }
    watched.isDue ||= nowMs() - watched.sinceMs >= deadmanSeconds * 1_000;
    return watched.isDue;
  }

  /** Returns how many orders it cancelled. After the last one the countdown begins anew, or is over. */
  #fire(key: number, watched: Watched, ordersMax: number): number {
    const { sequencer, nowMs } = this.options;
    const { account } = sequencer.engine.key(key);
    const whose = { account, key, market: null, side: null, placedBy: key };
    const timeMs = sequencer.stampMs();
    const outcome = sequencer.submit({ kind: 'cancelOrders', timeMs, ...whose, ordersMax });
    const cancelled = outcome.status === 'accepted' ? outcome.events.length : 0;
    const isBusy = outcome.status === 'rejected' && outcome.code !== 'order_not_pending';
    if (isBusy || cancelled === ordersMax) return cancelled;
    // Journaled last: a crash in between begins the countdown anew.
    if (watched.streams === 0 && this.set(key, 0).status !== 'accepted') return cancelled;
    watched.isDue = false;
    watched.sinceMs = nowMs();
    return cancelled;
  }
}
