/**
 * UP's fair share in the round that a market has open, by the asset's latest tick: what an order takes into the engine
 * (`engine/quotes`), and what the market's pools are shown by. It is not part of the engine's state and starts from the
 * configured volatilities.
 *
 * The share follows from the tick alone: the time left is counted from the tick's own time, so it stays the same until
 * another tick arrives. It is worked out when it is asked for first, which costs nothing where nobody looks; every
 * order after a tick finds that tick's share.
 */
import { must } from '../base/assert.js';
import { ASSETS, type Asset, assetOf, LIVE, NO_FAIR_SHARE } from '../model/domain.js';
import type { PriceTick } from '../model/ports.js';
import type { EngineReads, RoundView } from '../model/views.js';
import type { PriceTracker } from './price-tracker.js';
import { fairShareE6 } from './ticks/fair-share.js';
import { Volatility, YEARLY_VOLATILITY } from './ticks/volatility.js';

/** A market's last share, and what it was worked out from. */
interface Quoted {
  readonly round: RoundView;
  readonly tick: PriceTick;
  readonly shareE6: number;
}

export class Quoter {
  readonly #volatilities: readonly Volatility[];
  /** By market. */
  readonly #quoted: (Quoted | undefined)[] = [];

  /** `yearly` is the volatility to begin with. Takes in every tick that `tracker` believes from now on. */
  constructor(
    private readonly engine: EngineReads,
    private readonly tracker: PriceTracker,
    yearly: Readonly<Record<Asset, number>> = YEARLY_VOLATILITY,
  ) {
    this.#volatilities = ASSETS.map((asset) => new Volatility(yearly[asset]));
    tracker.onTaken(({ asset, price, timeMs }) => this.#volatilities[asset]?.take(price, timeMs));
  }

  /**
   * UP's fair share in millionths, for an order or a reader at engine time `nowMs`. -1 if the market has no live round,
   * if its seeds are fixed, or if its latest tick is older than the round's `maxPriceAgeMs`.
   */
  fairShareE6(market: number, nowMs: number): number {
    const round = market < 0 ? null : this.engine.currentRound(market);
    if (round === null || round.quote === null || round.status !== LIVE) return NO_FAIR_SHARE;
    const tick = this.tracker.latest(assetOf(market));
    if (tick === null || nowMs - tick.timeMs > round.maxPriceAgeMs) return NO_FAIR_SHARE;
    const quoted = this.#quoted[market];
    if (quoted !== undefined && quoted.tick === tick && quoted.round === round) return quoted.shareE6;
    const shareE6 = this.#shareOf(round, tick);
    this.#quoted[market] = { round, tick, shareE6 };
    return shareE6;
  }

  #shareOf(round: RoundView, tick: PriceTick): number {
    const volatility = must(this.#volatilities[tick.asset], 'volatility of the asset');
    const variance = volatility.varianceOver(Math.max(round.endTimeMs - tick.timeMs, 1));
    return fairShareE6(must(round.openPrice, 'open price of a live round'), tick.price, variance);
  }
}
