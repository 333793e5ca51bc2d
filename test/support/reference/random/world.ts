/**
 * A random stream plays in this world: a few markets, small limits so that they are reached, a clock, and prices that
 * wander. Generators read the reference model's state to get into its corners.
 */
import { must } from '../../../../engine/base/assert.js';
import type { Command } from '../../../../engine/model/commands.js';
import { assetOf, MARKET_IDS, marketOf, TIERS, timeFrameOf } from '../../../../engine/model/domain.js';
import type { ErrorCode } from '../../../../engine/model/errors.js';
import { scopesOfMarket } from '../../../../engine/model/loss-limits.js';
import { defaultRules, type MarketRules, type Rules } from '../../../../engine/model/rules.js';
import { fixedHouse } from '../../engine/house-rules.js';
import { lostOf, type ReferenceState } from '../state.js';
import { Rng } from './rng.js';

export const WORLD_MARKETS: readonly number[] = [
  ...['BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES', 'BTC_FIFTEEN_MINUTES', 'ETH_ONE_MINUTE', 'GOLD_ONE_MINUTE'],
  ...['EURUSD_ONE_MINUTE', 'EURUSD_FIVE_MINUTES'],
].map(marketOf);

export const WORLD_ASSETS: readonly number[] = [...new Set(WORLD_MARKETS.map(assetOf))];

/** Small enough to be reached in a stream of some hundred commands. */
export const WORLD_HISTORY_BETS = 3;
const LOCK_LEAD_MS = [5_000, 15_000, 30_000];

export interface Move {
  readonly command: Command;
  readonly gate: ErrorCode | null;
}

export class World {
  nowMs: number;
  readonly state: ReferenceState;
  readonly prices = new Map<number, number>();
  /** UP's fair share of the last order by market, in millionths. */
  readonly fairShares = new Map<number, number>();
  /** Grows with each key or reference that must be new. */
  counter = 0;

  /** Draws for quotes only, so that a world without them draws all else alike. */
  readonly quoteRng: Rng;

  constructor(
    state: ReferenceState,
    startMs: number,
    readonly isQuoting: boolean,
    readonly hasLimits: boolean,
  ) {
    this.quoteRng = new Rng(startMs % 1_000_000);
    this.state = state;
    this.nowMs = startMs;
    for (const asset of WORLD_ASSETS) this.prices.set(asset, 1_000 + asset);
  }

  /** Keeps everything of `kept` that must not be lost. */
  rules(rng: Rng, kept: Rules | null): Rules {
    const drawn = seededRules(rng, kept);
    const rules = { ...drawn, lossLimits: this.#lossLimits(rng) };
    return this.isQuoting ? quoting(rules, this.quoteRng) : rules;
  }

  /** Small ones, and often just what was lost where the last round ended. */
  #lossLimits(rng: Rng): Rules['lossLimits'] {
    const { state, nowMs } = this;
    const scopes = scopesOfMarket(state.results.at(-1)?.market ?? must(WORLD_MARKETS[0], 'market'));
    const [marketCents = 1, assetCents = 1, allCents = 1] = scopes.map((scope) =>
      rng.chance(0.5)
        ? Math.max(1, lostOf(state, scope, nowMs) + rng.integer(0, 1))
        : rng.pick([1, 30_00, 300_00, 50_000_00]),
    );
    return { marketCents, assetCents, allCents };
  }

  price(asset: number): number {
    return must(this.prices.get(asset), 'price');
  }
}

/** Most markets quote. */
function quoting(rules: Rules, rng: Rng): Rules {
  const clampMaxE6 = rules.feeBps * 100;
  const markets = rules.markets.map((market) => {
    if (rng.chance(0.1)) return market;
    const policy = rng.chance(0.8) ? ('fair' as const) : ('fixed' as const);
    const shadeE6 = rng.pick([0, 1, 100_000, 600_000, 1_000_000]);
    const clampE6 = Math.min(rng.pick([0, 20_000]), clampMaxE6);
    return { ...market, house: { ...market.house, policy, shadeE6, clampE6 } };
  });
  return { ...rules, markets };
}

function worldMarket(market: number, rng: Rng): MarketRules {
  return {
    marketId: must(MARKET_IDS[market], 'market'),
    lockLeadMs: rng.chance(0.8) ? must(LOCK_LEAD_MS[timeFrameOf(market)], 'lead') : rng.integer(0, 20_000),
    minStakeCents: rng.pick([1, 100, 100, 2_50]),
    maxStakeCents: rng.pick([500_00, 10_000_00, 10_000_00, 1_000_000_00]),
    house: fixedHouse(rng.pick([1, 7, 100_00, 1_000_00, 333_33, 10_000_00, 10_000_00])),
    maxPriceAgeMs: rng.pick([10_000, 10_000, 0, 3_000]),
    quoteAgeMs: 2_000,
  };
}

function seededRules(rng: Rng, kept: Rules | null): Omit<Rules, 'lossLimits'> {
  const markets = WORLD_MARKETS.filter(() => rng.chance(0.93));
  const limits = [0, 1_000_00, 5_000_00, 10_000_00, 50_000_00];
  const drawn = {
    markets: markets.map((market) => worldMarket(market, rng)),
    tiers: TIERS.map((tier, index) => ({
      tier,
      maxStakeCents: must(limits[index], 'limit') + (rng.chance(0.1) ? rng.integer(0, 500_00) : 0),
      activeKeysMax: rng.chance(0.4) ? 1 : index + 1,
    })),
    feeBps: rng.pick([300, 300, 300, 0, 1, 9_999]),
    cutoffMs: rng.pick([20_000, 20_000, 20_000, 0, 5_000]),
    slippageE2: rng.pick([1_500, 1_500, 0, 100]),
    lateOpenBettingMs: rng.pick([10_000, 10_000, 0, 25_000]),
    openBetsMax: rng.pick([3, 12, 200, 200]),
    // A greater number does not bring back what a smaller one has made forgotten: these stay.
    historyBetsMax: kept?.historyBetsMax ?? WORLD_HISTORY_BETS,
    settledRoundsMax: kept?.settledRoundsMax ?? rng.pick([1, 2, 5]),
    idempotencyTtlMs: kept?.idempotencyTtlMs ?? rng.pick([600_000, 600_000, 90_000, 61_001]),
    idempotencyEntriesMax: rng.pick([3, 40, 1_000, 1_000]),
    masterSecretFingerprint: 'ab'.repeat(32),
  };
  const { news, profiles } = defaultRules('');
  return { ...drawn, news, profiles };
}
