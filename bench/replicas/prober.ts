/**
 * A client of both machines that sends one order after the other to the machine that takes it, as a bot with a list of
 * addresses does: the longest time between two acknowledgements is the time without service.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../tote/server.js';

const TRY_MS_MAX = 2_000;
const PAUSE_MS = 2;

interface ProbedOrder {
  readonly apiKey: string;
  readonly marketId: string;
}

export class Prober {
  readonly #acknowledgedMs: number[] = [];
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(ports: () => readonly number[], order: ProbedOrder) {
    this.#ended = this.#run(ports, order);
  }

  get acknowledged(): number {
    return this.#acknowledgedMs.length;
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

  async #run(ports: () => readonly number[], { apiKey, marketId }: ProbedOrder): Promise<void> {
    const body = { marketId, prediction: 'UP', amount: 1 };
    for (let at = 0; !this.#isOver; ) {
      const port = ports()[at % ports().length] ?? 0;
      const headers = { 'X-API-Key': apiKey };
      const answer = await call(port, 'POST', '/v1/orders', body, headers, TRY_MS_MAX).catch(() => null);
      if (answer?.status === 201) this.#acknowledgedMs.push(performance.now());
      else {
        at += 1;
        await pause(PAUSE_MS);
      }
    }
  }
}
