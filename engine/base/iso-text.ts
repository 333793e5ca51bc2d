/** Times as ISO 8601 text, as `Date.prototype.toISOString` prints them, but mostly without a `Date`. */
import { flattenString } from './flatten-string.js';

const MINUTE_MS = 60_000;
const SECONDS: readonly string[] = Array.from({ length: 60 }, (_, n) => `${n}`.padStart(2, '0'));
const MILLISECONDS: readonly string[] = Array.from(
  { length: 1000 },
  (_, n) => `.${`${n}`.padStart(3, '0')}Z`,
);

/** The cache is addressed by the low bits of the minute: lists repeat the same few. */
const MINUTES_KEPT = 64;
const keptMinutes = new Array<number>(MINUTES_KEPT).fill(-1);
const keptMinuteTexts = new Array<string>(MINUTES_KEPT).fill('');

function minuteText(minute: number): string {
  const slot = minute & (MINUTES_KEPT - 1);
  if (keptMinutes[slot] !== minute) {
    keptMinuteTexts[slot] = flattenString(new Date(minute * MINUTE_MS).toISOString().slice(0, -7));
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

export const isoOrNull = (timeMs: number | null | undefined): string | null =>
  timeMs === null || timeMs === undefined ? null : isoText(timeMs);

/** Reads a time in UTC; NaN for a day or an hour that does not exist: `Date` takes 30 February for 2 March. */
export function utcMsOf(text: string): number {
  const timeMs = new Date(text).getTime();
  const isReal = !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(text.slice(0, -1));
  return isReal ? timeMs : Number.NaN;
}
