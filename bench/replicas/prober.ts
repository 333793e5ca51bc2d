/**
 * A client of both machines that sends one order after the other to whoever takes it, as a bot with a list of addresses does:
 * the longest time between two acknowledgements is the time without service.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const TRY_MS_MAX = 2_000;
const PAUSE_MS = 2;

export interface ProbedOrder {
  readonly apiKey: string;
  readonly marketId: string;
}

export class Prober {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #acknowledgedMs: number[] = [];
  #isOver = false;
  readonly #ended: Promise<void>;

  /** `ports` are those of both machines at any time. */
  constructor(
    private readonly ports: () => readonly number[],
    private readonly order: ProbedOrder,
  ) {
    this.#ended = this.#run();
  }

  get acknowledged(): number {
    return this.#acknowledgedMs.length;
  }

  /** Ends it. The longest time between two acknowledgements, in milliseconds, from the last one before `sinceMs` on. */
  async gapAround(sinceMs: number): Promise<number> {
    this.#isOver = true;
    await this.#ended;
    this.#agent.destroy();
    const after = this.#acknowledgedMs.findIndex((atMs) => atMs > sinceMs);
    let longestMs = 0;
    for (let at = Math.max(1, after); at < this.#acknowledgedMs.length; at += 1) {
      const tookMs = (this.#acknowledgedMs[at] ?? 0) - (this.#acknowledgedMs[at - 1] ?? 0);
      longestMs = Math.max(longestMs, tookMs);
    }
    return longestMs;
  }

  async #run(): Promise<void> {
    for (let at = 0; !this.#isOver; ) {
      const ports = this.ports();
      const port = ports[at % ports.length] ?? 0;
      const status = await this.#send(port).catch(() => 0);
      if (status === 201) this.#acknowledgedMs.push(performance.now());
      else {
        at += 1;
        await pause(PAUSE_MS);
      }
    }
  }

  #send(port: number): Promise<number> {
    const { apiKey, marketId } = this.order;
    const body = JSON.stringify({ marketId, prediction: 'UP', amount: 1 });
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'X-API-Key': apiKey,
    };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/orders', headers };
      const sent = request({ ...options, agent: this.#agent, timeout: TRY_MS_MAX }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.end(body);
    });
  }
}
