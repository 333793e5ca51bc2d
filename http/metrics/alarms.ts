/** Follows the alarms from sample to sample of the vitals. */
import type { Alarm } from './alarm-figures.js';
import { ALARMS } from './alarm-list.js';
import type { Reading } from './readings.js';
import type { Vitals } from './vitals.js';

/** An alarm that is raised. */
export interface Raised extends Pick<Alarm, 'name' | 'severity' | 'what' | 'advice' | 'unit'> {
  /** The figure at the last sample. */
  readonly value: number;
  /** The figure's bound: above it, or for some alarms below it, there is something wrong. */
  readonly limit: number;
  /** Seconds since 1970. */
  readonly since: number;
}

export class RaisedAlarms {
  /** By the alarm's name: its figure has been beyond the limit since then. */
  readonly #sinceMs = new Map<string, number>();
  #raised: readonly Raised[] = [];

  /** As commands of a shell take it. */
  constructor(private readonly dataDir: string) {}

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
      const { name, severity, what, unit } = alarm;
      const advice = alarm.advice.replaceAll('DATA_DIR', () => this.dataDir);
      return [{ name, severity, what, advice, unit, value, limit: limitOf(alarm), since: sinceMs / 1_000 }];
    });
  }
}

export const limitOf = ({ above, below }: Alarm): number => above ?? below ?? 0;
const isBeyond = ({ above, below }: Alarm, value: number): boolean =>
  (above !== undefined && value > above) || (below !== undefined && value < below);
