/**
 * `GET /operator/v1/vitals` and `GET /metrics`: figures that all threads count, as the operators' thread reads them.
 */
import type { Clock } from '../../../engine/model/ports.js';
import type { Raised, RaisedAlarms } from '../../metrics/alarms.js';
import type { Reading, Readings } from '../../metrics/readings.js';
import { SAMPLE_EVERY_MS, type Samples, Vitals } from '../../metrics/vitals.js';

/** The samples asked for, and the alarms that are raised now. */
export interface VitalsResource extends Samples {
  readonly everySeconds: number;
  readonly alarms: readonly Raised[];
}

export class Figures {
  readonly #vitals = new Vitals();

  constructor(
    private readonly readings: Readings,
    readonly alarms: RaisedAlarms,
    private readonly clock: Clock,
  ) {
    this.#vitals.sample(this.take());
  }

  /** To be called every five seconds. */
  sample(): void {
    const reading = this.take();
    this.#vitals.sample(reading);
    this.alarms.check(reading, this.#vitals);
  }

  take(): Reading {
    return this.readings.take(this.clock.nowMs(), this.clock.monotonicMs());
  }

  /** `seconds` is a time since 1970. */
  since(seconds: number): VitalsResource {
    const everySeconds = SAMPLE_EVERY_MS / 1_000;
    return { everySeconds, ...this.#vitals.since(seconds), alarms: this.alarms.raised };
  }
}
