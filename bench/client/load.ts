/**
 * A run: opens the connections, keeps them busy at the job's pace through warm-up and measured window, waits for all
 * responses in flight, and sums up. A latency counts if its planned time is in the measured window; the rate counts
 * responses that arrived in it. `stop` ends the window early.
 */
import { performance } from 'node:perf_hooks';
import { must } from '../../engine/base/assert.js';
import { Answers } from './answers.js';
import { Arrivals, Backlog } from './arrivals.js';
import { Connection } from './connection.js';
import type { ClientJob, ClientResult } from './job.js';
import { Latencies } from './latencies.js';
import { Requests } from './requests.js';

/** Fewer than any listen queue holds. */
const CONNECTING_MAX = 64;
const RECONNECT_MS = 100;
const BACKLOG_MAX = 1 << 20;
/** A server that leaves a request unanswered this long after the run has failed it. */
const DRAIN_MS_MAX = 30_000;

interface LoadEvents {
  onMeasuring?(): void;
  onMeasured?(): void;
  onAnswer?(template: number, latencyMs: number, isExpected: boolean): void;
}

export const runLoad = (job: ClientJob, events: LoadEvents = {}): Promise<ClientResult> =>
  new Load(job, events).run();

export class Load {
  readonly answers: Answers;
  readonly #job: ClientJob;
  readonly #events: LoadEvents;
  readonly #requests: Requests;
  readonly #latencies = new Latencies();
  readonly #lateness: Latencies | null;
  readonly #connections = new Set<Connection>();
  /** Free connections, used round-robin: none is silent for so long that the server closes it. */
  readonly #free: Connection[] = [];
  readonly #backlog = new Backlog(BACKLOG_MAX);
  #arrivals: Arrivals | null = null;
  #resolve: (result: ClientResult) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #opened = 0;
  #ready = 0;
  #hasBegun = false;
  #measureFromMs = Infinity;
  #measureToMs = Infinity;
  #measureMs: number;
  #answered = 0;
  #underWay = 0;
  #isSending = false;
  #isOver = false;
  #cpu: NodeJS.CpuUsage = { user: 0, system: 0 };
  #clientCpu = 0;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(job: ClientJob, events: LoadEvents = {}) {
    this.#job = job;
    this.#measureMs = job.measureMs;
    this.#events = events;
    this.answers = new Answers(job.templates, job.expectations);
    this.#requests = new Requests(job.templates, job.firstSerial);
    this.#lateness = job.pace.kind === 'open' ? new Latencies() : null;
  }

  run(): Promise<ClientResult> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      for (let at = Math.min(CONNECTING_MAX, this.#job.connections); at > 0; at -= 1) this.#connect();
    });
  }

  /** Nothing is planned from now on; requests under way are waited for. */
  stop(): void {
    if (!this.#isSending) return;
    this.#measureToMs = performance.now();
    this.#measureMs = this.#measureToMs - this.#measureFromMs;
    this.#onMeasured();
  }

  #connect(): void {
    if (this.#isOver) return;
    this.#opened += 1;
    const connection = new Connection(this.#job, this.answers, {
      onReady: (ready) => this.#guarded(() => this.#onReady(ready)),
      onAnswer: (answered) => this.#onAnswer(answered),
      onFailure: (error, broken) => this.#onBroken(error, broken),
    });
    this.#connections.add(connection);
  }

  #onReady(connection: Connection): void {
    this.#free.push(connection);
    if (this.#hasBegun) {
      this.#useFree();
      return;
    }
    this.#ready += 1;
    if (this.#ready === this.#job.connections) this.#begin();
    else if (this.#opened < this.#job.connections) this.#connect();
  }

  #begin(): void {
    this.#hasBegun = true;
    const startMs = performance.now();
    const { warmupMs, measureMs, pace } = this.#job;
    this.#measureFromMs = startMs + warmupMs;
    this.#measureToMs = this.#measureFromMs + measureMs;
    this.#isSending = true;
    this.#timers.push(setTimeout(() => this.#onMeasuring(), warmupMs));
    this.#timers.push(setTimeout(() => this.#onMeasured(), warmupMs + measureMs));
    if (pace.kind === 'closed') {
      this.#useFree();
      return;
    }
    this.#arrivals = new Arrivals(pace.ratePerSecond, pace.seed, startMs);
    setImmediate(this.#pump);
  }

  /** Spins, because timers are no finer than a millisecond; the client has its own core. */
  readonly #pump = (): void => {
    if (this.#isOver) return;
    this.#guarded(() => {
      const arrivals = must(this.#arrivals, 'arrivals');
      const nowMs = performance.now();
      while (arrivals.nextMs <= nowMs && arrivals.nextMs < this.#measureToMs) {
        const plannedMs = arrivals.take();
        const connection = this.#free.shift();
        if (connection === undefined) this.#backlog.push(plannedMs);
        else {
          if (plannedMs >= this.#measureFromMs) this.#lateness?.record(performance.now() - plannedMs);
          this.#send(connection, plannedMs);
        }
      }
      // Not the end of the window ends the plan: requests that became due while the client stood still go out late.
      if (this.#hasPlanned()) setImmediate(this.#pump);
      else this.#finishIfDone();
    });
  };

  #hasPlanned(): boolean {
    return this.#arrivals !== null && this.#arrivals.nextMs < this.#measureToMs;
  }

  #useFree(): void {
    for (let count = this.#free.length; count > 0; count -= 1) this.#next(must(this.#free.shift(), 'free'));
  }

  #next(connection: Connection): void {
    if (this.#arrivals !== null && this.#backlog.length > 0) this.#send(connection, this.#backlog.shift());
    else if (this.#arrivals === null && this.#mayAsk()) this.#send(connection, performance.now());
    else this.#free.push(connection);
  }

  #mayAsk(): boolean {
    return this.#isSending && this.#requests.sent < (this.#job.requestsMax ?? Infinity);
  }

  #send(connection: Connection, plannedMs: number): void {
    this.#underWay += 1;
    const template = this.#requests.template;
    connection.send(this.#requests.take(), template, plannedMs);
  }

  #onAnswer(connection: Connection): void {
    const nowMs = performance.now();
    this.#underWay -= 1;
    const { plannedMs } = connection;
    if (plannedMs >= this.#measureFromMs && plannedMs < this.#measureToMs) {
      this.#latencies.record(nowMs - plannedMs);
      this.#events.onAnswer?.(connection.template, nowMs - plannedMs, connection.isExpected);
    }
    if (nowMs >= this.#measureFromMs && nowMs < this.#measureToMs) this.#answered += 1;
    if (connection.isSpent && this.#job.reconnects === true) {
      connection.close();
      this.#connections.delete(connection);
      this.#connect();
    } else this.#next(connection);
    this.#finishIfDone();
  }

  #onBroken(error: Error, connection: Connection): void {
    if (this.#job.reconnects !== true || !this.#hasBegun) {
      const where = this.#hasBegun ? '' : ` (connection ${this.#ready + 1} of ${this.#job.connections})`;
      this.#fail(new Error(`${error.message}${where}`));
      return;
    }
    this.#connections.delete(connection);
    const at = this.#free.indexOf(connection);
    if (at >= 0) {
      this.#free.splice(at, 1);
      this.answers.noteFailure('idle_connection_broken', error.message);
    }
    if (connection.isBusy) {
      this.#underWay -= 1;
      this.answers.noteFailure('connection_broken', error.message);
    }
    this.#timers.push(setTimeout(() => this.#connect(), RECONNECT_MS));
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#underWay > 0 || this.#backlog.length > 0 || this.#hasPlanned()) return;
    const hasAll = this.#requests.sent >= (this.#job.requestsMax ?? Infinity);
    if (this.#hasBegun && (!this.#isSending || hasAll)) this.#finish();
  }

  #onMeasuring(): void {
    this.#cpu = process.cpuUsage();
    this.#events.onMeasuring?.();
  }

  #onMeasured(): void {
    if (!this.#isSending) return;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#clientCpu = (user + system) / 1000 / this.#measureMs;
    this.#events.onMeasured?.();
    this.#isSending = false;
    this.#timers.push(setTimeout(() => this.#onDrainOver(), DRAIN_MS_MAX));
    this.#finishIfDone();
  }

  #onDrainOver(): void {
    if (this.#job.reconnects !== true) {
      this.#fail(new Error(`requests stayed unanswered for ${DRAIN_MS_MAX / 1000} s`));
      return;
    }
    for (let left = this.#underWay; left > 0; left -= 1) this.answers.noteFailure('unanswered', 'no answer');
    for (let left = this.#backlog.length; left > 0; left -= 1) {
      this.answers.noteFailure('unsent', 'no connection became free');
    }
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#end();
    this.#resolve({
      ratePerSecond: (this.#answered / this.#measureMs) * 1000,
      measuredMs: this.#measureMs,
      latency: this.#latencies.summary(),
      lateness: this.#lateness?.summary() ?? null,
      clientCpu: this.#clientCpu,
      sent: this.#requests.sent,
      nextSerial: this.#requests.nextSerial,
      ...this.answers.record(),
    });
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const connection of this.#connections) connection.close();
  }
}
