/**
 * The polite clients' process: independent clients on a few connections that send requests at planned times, from the
 * first message until it is killed, and report the latencies of a window on request. So the same clients on the same
 * connections are measured with and without an attack.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Answers } from '../../bench/client/answers.js';
import { Backlog } from '../../bench/client/arrivals.js';
import { Connection } from '../../bench/client/connection.js';
import type { ClientJob, LatencySummary } from '../../bench/client/job.js';
import { Latencies } from '../../bench/client/latencies.js';
import { Requests } from '../../bench/client/requests.js';
import { assert, must } from '../../engine/base/assert.js';
import type { Failure } from './child.js';
import { clockMs, type Tempo } from './metronome.js';

export interface PoliteJob
  extends Pick<ClientJob, 'host' | 'port' | 'connections' | 'templates' | 'expectations' | 'firstSerial'> {
  readonly tempo: Tempo;
}
export type ToPolite =
  | { readonly type: 'begin'; readonly job: PoliteJob }
  | { readonly type: 'measure'; readonly ms: number };
/** Of the requests whose planned times are in the window; `begin` answers that of nothing. */
export interface PoliteWindow {
  /** From the planned time to the whole answer. */
  readonly latency: LatencySummary;
  /** From the planned time until the client had the processor: its own share of the latency. */
  readonly lateness: LatencySummary;
}

const BACKLOG_MAX = 1 << 18;
const DRAIN_LOOK_MS = 5;
/** An answer that takes longer is none. */
const DRAIN_MS_MAX = 30_000;

class Polite {
  readonly #answers: Answers;
  readonly #requests: Requests;
  readonly #free: Connection[] = [];
  /** Planned times of requests that wait for a free connection. */
  readonly #backlog = new Backlog(BACKLOG_MAX);
  #window = new Window(0, 0);

  private constructor(private readonly job: PoliteJob) {
    this.#answers = new Answers(job.templates, job.expectations);
    this.#requests = new Requests(job.templates, job.firstSerial);
  }

  static async begin(job: PoliteJob): Promise<Polite> {
    const polite = new Polite(job);
    for (let count = 0; count < job.connections; count++) await polite.#connect();
    const metronome = new Worker(new URL('./metronome.js', import.meta.url), { workerData: job.tempo });
    metronome.on('message', (plannedMs: number) => polite.#onDue(plannedMs));
    metronome.on('error', fail);
    return polite;
  }

  /** Rejects where an answer in the window, or before it, was not as it must be, or does not come. */
  async measure(ms: number): Promise<PoliteWindow> {
    const fromMs = clockMs();
    const window = new Window(fromMs, fromMs + ms);
    this.#window = window;
    await after(ms);
    while (!window.isOver(clockMs())) {
      assert(clockMs() - window.toMs < DRAIN_MS_MAX, 'every polite request is answered');
      await after(DRAIN_LOOK_MS);
    }
    const wrong = this.#answers.record().failures.filter(({ code }) => code !== 'round_exposure_limit');
    if (wrong.length > 0) throw new Error(`a polite client got ${JSON.stringify(wrong)}`);
    return { latency: window.latencies.summary(), lateness: window.lateness.summary() };
  }

  #connect(): Promise<void> {
    return new Promise((resolve) => {
      const onReady = (connection: Connection): void => {
        this.#free.push(connection);
        resolve();
      };
      const onAnswer = (answered: Connection): void => this.#onAnswer(answered);
      new Connection(this.job, this.#answers, { onReady, onAnswer, onFailure: fail });
    });
  }

  #onDue(plannedMs: number): void {
    this.#window.onDue(plannedMs, clockMs());
    // The one that has rested longest: the server closes a connection that is silent for long.
    const connection = this.#free.shift();
    if (connection === undefined) this.#backlog.push(plannedMs);
    else this.#send(connection, plannedMs);
  }

  #onAnswer(connection: Connection): void {
    this.#window.onAnswer(connection.plannedMs, clockMs());
    if (this.#backlog.length > 0) this.#send(connection, this.#backlog.shift());
    else this.#free.push(connection);
  }

  #send(connection: Connection, plannedMs: number): void {
    const { template } = this.#requests;
    connection.send(this.#requests.take(), template, plannedMs);
  }
}

/** What was planned from `fromMs` to before `toMs`. */
class Window {
  readonly latencies = new Latencies();
  readonly lateness = new Latencies();
  #unanswered = 0;
  /** A later request has become due: no other of this window will. */
  #isPast = false;

  constructor(
    private readonly fromMs: number,
    readonly toMs: number,
  ) {}

  isOver(nowMs: number): boolean {
    return nowMs >= this.toMs && this.#isPast && this.#unanswered === 0;
  }

  onDue(plannedMs: number, nowMs: number): void {
    if (plannedMs >= this.toMs) this.#isPast = true;
    else if (this.#has(plannedMs)) {
      this.#unanswered += 1;
      this.lateness.record(nowMs - plannedMs);
    }
  }

  onAnswer(plannedMs: number, nowMs: number): void {
    if (!this.#has(plannedMs)) return;
    this.#unanswered -= 1;
    this.latencies.record(nowMs - plannedMs);
  }

  /** A request that was planned before the window was asked for may become due, and be answered, in it. */
  #has(plannedMs: number): boolean {
    return plannedMs >= this.fromMs && plannedMs < this.toMs;
  }
}

function fail(error: Error): void {
  process.send?.({ failed: error.message } satisfies Failure, () => process.exit(1));
}

let polite: Polite | null = null;
process.on('message', (message: ToPolite) => {
  const answered =
    message.type === 'begin'
      ? Polite.begin(message.job).then((begun) => {
          polite = begun;
          return {};
        })
      : must(polite, 'polite clients').measure(message.ms);
  answered.then((answer) => process.send?.(answer)).catch(fail);
});
process.once('disconnect', () => process.exit());
