/**
 * The engine's numbers as JSON text. The hot bodies are assembled by hand from these. They have the same digits as with
 * `JSON.stringify`, but are faster to print, because no value becomes a double on the way.
 */
import { integerText } from '../../engine/base/integer-text.js';

/** A decimal point and two decimals, without trailing zeros: '' for 0, '.5' for 50, '.05' for 5. */
const TWO_DECIMALS: readonly string[] = Array.from({ length: 100 }, (_, n) =>
  decimalsText(String(n).padStart(2, '0')),
);
/** The same with four decimals; each is built on first use. */
const FOUR_DECIMALS = new Array<string | undefined>(10_000);

function decimalsText(digits: string): string {
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '' : `.${kept}`;
}

/** Hundredths are cents, or percents in 1e-2: -1250 is `-12.5`. */
export function hundredthsText(hundredths: number): string {
  if (hundredths < 0) return `-${hundredthsText(-hundredths)}`;
  // Not with the remainder operator, which is slow for doubles.
  const whole = Math.floor(hundredths / 100);
  return integerText(whole) + TWO_DECIMALS[hundredths - whole * 100];
}

/** 19800 is `1.98`. */
export function oddsText(oddsE4: number): string {
  const whole = Math.floor(oddsE4 / 10_000);
  const decimals = oddsE4 - whole * 10_000;
  FOUR_DECIMALS[decimals] ??= decimalsText(String(decimals).padStart(4, '0'));
  return integerText(whole) + FOUR_DECIMALS[decimals];
}

export const successText = (dataText: string): string => `${SUCCESS_HEAD}${dataText}}`;

export const dataOf = (text: string): string => text.slice(SUCCESS_HEAD.length, -1);

const SUCCESS_HEAD = '{"success":true,"data":';
