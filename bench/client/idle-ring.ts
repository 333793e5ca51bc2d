/**
 * Nearly idle connections: each sends one request per period, spread as evenly over it as the connections were
 * opened. A server closes a connection that is silent for longer.
 */
import { performance } from 'node:perf_hooks';
import type { Connection } from './connection.js';
import type { LatencySummary } from './job.js';
import { Latencies } from './latencies.js';

const LOOK_EVERY_MS = 5;
/** Maximum sent at once, so that the busy connections wait for no burst. */
const SENDS_MAX = 64;

export class IdleRing {
  readonly #periodMs: number;
  readonly #send: (connection: Connection) => void;
  readonly #latencies = new Latencies();
  /** Silent connections with the time of their next request, earliest first. */
  readonly #waiting: { readonly connection: Connection; readonly dueMs: number }[] = [];
  #head = 0;
  #underWay = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(periodMs: number, send: (connection: Connection) => void) {
    this.#periodMs = periodMs;
    this.#send = send;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** Requests in flight. */
  get underWay(): number {
    return this.#underWay;
  }

  get latency(): LatencySummary {
    return this.#latencies.summary();
  }

  /** Adds a connection, which sends its first request one period from now. */
  add(connection: Connection): void {
    this.#waiting.push({ connection, dueMs: performance.now() + this.#periodMs });
  }

  /** Latencies of requests sent from `fromMs` to before `toMs` are recorded. */
  answered(connection: Connection, fromMs: number, toMs: number): void {
    this.#underWay -= 1;
    const { plannedMs } = connection;
    if (plannedMs >= fromMs && plannedMs < toMs) this.#latencies.record(performance.now() - plannedMs);
    this.add(connection);
  }

  /** Sends nothing more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowMs = performance.now();
    for (let sends = 0; sends < SENDS_MAX; sends += 1) {
      const next = this.#waiting[this.#head];
      if (next === undefined || next.dueMs > nowMs) break;
      this.#head += 1;
      this.#underWay += 1;
      this.#send(next.connection);
    }
    if (this.#head * 2 < this.#waiting.length) return;
    this.#waiting.splice(0, this.#head);
    this.#head = 0;
  }
}
