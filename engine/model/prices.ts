/** The host's knowledge of prices: their volatility, which boundary prices journal, and whether they come in time. */
import type { Asset } from './domain.js';

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

/** Whether prices come, and in time. */
export interface PriceWatch {
  /** Assets with ticks expected now, and those of them without one for a while. */
  readonly expectedAssets: (nowMs: number) => readonly Asset[];
  readonly silentAssets: (nowMs: number) => readonly Asset[];
  /** By the live feed that the asset's prices come from; null where that is not known. */
  readonly latenessMs: (asset: number) => number | null;
  /** Markets whose prices are too late for them, whether they take orders or an operator has them do so. */
  readonly lateMarkets: () => number;
  /** Assets that are priced by another than their preferred live feed. */
  readonly switchedAssets: () => number;
}
