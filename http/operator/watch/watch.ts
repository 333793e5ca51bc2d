/**
 * The regular work of the engine's thread that tells operators how it is: lines of the log, and figures for their
 * thread.
 */
import { Histogram, sumOf } from '../../metrics/cells.js';
import { EngineFigures, type EngineFiguresOptions } from '../../metrics/engine-figures.js';
import { ENGINE_LAYOUT, ENGINE_PLACES } from '../../metrics/engine-meter.js';
import { GATEWAY_LAYOUT, GATEWAY_PLACES } from '../../metrics/gateway-meter.js';
import { MICROSECONDS } from '../../metrics/scale.js';
import { meterThread } from '../../metrics/thread-meter.js';
import { awaitedPrices } from '../queries/status.js';
import { EventLog, type EventLogOptions } from './event-log.js';

const CHECK_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;

interface WatchOptions extends EventLogOptions, EngineFiguresOptions {
  /** The sheet of the engine's thread (`http/metrics/engine-meter.ts`). */
  readonly engine: SharedArrayBuffer;
  /** Those of the gateways (`http/metrics/gateway-meter.ts`). */
  readonly gateways: readonly SharedArrayBuffer[];
}

export class Watch {
  readonly #events: EventLog;
  readonly #figures: EngineFigures;
  #checkedMs: number;
  #minuteBeganMs: number;
  #ordersBefore: Histogram;

  /** Starts to measure the calling thread. */
  constructor(private readonly options: WatchOptions) {
    const { clock, steadyNowMs } = options;
    this.#events = new EventLog(options);
    this.#figures = new EngineFigures(options);
    this.#figures.beat();
    this.#checkedMs = clock.monotonicMs();
    this.#minuteBeganMs = steadyNowMs();
    this.#ordersBefore = this.#orders();
    meterThread(ENGINE_LAYOUT.sheet(options.engine), ENGINE_PLACES.thread);
  }

  /** To be called every few milliseconds. */
  beat(): void {
    this.#figures.beat();
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#checkedMs < CHECK_EVERY_MS) return;
    this.#checkedMs = nowMs;
    this.#logMinute();
    this.#events.rounds.check();
    this.#figures.sample();
  }

  /** To be called once nothing more happens. */
  end(): void {
    this.#events.rounds.write();
  }

  /**
   * To be called once, right after the lifecycle's start, for boundaries that passed while the server was down and have
   * no price yet.
   */
  logAwaitedPrices(): void {
    const awaited = awaitedPrices(this.options.tracker);
    if (awaited.length > 0) this.options.log.write('prices_awaited', { awaited });
  }

  /** A manual clock may skip minutes; one line then covers them all. */
  #logMinute(): void {
    const { sequencer, shadow, steadyNowMs, log } = this.options;
    const elapsedMs = steadyNowMs() - this.#minuteBeganMs;
    if (elapsedMs < MINUTE_MS) return;
    this.#minuteBeganMs += elapsedMs;
    const answered = this.#orders();
    const orders = answered.count - this.#ordersBefore.count;
    const p99Ms = answered.quantileSince(this.#ordersBefore, 0.99) / 1_000;
    this.#ordersBefore = answered;
    const { durableSeq, backlogCommands } = sequencer;
    const { appliedSeq, archiveSeq } = shadow();
    log.write('minute', {
      seconds: rounded(elapsedMs / 1_000),
      orders,
      ordersPerSecond: rounded((orders / elapsedMs) * 1_000),
      p99Ms: orders === 0 ? null : rounded(p99Ms),
      sequence: durableSeq,
      backlog: backlogCommands,
      shadowLag: Math.max(0, durableSeq - appliedSeq),
      archiveLag: Math.max(0, durableSeq - archiveSeq),
    });
  }

  /** The times of all orders since the start. */
  #orders(): Histogram {
    const sheets = this.options.gateways.map((memory) => GATEWAY_LAYOUT.sheet(memory));
    return new Histogram(sumOf(sheets), GATEWAY_PLACES.orders, MICROSECONDS);
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
