/**
 * The rules in force: all configuration that affects outcomes. They reach the engine only through a journaled
 * `configure` command. A round keeps the rules it was opened under.
 */
import { type Asset, MARKET_IDS, type Tier, timeFrameOf } from './domain.js';

/** How the house quotes in a market. */
export interface HouseRules {
  /** `fair`: the seeds follow the price (`engine/quotes`). `fixed`: each side keeps its half. */
  readonly policy: 'fair' | 'fixed';
  /** Half of the seeds, S: what each side has when a round opens. At least 1 cent, so that odds are finite. */
  readonly seedCents: number;
  /**
   * How far the offered share goes from the fair one, in millionths, for each 2S owed more on one side. The round's edge
   * may bear less (`engine/quotes/split.ts`).
   */
  readonly shadeE6: number;
  /** The offered share stays this far from 0 and from 1, in millionths; at most the fee, or a sure side would pay. */
  readonly clampE6: number;
}

/** Rules of one active market. A market without an entry is not active: orders get `market_not_found`. */
export interface MarketRules {
  readonly marketId: string;
  /** Time between the lock and the end of a round, in milliseconds. */
  readonly lockLeadMs: number;
  readonly minStakeCents: number;
  readonly maxStakeCents: number;
  /** A boundary price older than this voids the closing round and does not open the next. */
  readonly maxPriceAgeMs: number;
  /**
   * Nothing is quoted once the last newer price of the asset arrived this long ago; applies at once. A multiple of the
   * usual interval between prices.
   */
  readonly quoteAgeMs: number;
  readonly house: HouseRules;
}

export interface TierRules {
  readonly tier: Tier;
  readonly maxStakeCents: number;
  readonly activeKeysMax: number;
}

/** The layers of the rules: a file over the defaults, and operators' changes on top, in the form of the rules file. */
export interface RuleLayers {
  readonly file: object;
  readonly operator: object;
}

export interface RuleValue {
  /** With dots between the names: `limits.BTC.house.seedCents`. */
  readonly name: string;
  readonly value: string | number | readonly (string | number)[];
}

/** In the order of their names. */
export const valuesOf = (layer: object, prefix = ''): RuleValue[] =>
  Object.entries(layer)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? valuesOf(value, `${prefix}${key}.`)
        : [{ name: prefix + key, value: value as RuleValue['value'] }],
    );

/** News at a known time. It applies at once. */
export interface NewsRule {
  /** When it begins: as it was written, and the same as a number. */
  readonly at: string;
  readonly atMs: number;
  readonly minutes: number;
  readonly assets: readonly Asset[];
  /** How many times as far as usual prices move. Absent: rounds into which it falls take no orders until it is over. */
  readonly factor?: number;
}

/** How many times as far as usual an asset's prices move, by time of UTC; applies at once. */
interface ProfileRule {
  /** From 00:00 on, 24 of them. */
  readonly hours?: readonly number[];
  /** From Monday on, 7 of them. */
  readonly weekdays?: readonly number[];
}

export interface Rules {
  readonly markets: readonly MarketRules[];
  /** One entry per tier, in the order of `TIERS`. Tier limits apply at once, to all rounds. */
  readonly tiers: readonly TierRules[];
  /** Fee on winnings in basis points (3 %). */
  readonly feeBps: number;
  /** The house may lose so much in a day (UTC) before its markets are suspended (`loss-limits.ts`). Apply at once. */
  readonly lossLimits: {
    readonly marketCents: number;
    /** All markets of one asset. */
    readonly assetCents: number;
    readonly allCents: number;
  };
  /** By name. */
  readonly news: Readonly<Record<string, NewsRule>>;
  readonly profiles: Readonly<Partial<Record<Asset, ProfileRule>>>;
  /** Bets are refused from this long before the lock (20 s). */
  readonly cutoffMs: number;
  /** Slippage tolerance of `expectedPercent` in hundredths of a point (15 points). */
  readonly slippageE2: number;
  /** Minimum betting time, up to the cutoff, for a round that opens late. */
  readonly lateOpenBettingMs: number;
  readonly openBetsMax: number;
  /** Number of placed bets, and of settled ones, kept in memory per account. */
  readonly historyBetsMax: number;
  /** Number of settled rounds kept in memory per market. */
  readonly settledRoundsMax: number;
  readonly idempotencyTtlMs: number;
  readonly idempotencyEntriesMax: number;
  /** SHA-256 of the master secret of the round seeds, hex; a server with another secret refuses to start. */
  readonly masterSecretFingerprint: string;
  /** For those who make rules: the engine only keeps it. Absent where all are defaults. */
  readonly layers?: RuleLayers;
}

/** Version of the engine's behaviour. Any change that affects an outcome raises it. */
export const RULES_VERSION = 1;

const DEFAULT_HOUSE: HouseRules = {
  policy: 'fair',
  seedCents: 1_000_00,
  shadeE6: 600_000,
  clampE6: 20_000,
};

const LOCK_LEAD_MS: readonly number[] = [5_000, 15_000, 30_000, 60_000, 300_000];

/** docs/bots/concepts.md shows them. */
export function defaultRules(masterSecretFingerprint: string): Rules {
  return {
    markets: MARKET_IDS.map((marketId, market) => ({
      marketId,
      lockLeadMs: LOCK_LEAD_MS[timeFrameOf(market)] as number,
      minStakeCents: 1_00,
      maxStakeCents: 10_000_00,
      house: DEFAULT_HOUSE,
      quoteAgeMs: 2_000,
      maxPriceAgeMs: 10_000,
    })),
    tiers: [
      { tier: 'BRONZE', maxStakeCents: 0, activeKeysMax: 1 },
      { tier: 'SILVER', maxStakeCents: 1_000_00, activeKeysMax: 2 },
      { tier: 'GOLD', maxStakeCents: 5_000_00, activeKeysMax: 3 },
      { tier: 'PLATINUM', maxStakeCents: 10_000_00, activeKeysMax: 4 },
      { tier: 'VIP', maxStakeCents: 50_000_00, activeKeysMax: 5 },
    ],
    feeBps: 300,
    lossLimits: { marketCents: 10_000_00, assetCents: 25_000_00, allCents: 50_000_00 },
    news: {},
    profiles: {},
    cutoffMs: 20_000,
    slippageE2: 1_500,
    lateOpenBettingMs: 10_000,
    openBetsMax: 10_000,
    historyBetsMax: 200,
    settledRoundsMax: 200,
    idempotencyTtlMs: 600_000,
    idempotencyEntriesMax: 20_000_000,
    masterSecretFingerprint,
  };
}
