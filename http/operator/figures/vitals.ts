/**
 * `GET /operator/v1/vitals` and `GET /metrics`: figures that all threads count, as the operators' thread reads them.
 */

import { type Raised, RaisedAlarms } from '../../metrics/alarms.js';
import type { Exposition } from '../../metrics/prometheus/exposition.js';
import type { Reading, Readings } from '../../metrics/readings.js';
import { SAMPLE_EVERY_MS, type Samples, Vitals } from '../../metrics/vitals.js';

export interface FiguresOptions {
  readonly readings: Readings;
  readonly exposition: Exposition;
  /** As commands of a shell take it. */
  readonly dataDir: string;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** The samples asked for, and the alarms that are raised now. */
export interface VitalsResource extends Samples {
  readonly everySeconds: number;
  readonly alarms: readonly Raised[];
}

export class Figures {
  readonly #vitals = new Vitals();
  readonly #alarms: RaisedAlarms;

  constructor(private readonly options: FiguresOptions) {
    this.#alarms = new RaisedAlarms(options.dataDir);
    this.sample();
  }

  /** To be called every five seconds. */
  sample(): void {
    const reading = this.#take();
    this.#vitals.sample(reading);
    this.#alarms.check(reading, this.#vitals);
  }

  get metricsType(): string {
    return this.options.exposition.contentType;
  }

  metrics(): Promise<string> {
    return this.options.exposition.text(this.#take());
  }

  get alarms(): readonly Raised[] {
    return this.#alarms.raised;
  }

  #take(): Reading {
    const { readings, nowMs, monotonicMs } = this.options;
    return readings.take(nowMs(), monotonicMs());
  }

  /** `seconds` is a time since 1970. */
  since(seconds: number): VitalsResource {
    const everySeconds = SAMPLE_EVERY_MS / 1_000;
    return { everySeconds, ...this.#vitals.since(seconds), alarms: this.alarms };
  }
}
