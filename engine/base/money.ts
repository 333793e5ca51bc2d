/**
 * Exact arithmetic on cents, odds and percentages. Units: cents; odds in 1e-4 (`oddsE4`), rounded down; percentages in
 * hundredths of a point (`percentE2`), rounded half up; fees in basis points. Products beyond the safe integers of a
 * double are calculated in BigInt.
 */
import { assert } from './assert.js';

/** Largest amount in cents, and the limit on the sum of all deposits: 1e15, ten trillion dollars. */
export const AMOUNT_CENTS_MAX = 1_000_000_000_000_000;

/** Up to here a product is exact in a double, and its quotient is never rounded up to the next integer. */
const EXACT_MAX = 2 ** 52;

/** floor(a * b / c) for integers a, b >= 0 and 0 < c <= 2^52. */
export function mulDivFloor(a: number, b: number, c: number): number {
  const product = a * b;
  if (product <= EXACT_MAX) return Math.floor(product / c);
  const quotient = Number((BigInt(a) * BigInt(b)) / BigInt(c));
  assert(quotient <= Number.MAX_SAFE_INTEGER, `quotient of ${a} * ${b} / ${c} is not a safe integer`);
  return quotient;
}

/** ceil(a * b / c) for the same integers. */
export function mulDivCeil(a: number, b: number, c: number): number {
  const quotient = mulDivFloor(a, b, c);
  const isExact =
    a * b <= EXACT_MAX ? quotient * c === a * b : BigInt(quotient) * BigInt(c) === BigInt(a) * BigInt(b);
  return isExact ? quotient : quotient + 1;
}

/** Odds are capped at 900 billion to one, the highest that are exact in 1e-4. Only seeds of a few cents come near. */
const ODDS_MAX = 900_000_000_000;

/** totalPool / sidePool in 1e-4, rounded down. */
export function oddsE4(totalCents: number, sideCents: number): number {
  if (totalCents / sideCents >= ODDS_MAX) return ODDS_MAX * 10_000;
  return mulDivFloor(totalCents, 10_000, sideCents);
}

/** UP's share of the pool in hundredths of a percent, rounded half up; DOWN has the rest of the 10,000. */
export function percentUpE2(upCents: number, totalCents: number): number {
  if (totalCents <= 200_000_000_000) return mulDivFloor(upCents * 20_000 + totalCents, 1, 2 * totalCents);
  return Number((BigInt(upCents) * 20_000n + BigInt(totalCents)) / (2n * BigInt(totalCents)));
}

/** floor(stake * odds * (1 - fee)) in cents, from the published odds, so that a client can recompute it. */
export function payoutCents(stakeCents: number, publishedOddsE4: number, feeBps: number): number {
  const keptBps = 10_000 - feeBps;
  const product = stakeCents * publishedOddsE4;
  if (product <= EXACT_MAX) return mulDivFloor(product, keptBps, 100_000_000);
  const payout = Number((BigInt(stakeCents) * BigInt(publishedOddsE4) * BigInt(keptBps)) / 100_000_000n);
  assert(payout <= Number.MAX_SAFE_INTEGER, 'payout is not a safe integer');
  return payout;
}

/**
 * Null if the amount is not finite, has more than two decimals or exceeds `AMOUNT_CENTS_MAX`. Negative dollars give
 * negative cents.
 */
export function centsOfDollars(dollars: number): number | null {
  const cents = Math.round(dollars * 100);
  if (!(Math.abs(cents) <= AMOUNT_CENTS_MAX) || cents / 100 !== dollars) return null;
  return cents === 0 ? 0 : cents;
}

/** As people write an amount: at most two decimals, with or without commas between thousands. */
export function centsOfText(text: string): number | null {
  const isWellFormed = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(text);
  return isWellFormed ? centsOfDollars(Number(text.replaceAll(',', ''))) : null;
}

/** Exact in JSON: cents / 100 prints with at most two decimals. */
export const dollarsOfCents = (cents: number): number => cents / 100;
