/**
 * The engine's numbers and times as JSON text. The hot bodies are assembled by hand from these. They have the same
 * digits as with `JSON.stringify`, but are faster to print, because no value becomes a double on the way.
 */

import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';

const MINUTE_MS = 60_000;

/** '00' to '99'. */
const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
/** A decimal point and two decimals, without trailing zeros: '' for 0, '.5' for 50, '.05' for 5. */
const TWO_DECIMALS: readonly string[] = TWO_DIGITS.map(decimalsText);
/** The same with four decimals; each is built on first use. */
const FOUR_DECIMALS = new Array<string | undefined>(10_000);
/** '.000Z' to '.999Z'. */
const MILLISECONDS: readonly string[] = Array.from(
  { length: 1000 },
  (_, n) => `.${String(n).padStart(3, '0')}Z`,
);

function decimalsText(digits: string): string {
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : `.${kept}`;
}

/** A whole number of hundredths (cents, percents in 1e-2) as a JSON number: -1250 is `-12.5`. */
export function hundredthsText(hundredths: number): string {
  if (hundredths < 0) return `-${hundredthsText(-hundredths)}`;
  // Not with the remainder operator, which is slow for doubles.
  const whole = Math.floor(hundredths / 100);
  return integerText(whole) + TWO_DECIMALS[hundredths - whole * 100];
}

/** Odds in 1e-4 as a JSON number: 19800 is `1.98`. */
export function oddsText(oddsE4: number): string {
  const whole = Math.floor(oddsE4 / 10_000);
  const decimals = oddsE4 - whole * 10_000;
  FOUR_DECIMALS[decimals] ??= decimalsText(String(decimals).padStart(4, '0'));
  return integerText(whole) + FOUR_DECIMALS[decimals];
}

/** Cached texts of minutes, by the low bits of the minute: lists repeat the same few. */
const MINUTES_KEPT = 64;
const keptMinutes = new Array<number>(MINUTES_KEPT).fill(-1);
const keptMinuteTexts = new Array<string>(MINUTES_KEPT).fill('');

/** `2026-06-10T12:30:`. */
function minuteText(minute: number): string {
  const slot = minute & (MINUTES_KEPT - 1);
  if (keptMinutes[slot] !== minute) {
    keptMinuteTexts[slot] = flattenString(new Date(minute * MINUTE_MS).toISOString().slice(0, 17));
    keptMinutes[slot] = minute;
  }
  return keptMinuteTexts[slot] as string;
}

/** The last time printed: an order prints its own twice, and many orders share a millisecond. */
let keptTimeMs = Number.NaN;
let keptText = '';

/** ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` prints it; `timeMs` is at or after 1970. */
export function isoText(timeMs: number): string {
  if (timeMs !== keptTimeMs) {
    keptText = printTime(timeMs);
    keptTimeMs = timeMs;
  }
  return keptText;
}

function printTime(timeMs: number): string {
  const minute = Math.floor(timeMs / MINUTE_MS);
  const ofMinute = timeMs - minute * MINUTE_MS;
  const second = Math.floor(ofMinute / 1000);
  return `${minuteText(minute)}${TWO_DIGITS[second]}${MILLISECONDS[ofMinute - second * 1000]}`;
}

/** The success envelope around JSON text. */
export const successText = (dataText: string): string => `${SUCCESS_HEAD}${dataText}}`;

/** The JSON text in the success envelope. */
export const dataOf = (text: string): string => text.slice(SUCCESS_HEAD.length, -1);

const SUCCESS_HEAD = '{"success":true,"data":';
