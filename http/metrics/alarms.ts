/** Which alarms are raised, from sample to sample of the vitals. */
import { ALARMS } from './alarm-list.js';
import type { Reading } from './readings.js';
import type { Vitals } from './vitals.js';

export interface Alarm {
  readonly name: string;
  /** Critical: bettors cannot bet, or soon cannot. */
  readonly severity: 'critical' | 'warning';
  /** What is the case, in a sentence. */
  readonly what: string;
  readonly advice: string;
  /** The figure, from the samples and in PromQL; null where it is not to be had. */
  readonly figure: (reading: Reading, vitals: Pick<Vitals, 'latest' | 'sum'>) => number | null;
  readonly promql: string;
  readonly unit: '' | 's' | 'bytes' | 'commands' | 'share';
  /** The alarm is raised above, or below, this for so long. */
  readonly above?: number;
  readonly below?: number;
  readonly forSeconds: number;
}

/** An alarm that is raised. */
export interface Raised extends Pick<Alarm, 'name' | 'severity' | 'what' | 'advice' | 'unit'> {
  /** The figure at the last sample. */
  readonly value: number;
  /** The figure's bound: above it, or for some alarms below it, there is something wrong. */
  readonly limit: number;
  /** Seconds since 1970. */
  readonly since: number;
}

/** Follows the alarms from sample to sample. */
export class RaisedAlarms {
  /** When what an alarm is of began, in milliseconds since 1970, by its name. */
  readonly #sinceMs = new Map<string, number>();
  #raised: readonly Raised[] = [];

  get raised(): readonly Raised[] {
    return this.#raised;
  }

  /** To be called after each sample of the vitals. */
  check(reading: Reading, vitals: Pick<Vitals, 'latest' | 'sum'>): void {
    this.#raised = ALARMS.flatMap((alarm) => {
      const value = alarm.figure(reading, vitals);
      if (value === null || !isBeyond(alarm, value)) {
        this.#sinceMs.delete(alarm.name);
        return [];
      }
      const sinceMs = this.#sinceMs.get(alarm.name) ?? reading.timeMs;
      this.#sinceMs.set(alarm.name, sinceMs);
      if (reading.timeMs - sinceMs < alarm.forSeconds * 1_000) return [];
      const { name, severity, what, advice, unit } = alarm;
      return [{ name, severity, what, advice, unit, value, limit: limitOf(alarm), since: sinceMs / 1_000 }];
    });
  }
}

export const limitOf = ({ above, below }: Alarm): number => above ?? below ?? 0;
const isBeyond = ({ above, below }: Alarm, value: number): boolean =>
  (above !== undefined && value > above) || (below !== undefined && value < below);
