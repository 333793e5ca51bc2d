/** `GET /operator/v1/vitals` and `GET /metrics`: figures that all threads count, as the operators' thread reads them. */

import { parseQuery } from '../../kit/params.js';
import { invalid, Refused } from '../../kit/refused.js';
import { type Raised, RaisedAlarms } from '../../metrics/alarms.js';
import type { Exposition } from '../../metrics/prometheus/exposition.js';
import type { Reading, Readings } from '../../metrics/readings.js';
import { SAMPLE_EVERY_MS, type Samples, Vitals } from '../../metrics/vitals.js';
import { answer, type Call, PlainText, type Result, type Route } from '../call.js';

export interface FiguresOptions {
  readonly readings: Readings;
  readonly exposition: Exposition;
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
  readonly #alarms = new RaisedAlarms();

  constructor(private readonly options: FiguresOptions) {
    this.sample();
  }

  /** To be called every five seconds. */
  sample(): void {
    const reading = this.#take();
    this.#vitals.sample(reading);
    this.#alarms.check(reading, this.#vitals);
  }

  /** Below the API's prefix. */
  readonly routes: readonly Route[] = [
    { method: 'GET', path: '/vitals', role: 'read', handle: (call) => this.#show(call) },
  ];

  /** Below no prefix: where Prometheus looks for them. */
  readonly metricsRoute: Route = {
    method: 'GET',
    path: '/metrics',
    role: 'read',
    handle: () => this.#metrics(),
  };

  /** Those that are raised now. */
  get alarms(): readonly Raised[] {
    return this.#alarms.raised;
  }

  #take(): Reading {
    const { readings, nowMs, monotonicMs } = this.options;
    return readings.take(nowMs(), monotonicMs());
  }

  #show({ request }: Call): Result {
    const given = parseQuery(request.query, ['since']);
    if (given instanceof Refused) return given;
    const since = given.get('since') ?? '0';
    if (!/^\d{1,12}(\.\d{1,3})?$/.test(since)) return invalid('since must be a time in seconds since 1970');
    const everySeconds = SAMPLE_EVERY_MS / 1_000;
    const found: VitalsResource = { everySeconds, ...this.#vitals.since(Number(since)), alarms: this.alarms };
    return answer(200, found);
  }

  #metrics(): PlainText {
    const { exposition } = this.options;
    return new PlainText(exposition.contentType, exposition.text(this.#take()));
  }
}
