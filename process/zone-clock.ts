/** The clock on the wall of a time zone, with daylight saving, from Node's time-zone data. */
import { must } from '../engine/base/assert.js';

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  /** `timeZone` is a name such as `America/New_York`. Throws a `RangeError` for one that Node does not know. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...Object.fromEntries(FIELDS.map((field) => [field, 'numeric'])),
    });
  }

  /** Local time at `utcMs`, encoded as if it were UTC; whole seconds. */
  clockMs(utcMs: number): number {
    const parts = new Map(this.#format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 0, ...rest] = FIELDS.map((field) =>
      must(parts.get(field), `${field} of a date`),
    );
    const [day, hour, minute, second] = rest;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /**
   * The instant of the local time `clockMs`. Where a change of daylight saving leaves that time out or gives it twice,
   * it is an instant within an hour.
   */
  at(clockMs: number): number {
    const offsetMs = (utcMs: number): number => this.clockMs(utcMs) - utcMs;
    return clockMs - offsetMs(clockMs - offsetMs(clockMs));
  }
}
