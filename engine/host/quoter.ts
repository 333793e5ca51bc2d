/**
 * UP's fair share in a market's open round, for orders (`engine/quotes`) and for the pools as shown. It follows from
 * the asset's latest tick and the rules, since the time left is counted from the tick's own time: it is worked out once
 * for both, on demand. There is none where the public may know more than the tick says. The volatility behind it is
 * journaled with boundary prices: a restart goes on from the engine's estimates.
 */
import { must } from '../base/assert.js';
import type { EngineReads } from '../engine.js';
import {
  ASSETS,
  type Asset,
  assetOf,
  LIVE,
  marketOf,
  NO_FAIR_SHARE,
  SHARE_PRICE_HELD,
  SHARE_SOURCE_CHANGED,
  SHARE_SUSPENDED,
  SHARE_TOO_COARSE,
} from '../model/domain.js';
import type { PriceTick } from '../model/ports.js';
import type { PriceEstimate } from '../model/prices.js';
import type { Rules } from '../model/rules.js';
import type { RoundView } from '../model/views.js';
import type { Estimator, PriceTracker } from './price-tracker.js';
import { isSuspended, usualMs } from './ticks/calendar.js';
import { fairShareE6 } from './ticks/fair-share.js';
import { Volatility, YEARLY_VOLATILITY } from './ticks/volatility.js';

/** A round whose price is to move by fewer steps between the close of betting and its end is not quoted. */
const STEPS_MIN = 6;
/** Nor is one that is to move by fewer spreads: the middle of a wide one says little of where the price is. */
const SPREADS_MIN = 10;

interface Quoted {
  readonly round: RoundView;
  readonly tick: PriceTick;
  readonly rules: Rules | null;
  readonly shareE6: number;
}

export class Quoter implements Estimator {
  readonly #volatilities: readonly Volatility[];
  /** By asset. */
  readonly #sources: (string | undefined)[] = [];
  /** By market. */
  readonly #quoted: (Quoted | undefined)[] = [];

  /**
   * `yearly` is the volatility to begin with. `withheld` says why the market has no share though its prices are
   * fresh (`fairShareE6`), or null. Takes in every tick that `tracker` believes from now on.
   */
  constructor(
    private readonly engine: EngineReads,
    private readonly tracker: PriceTracker,
    yearly: Readonly<Record<Asset, number>> = YEARLY_VOLATILITY,
    private readonly withheld: (market: number) => number | null = () => null,
  ) {
    this.#volatilities = ASSETS.map((name, asset) => {
      const usual = (fromMs: number, untilMs: number): number => {
        const { rules } = engine;
        return rules === null ? untilMs - fromMs : usualMs(rules, asset, fromMs, untilMs);
      };
      // The asset's estimates come with the prices that open its rounds.
      const open = engine.latestOpenPrice(asset);
      return new Volatility(yearly[name], engine.estimate(asset), usual, open?.timeMs);
    });
    tracker.teach(this);
  }

  volatility(asset: number): Volatility {
    return must(this.#volatilities[asset], 'volatility of the asset');
  }

  take({ asset, price, timeMs, source }: PriceTick): void {
    const volatility = this.volatility(asset);
    if (source !== this.#sources[asset]) volatility.restart();
    this.#sources[asset] = source;
    volatility.take(price, timeMs);
  }

  /** null where no market of the asset has quotes that follow it. */
  estimate(asset: number): PriceEstimate | null {
    const isQuoted = this.engine.rules?.markets.some(
      ({ marketId, house }) => house.policy === 'fair' && assetOf(marketOf(marketId)) === asset,
    );
    return isQuoted === true ? this.volatility(asset).estimate : null;
  }

  /**
   * UP's fair share in millionths, for an order or a reader at engine time `nowMs`. Below 0 if the market has no live round
   * or its seeds are fixed, or for a reason of `NO_SHARE_CODES`.
   */
  fairShareE6(market: number, nowMs: number): number {
    const round = market < 0 ? null : this.engine.currentRound(market);
    if (round === null || round.quote === null || round.status !== LIVE) return NO_FAIR_SHARE;
    const asset = assetOf(market);
    if (this.tracker.held(asset) !== null) return SHARE_PRICE_HELD;
    const tick = this.tracker.latest(asset);
    if (tick === null || nowMs - tick.timeMs > round.maxPriceAgeMs) return NO_FAIR_SHARE;
    const quoteAgeMs = this.engine.marketRules(market)?.quoteAgeMs ?? 0;
    if (nowMs - this.tracker.renewedMs(asset) > quoteAgeMs) return NO_FAIR_SHARE;
    const withheld = this.withheld(market);
    if (withheld !== null) return withheld;
    const { rules } = this.engine;
    if (rules !== null && isSuspended(rules, asset, nowMs, round.endTimeMs)) return SHARE_SUSPENDED;
    // Sources differ by more than a moment's change: the difference would decide the round.
    if (tick.source !== round.proof.open?.source) return SHARE_SOURCE_CHANGED;
    const quoted = this.#quoted[market];
    if (quoted?.tick === tick && quoted.round === round && quoted.rules === rules) return quoted.shareE6;
    const shareE6 = this.#shareOf(round, tick);
    this.#quoted[market] = { round, tick, rules, shareE6 };
    return shareE6;
  }

  #shareOf(round: RoundView, { asset, price, spread = 0, timeMs }: PriceTick): number {
    const volatility = this.volatility(asset);
    const { increment } = volatility;
    const atClose = volatility.varianceBetween(round.bettingClosesMs, round.endTimeMs);
    const least = Math.max(STEPS_MIN * increment, SPREADS_MIN * spread);
    if (least / price > Math.sqrt(atClose)) return SHARE_TOO_COARSE;
    const variance = volatility.varianceUntil(round.endTimeMs, timeMs);
    const openPrice = must(round.openPrice, 'open price of a live round');
    return fairShareE6(openPrice, volatility.ahead(price), variance, increment);
  }
}
