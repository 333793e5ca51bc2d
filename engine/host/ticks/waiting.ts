/** The prices that rounds of the engine are waiting for, and how old these may be. */
import type { EngineReads } from '../../engine.js';
import { ASSETS, assetOf, MARKETS_MAX, UPCOMING } from '../../model/domain.js';
import { unfinishedRounds } from '../../reads/round-bets.js';

export interface Waiting {
  readonly asset: number;
  readonly boundaryMs: number;
}

/**
 * The greatest age at which a price of the asset can still matter: to an unresolved round, or to one that could open
 * now.
 */
export function priceAgeMsMax(engine: EngineReads, asset: number): number {
  const markets = Array.from({ length: MARKETS_MAX }, (_, market) => market).filter(
    (market) => assetOf(market) === asset,
  );
  return Math.max(
    0,
    ...markets.map((market) => engine.marketRules(market)?.maxPriceAgeMs ?? 0),
    ...unfinishedRounds(engine).flatMap(({ market, maxPriceAgeMs }) =>
      assetOf(market) === asset ? maxPriceAgeMs : [],
    ),
  );
}

/** The ends of rounds that await a close price, and the starts of rounds that await an open price. */
export function waitingBoundaries(engine: EngineReads): Waiting[] {
  const waiting = new Map<number, Waiting>();
  const add = (market: number, boundaryMs: number): void => {
    const asset = assetOf(market);
    waiting.set(boundaryMs * ASSETS.length + asset, { asset, boundaryMs });
  };
  for (const round of engine.unsettledRounds()) {
    if (round.resolvedAtMs === null) add(round.market, round.endTimeMs);
  }
  for (let market = 0; market < MARKETS_MAX; market++) {
    const current = engine.currentRound(market);
    if (current !== null && current.status === UPCOMING) add(market, current.startTimeMs);
  }
  return [...waiting.values()].sort((a, b) => a.boundaryMs - b.boundaryMs || a.asset - b.asset);
}
