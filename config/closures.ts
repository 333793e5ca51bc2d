/**
 * Closures besides the weekly hours: holidays and days that end early, from JSON files (`TOTE_HOLIDAYS_FILE`). They differ
 * from year to year and from market to market, so they are an operator's and not the program's.
 */
import typia, { type tags } from 'typia';
import { attempt } from '../engine/base/attempt.js';
import { utcMsOf } from '../engine/base/iso-text.js';
import { ZoneClock } from '../process/zone-clock.js';
import { Expected, readJson } from './config-values.js';
import { describeTypeErrors } from './type-errors.js';

type ClosingClass = 'METAL' | 'FX';

/** The classes do not trade from `fromMs` until `untilMs`. */
export type Closure = Readonly<ReturnType<typeof readClosures>[number]>;

/** To the minute. */
type LocalTime = string & tags.Pattern<'^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$'>;

interface CalendarFile {
  /** For all times in the file. */
  readonly timeZone: string;
  readonly closures: readonly {
    readonly name: string & tags.MinLength<1> & tags.MaxLength<100>;
    readonly classes: readonly ClosingClass[] & tags.MinItems<1> & tags.UniqueItems;
    readonly from: LocalTime;
    readonly until: LocalTime;
  }[];
}

/** Longer than any holiday: more is a slip of the pen. */
const CLOSURE_MS_MAX = 14 * 86_400_000;

const validateCalendar = typia.createValidateEquals<CalendarFile>();

/** Throws `Expected` with the mistakes in the file. */
export function readClosures(path: string) {
  const refusal = (...mistakes: readonly string[]): Expected =>
    new Expected(`JSON files of closures, separated by commas, or "none"; ${path}: ${mistakes.join('; ')}`);
  const checked = validateCalendar(readJson(path, refusal));
  if (!checked.success) throw refusal(...describeTypeErrors(checked.errors));
  const { timeZone, closures } = checked.data;
  const clock = attempt(() => new ZoneClock(timeZone), null);
  if (clock === null) throw refusal(`timeZone: "${timeZone}" is not a time zone such as America/New_York`);
  const mistakes: string[] = [];
  const read = closures.map(({ name, classes, from, until }, index) => {
    const [fromMs, untilMs] = [from, until].map((local) => localMs(clock, local)) as [number, number];
    const isInOrder = fromMs < untilMs && untilMs - fromMs <= CLOSURE_MS_MAX;
    if (!isInOrder) {
      mistakes.push(
        `closures[${index}] (${name}): from and until must be local times up to 14 days apart, in this order`,
      );
    }
    return { classes, fromMs, untilMs };
  });
  if (mistakes.length > 0) throw refusal(...mistakes);
  return read;
}

/** NaN for a day or an hour that does not exist. */
function localMs(clock: ZoneClock, local: string): number {
  const asUtcMs = utcMsOf(`${local}Z`);
  return Number.isNaN(asUtcMs) ? asUtcMs : clock.at(asUtcMs);
}
