/** Follows the alarms from sample to sample of the vitals, and logs each when it is raised and when it ends. */
import type { Log } from '../../process/log/log.js';
import { ALARMS, type Alarm, type Measured } from './alarm-list.js';
import type { Reading } from './readings.js';
import type { Vitals } from './vitals.js';

/** An alarm that is raised. */
export interface Raised extends Measured, Pick<Alarm, 'name' | 'severity' | 'what' | 'advice'> {
  /** The figure at the last sample. */
  readonly value: number;
  /** The figure's bound: above it, or for some alarms below it, there is something wrong. */
  readonly limit: number;
  /** Seconds since 1970. */
  readonly since: number;
}

export class RaisedAlarms {
  /** By the alarm's name: its figure has been beyond the limit since then, by a clock that nobody sets and by the other. */
  readonly #since = new Map<string, Pick<Reading, 'monotonicMs' | 'timeMs'>>();
  #raised: readonly Raised[] = [];
  #waiting = ['no figures have come since the start'];

  /** `dataDir` is as commands of a shell take it. */
  constructor(
    private readonly dataDir: string,
    private readonly log: Pick<Log, 'write'>,
  ) {}

  get raised(): readonly Raised[] {
    return this.#raised;
  }

  /** The trouble of alarms that are raised only if it lasts. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** To be called after each sample of the vitals. */
  check(reading: Reading, vitals: Pick<Vitals, 'latest' | 'sum'>): void {
    const before = this.#raised;
    this.#waiting = [];
    this.#raised = ALARMS.flatMap((alarm) => this.#check(alarm, alarm.figure(reading, vitals), reading));
    for (const { name, severity, what, value, limit } of this.#raised)
      if (!before.some((one) => one.name === name))
        this.log.write('alarm_raised', { alarm: name, severity, what, value, limit });
    for (const { name } of before)
      if (!this.#raised.some((one) => one.name === name)) this.log.write('alarm_ended', { alarm: name });
  }

  #check(alarm: Alarm, value: number, { monotonicMs, timeMs }: Reading): Raised | [] {
    const { name, severity, what, advice, unit = '', forSeconds = 0 } = alarm;
    if (!isBeyond(alarm, value)) {
      this.#since.delete(name);
      return [];
    }
    const since = this.#since.get(name) ?? { monotonicMs, timeMs };
    this.#since.set(name, since);
    if (monotonicMs - since.monotonicMs < forSeconds * 1_000) {
      this.#waiting.push(what);
      return [];
    }
    const own = advice.replaceAll('DATA_DIR', () => this.dataDir);
    const common = { name, severity, what, advice: own, unit, value };
    return { ...common, limit: limitOf(alarm), since: since.timeMs / 1_000 };
  }
}

export const limitOf = ({ above, below }: Alarm): number => above ?? below ?? 0;
/** NaN is beyond nothing. */
const isBeyond = ({ above, below }: Alarm, value: number): boolean =>
  (above !== undefined && value > above) || (below !== undefined && value < below);
