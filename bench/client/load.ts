/**
 * A run: opens the connections, keeps them busy at the job's pace through warm-up and measured window, waits for all
 * responses in flight, and sums up.
 *
 * A latency counts if its planned time is in the measured window; the rate counts responses that arrived in it.
 */
import { performance } from 'node:perf_hooks';
import { must } from '../../engine/base/assert.js';
import { Answers } from './answers.js';
import { Arrivals, Backlog } from './arrivals.js';
import { Connection } from './connection.js';
import { IdleRing } from './idle-ring.js';
import type { ClientJob, ClientResult } from './job.js';
import { Latencies } from './latencies.js';
import { Requests } from './requests.js';

/** Connections opened at the same time: fewer than any listen queue holds. */
const CONNECTING_MAX = 64;
const BACKLOG_MAX = 1 << 20;
/** A server that leaves a request unanswered this long after the run has failed it. */
const DRAIN_MS_MAX = 30_000;

export interface LoadEvents {
  onMeasuring(): void;
  onMeasured(): void;
}

export function runLoad(job: ClientJob, events: LoadEvents): Promise<ClientResult> {
  return new Promise((resolve, reject) => new Load(job, events, resolve, reject).start());
}

class Load {
  readonly #job: ClientJob;
  readonly #events: LoadEvents;
  readonly #resolve: (result: ClientResult) => void;
  readonly #reject: (error: Error) => void;
  readonly #answers: Answers;
  readonly #requests: Requests;
  readonly #latencies = new Latencies();
  readonly #lateness: Latencies | null;
  readonly #connections: Connection[] = [];
  /** The busy connections. */
  readonly #active: Connection[] = [];
  /** Free connections, used round-robin: none is silent for so long that the server closes it. */
  readonly #free: Connection[] = [];
  readonly #idle: IdleRing | null;
  readonly #backlog = new Backlog(BACKLOG_MAX);
  #arrivals: Arrivals | null = null;
  #ready = 0;
  #measureFromMs = Infinity;
  #measureToMs = Infinity;
  #answered = 0;
  /** Requests of the busy connections. */
  #asked = 0;
  #sending = false;
  #over = false;
  #cpu: NodeJS.CpuUsage = { user: 0, system: 0 };
  #clientCpu = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(
    job: ClientJob,
    events: LoadEvents,
    resolve: (result: ClientResult) => void,
    reject: (error: Error) => void,
  ) {
    this.#job = job;
    this.#events = events;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#answers = new Answers(job.templates, job.expectations);
    this.#requests = new Requests(job.templates, job.firstSerial);
    const send = (connection: Connection): void =>
      this.#guarded(() => this.#write(connection, performance.now()));
    this.#idle = job.idle === undefined ? null : new IdleRing(job.idle.periodMs, send);
    this.#lateness = job.pace.kind === 'open' ? new Latencies() : null;
  }

  start(): void {
    for (let count = Math.min(CONNECTING_MAX, this.#connectionsMax); count > 0; count -= 1) this.#connect();
  }

  get #connectionsMax(): number {
    return this.#job.connections + (this.#job.idle?.connections ?? 0);
  }

  /** The idle connections first: they are kept alive while the others are opened. */
  #connect(): void {
    const { host, port } = this.#job;
    const isIdle = this.#connections.length < (this.#job.idle?.connections ?? 0);
    const handlers = {
      onAnswer: isIdle
        ? (answered: Connection) => this.#onIdleAnswer(answered)
        : (answered: Connection) => this.#onAnswer(answered),
      onFailure: (error: Error) => this.#fail(error),
    };
    const connection = new Connection(host, port, this.#answers, handlers, () => {
      if (isIdle) this.#idle?.add(connection);
      else this.#active.push(connection);
      this.#onReady();
    });
    this.#connections.push(connection);
  }

  #onReady(): void {
    this.#ready += 1;
    if (this.#ready === this.#connectionsMax) this.#guarded(() => this.#begin());
    else if (this.#connections.length < this.#connectionsMax) this.#connect();
  }

  #begin(): void {
    const startMs = performance.now();
    const { warmupMs, measureMs, pace } = this.#job;
    this.#measureFromMs = startMs + warmupMs;
    this.#measureToMs = this.#measureFromMs + measureMs;
    this.#sending = true;
    this.#timers.push(setTimeout(() => this.#onMeasuring(), warmupMs));
    this.#timers.push(setTimeout(() => this.#onMeasured(), warmupMs + measureMs));
    if (pace.kind === 'closed') {
      for (const connection of this.#active) this.#sendOrRest(connection, performance.now());
      return;
    }
    this.#free.push(...this.#active);
    const { ratePerSecond, seed, burst } = pace;
    const herd = burst === undefined ? null : { ...burst, atMs: this.#measureFromMs + burst.atMs };
    this.#arrivals = new Arrivals(ratePerSecond, seed, startMs, herd);
    setImmediate(this.#pump);
  }

  /** Sends what is due. It spins, because timers are no finer than a millisecond; the client has its own core. */
  readonly #pump = (): void => {
    if (!this.#sending || this.#over) return;
    this.#guarded(() => {
      const arrivals = must(this.#arrivals, 'arrivals');
      const nowMs = performance.now();
      while (arrivals.nextMs <= nowMs) {
        const plannedMs = arrivals.take();
        const connection = this.#free.shift();
        if (connection === undefined) this.#backlog.push(plannedMs);
        else {
          if (plannedMs >= this.#measureFromMs) this.#lateness?.record(performance.now() - plannedMs);
          this.#send(connection, plannedMs);
        }
      }
      setImmediate(this.#pump);
    });
  };

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #send(connection: Connection, plannedMs: number): void {
    this.#asked += 1;
    this.#write(connection, plannedMs);
  }

  #sendOrRest(connection: Connection, nowMs: number): void {
    if (this.#sending && this.#asked < (this.#job.requestsMax ?? Infinity)) this.#send(connection, nowMs);
    else this.#rest(connection);
  }

  #write(connection: Connection, plannedMs: number): void {
    const template = this.#requests.template;
    connection.send(this.#requests.take(), template, plannedMs);
  }

  #onAnswer(connection: Connection): void {
    const nowMs = performance.now();
    const { plannedMs } = connection;
    if (plannedMs >= this.#measureFromMs && plannedMs < this.#measureToMs) {
      this.#latencies.record(nowMs - plannedMs);
    }
    if (nowMs >= this.#measureFromMs && nowMs < this.#measureToMs) this.#answered += 1;
    if (this.#arrivals !== null && this.#backlog.length > 0) this.#send(connection, this.#backlog.shift());
    else if (this.#arrivals === null) this.#sendOrRest(connection, nowMs);
    else this.#rest(connection);
  }

  #onIdleAnswer(connection: Connection): void {
    this.#guarded(() => {
      must(this.#idle, 'idle connections').answered(connection, this.#measureFromMs, this.#measureToMs);
      this.#finishIfDone();
    });
  }

  #rest(connection: Connection): void {
    this.#free.push(connection);
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    const isOver = !this.#sending || this.#asked >= (this.#job.requestsMax ?? Infinity);
    if (!isOver || this.#free.length < this.#active.length) return;
    this.#idle?.stop();
    if ((this.#idle?.underWay ?? 0) === 0) this.#finish();
  }

  #onMeasuring(): void {
    if (this.#over) return;
    this.#cpu = process.cpuUsage();
    this.#events.onMeasuring();
  }

  #onMeasured(): void {
    if (this.#over) return;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#clientCpu = (user + system) / 1000 / this.#job.measureMs;
    this.#events.onMeasured();
    this.#sending = false;
    this.#drainTimer = setTimeout(
      () => this.#fail(new Error(`requests stayed unanswered for ${DRAIN_MS_MAX / 1000} s`)),
      DRAIN_MS_MAX,
    );
    this.#finishIfDone();
  }

  #finish(): void {
    if (this.#over) return;
    this.#end();
    this.#resolve({
      ratePerSecond: (this.#answered / this.#job.measureMs) * 1000,
      measuredMs: this.#job.measureMs,
      latency: this.#latencies.summary(),
      lateness: this.#lateness?.summary() ?? null,
      idleLatency: this.#idle?.latency ?? null,
      clientCpu: this.#clientCpu,
      sent: this.#requests.sent,
      nextSerial: this.#requests.nextSerial,
      ...this.#answers.record(),
    });
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#drainTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#idle?.stop();
    for (const connection of this.#connections) connection.close();
  }
}
