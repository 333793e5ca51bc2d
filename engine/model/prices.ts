/** An asset's volatility as the host has estimated it: boundary prices journal it. */

/**
 * State of `engine/host/ticks/volatility.ts`. The engine only keeps it, so that quotes go on after a restart as before
 * it.
 */
export interface PriceEstimate {
  /** Means of squared relative changes per millisecond: over minutes, and over days. */
  readonly fast: number;
  readonly slow: number;
  /** Fading sums over changes: of their products with the one before, of their squares, and of their number. */
  readonly products: number;
  readonly squares: number;
  readonly changes: number;
  /** The same for the intervals between changes, and their squares, in milliseconds. */
  readonly intervals: number;
  readonly intervalSquares: number;
  /** Least change of the price in the present window of changes and in the last one, in its own units; 0 while unknown. */
  readonly leastNow: number;
  readonly leastBefore: number;
  readonly changesNow: number;
}
