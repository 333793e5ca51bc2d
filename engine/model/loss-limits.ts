/**
 * Limits on the house's losses in rounds that are settled on one day (UTC): in a market, in all of an asset, and in
 * all. Each of these is a scope, an index into `LOSS_SCOPES`.
 */
import { ASSETS, assetOf, MARKET_IDS, MARKETS_MAX } from './domain.js';
import type { Rules } from './rules.js';

export const LOSS_SCOPES: readonly string[] = [...MARKET_IDS, ...ASSETS, 'ALL'];
const ALL = LOSS_SCOPES.length - 1;
const DAY_MS = 86_400_000;

export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS) * DAY_MS;

/** The narrowest first. */
export const scopesOfMarket = (market: number): readonly number[] => [
  market,
  MARKETS_MAX + assetOf(market),
  ALL,
];

export const marketsOfScope = (scope: number): readonly number[] =>
  MARKET_IDS.map((_, market) => market).filter((market) => scopesOfMarket(market).includes(scope));

export function lossLimitCents({ lossLimits }: Pick<Rules, 'lossLimits'>, scope: number): number {
  if (scope === ALL) return lossLimits.allCents;
  return scope < MARKETS_MAX ? lossLimits.marketCents : lossLimits.assetCents;
}

/** By scope. */
export interface DayResults {
  /** From rounds settled on that day. */
  readonly resultCents: readonly number[];
  /** `resultCents` when an operator last lifted the scope's suspension: losses count from there. */
  readonly liftedCents: readonly number[];
}

/** The house's losses towards the scope's limit; below 0 where it has won. */
export const lostCents = ({ resultCents, liftedCents }: DayResults, scope: number): number =>
  (liftedCents[scope] as number) - (resultCents[scope] as number);
