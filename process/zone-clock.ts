/** The clock on the wall of a time zone, with daylight saving, from Node's time-zone data. */
import { must } from '../engine/base/assert.js';

export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;

  /** `timeZone` is a name such as `America/New_York`. Throws a `RangeError` for one that Node does not know. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Local time at `utcMs`, encoded as if it were UTC; whole seconds. */
  clockMs(utcMs: number): number {
    const parts = new Map(this.#format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => must(parts.get(type), `${type} of a date`);
    return Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
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
