/**
 * Exact arithmetic with money. The API has dollars as numbers with at most two decimals; sums and products of such
 * numbers are not exact (0.1 + 0.2), so bots should count in whole cents and come back to dollars for a request.
 */

/** Beyond this many cents a number of dollars no longer tells neighbouring cents apart. */
const CENTS_MAX = 2 ** 50;
const ODDS_SCALE = 10_000n;
const BASIS_POINTS = 10_000n;

/** Whole cents of an amount in dollars. Throws a `RangeError` if it has a fraction of a cent. */
export function toCents(dollars: number): number {
  const cents = Math.round(dollars * 100);
  if (!(Math.abs(cents) <= CENTS_MAX) || cents / 100 !== dollars)
    throw new RangeError(`${dollars} is not an amount in dollars with at most two decimals`);
  return cents;
}

/** Dollars, as the API has them, of whole cents. */
export function toDollars(cents: number): number {
  if (!Number.isInteger(cents) || Math.abs(cents) > CENTS_MAX)
    throw new RangeError(`${cents} is not a whole number of cents`);
  return cents / 100;
}

/** Exact. */
export const addDollars = (...amounts: readonly number[]): number =>
  toDollars(amounts.reduce((sum, amount) => sum + toCents(amount), 0));

/** The first amount less all others, exact. */
export const subtractDollars = (from: number, ...amounts: readonly number[]): number =>
  toDollars(amounts.reduce((rest, amount) => rest - toCents(amount), toCents(from)));

/** A share of an amount in dollars, rounded down to the cent: a stake of a tenth of the balance. */
export const shareOfDollars = (dollars: number, share: number): number =>
  // 0.29 of a dollar are 28.999999999999996 cents in binary, and 29 in the 15 digits that are sure.
  toDollars(Math.floor(Number((toCents(dollars) * share).toPrecision(15))));

/**
 * The payout of a WIN, to the cent as the server computes it: stake * odds * (1 - fee), rounded down. `odds` and `fee`
 * have at most four decimals, as the API has them.
 */
export function payoutDollars(stake: number, odds: number, fee = 0.03): number {
  const oddsE4 = BigInt(Math.round(odds * Number(ODDS_SCALE)));
  const kept = BASIS_POINTS - BigInt(Math.round(fee * Number(BASIS_POINTS)));
  return toDollars(Number((BigInt(toCents(stake)) * oddsE4 * kept) / (ODDS_SCALE * BASIS_POINTS)));
}
