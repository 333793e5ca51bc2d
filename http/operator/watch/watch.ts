/**
 * The regular work of the engine's thread that tells operators how it is: lines of the log, and figures for their
 * thread.
 */
import { EngineFigures, type EngineFiguresOptions } from '../../metrics/engine-figures.js';
import { ENGINE_PLACES, engineSheetOf } from '../../metrics/engine-meter.js';
import { meterThread } from '../../metrics/thread-meter.js';
import { marketsWithoutCapital } from '../queries/status.js';
import { HealthLog, type HealthLogOptions } from './health-log.js';

const CHECK_EVERY_MS = 1_000;

export interface WatchOptions
  extends HealthLogOptions,
    Omit<EngineFiguresOptions, 'shadow' | 'tracker' | 'sequencer' | 'marketsWithoutCapital'> {
  /** The sheet of the engine's thread (`http/metrics/engine-meter.ts`). */
  readonly engine: SharedArrayBuffer;
}

export class Watch {
  readonly #log: HealthLog;
  readonly #figures: EngineFigures;
  #checkedMs: number;

  /** Starts to measure the calling thread. */
  constructor(private readonly options: WatchOptions) {
    this.#log = new HealthLog(options);
    const { sequencer, tracker } = options;
    this.#figures = new EngineFigures({
      ...options,
      marketsWithoutCapital: (nowMs) =>
        marketsWithoutCapital(sequencer.engine, (asset) => tracker.latest(asset), nowMs).length,
    });
    this.#figures.beat();
    this.#checkedMs = options.clock.monotonicMs();
    meterThread(engineSheetOf(options.engine), ENGINE_PLACES.thread);
  }

  /** To be called every few milliseconds. */
  beat(): void {
    this.#figures.beat();
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#checkedMs < CHECK_EVERY_MS) return;
    this.#checkedMs = nowMs;
    this.#log.check();
    this.#figures.sample();
  }

  /** To be called once nothing more happens. */
  end(): void {
    this.#log.end();
  }

  /** To be called once, right after the lifecycle's start. */
  logAwaitedPrices(): void {
    this.#log.logAwaitedPrices();
  }
}
