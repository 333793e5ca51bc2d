/**
 * A client of both machines that sends one order after the other to the machine that takes it, as a bot with a list of
 * addresses does: the longest time between two acknowledgements is the time without service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../tote/server.js';

const TRY_MS_MAX = 2_000;
const PAUSE_MS = 2;

export interface ProbedOrders {
  readonly apiKey: string;
  readonly marketIds: readonly string[];
}

export class Prober {
  readonly #acknowledgedMs: number[] = [];
  #unanswered = 0;
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(ports: () => readonly number[], orders: ProbedOrders) {
    this.#ended = this.#run(ports, orders);
  }

  get acknowledged(): number {
    return this.#acknowledgedMs.length;
  }

  /** Orders that may have been placed all the same. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /**
   * Ends the probing. The longest time between two acknowledgements, in milliseconds, from the last one before
   * `sinceMs` on.
   */
  async gapAround(sinceMs: number): Promise<number> {
    this.#isOver = true;
    await this.#ended;
    const after = Math.max(
      1,
      this.#acknowledgedMs.findIndex((atMs) => atMs > sinceMs),
    );
    const times = this.#acknowledgedMs.slice(after - 1);
    return Math.max(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? atMs)));
  }

  /** Both sides of all markets in turn: the house takes no more of one side of a round than its limit. */
  async #run(ports: () => readonly number[], { apiKey, marketIds }: ProbedOrders): Promise<void> {
    const headers = { 'X-API-Key': apiKey };
    for (let at = 0, sent = 0; !this.#isOver; sent++) {
      const marketId = marketIds[sent % marketIds.length];
      const prediction = Math.floor(sent / marketIds.length) % 2 === 0 ? 'UP' : 'DOWN';
      const body = { marketId, prediction, amount: 1 };
      const port = ports()[at % ports().length] ?? 0;
      const answer = await call(port, 'POST', '/v1/orders', body, headers, TRY_MS_MAX).catch(() => null);
      if (answer?.status === 201) this.#acknowledgedMs.push(performance.now());
      else {
        if (answer === null) this.#unanswered += 1;
        at += 1;
        await pause(PAUSE_MS);
      }
    }
  }
}
