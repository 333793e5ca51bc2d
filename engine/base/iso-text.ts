/** Times as ISO 8601 text, as `Date.prototype.toISOString` prints them, but without a `Date` for each. */
import { flattenString } from './flatten-string.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** From 0000-03-01 to 1970-01-01. A year that begins in March has its leap day at its end. */
const DAYS_TO_1970 = 719_468;
const DAYS_OF_400_YEARS = 146_097;

const digits = (value: number, length: number): string => `${value}`.padStart(length, '0');
const SECONDS: readonly string[] = Array.from({ length: 60 }, (_, n) => digits(n, 2));
const MILLISECONDS: readonly string[] = Array.from({ length: 1000 }, (_, n) => `.${digits(n, 3)}Z`);

function dayText(day: number): string {
  const days = day + DAYS_TO_1970;
  const era = Math.floor(days / DAYS_OF_400_YEARS);
  const ofEra = days - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(ofEra / 1_460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / (DAYS_OF_400_YEARS - 1));
  const year = Math.floor((ofEra - leapDays) / 365);
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  // From March on: 31, 30, 31, 30, 31 days, twice, then the rest.
  const fromMarch = Math.floor((5 * ofYear + 2) / 153);
  const ofMonth = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return `${digits(year + 400 * era + (month < 3 ? 1 : 0), 4)}-${digits(month, 2)}-${digits(ofMonth, 2)}`;
}

/** The cache is addressed by the low bits of the minute: lists repeat the same few. */
const MINUTES_KEPT = 64;
const keptMinutes = new Array<number>(MINUTES_KEPT).fill(-1);
const keptMinuteTexts = new Array<string>(MINUTES_KEPT).fill('');

function minuteText(minute: number): string {
  const slot = minute & (MINUTES_KEPT - 1);
  if (keptMinutes[slot] !== minute) {
    const day = Math.floor(minute / DAY_MINUTES);
    const ofDay = minute - day * DAY_MINUTES;
    const hour = Math.floor(ofDay / 60);
    keptMinuteTexts[slot] = flattenString(`${dayText(day)}T${SECONDS[hour]}:${SECONDS[ofDay - hour * 60]}:`);
    keptMinutes[slot] = minute;
  }
  return keptMinuteTexts[slot] as string;
}

/** The last time printed: an order prints its own twice, and many orders share a millisecond. */
let keptTimeMs = Number.NaN;
let keptText = '';

/** ISO 8601 in UTC with milliseconds; `timeMs` is from 1970 to 9999. */
export function isoText(timeMs: number): string {
  if (timeMs !== keptTimeMs) {
    const minute = Math.floor(timeMs / MINUTE_MS);
    const ofMinute = timeMs - minute * MINUTE_MS;
    const second = Math.floor(ofMinute / 1000);
    keptText = `${minuteText(minute)}${SECONDS[second]}${MILLISECONDS[ofMinute - second * 1000]}`;
    keptTimeMs = timeMs;
  }
  return keptText;
}
