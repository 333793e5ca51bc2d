/**
 * `TOTE_RULES_FILE`: a JSON file that changes parts of the default rules (engine/model/rules.ts). The names are those
 * of the rules themselves, units included. Nothing is guessed: an unknown name, a market that does not exist or a
 * value out of range is reported, and the server does not start.
 */
import { readFileSync } from 'node:fs';
import typia, { type tags } from 'typia';
import { AMOUNT_CENTS_MAX } from '../../engine/base/money.js';
import {
  ASSETS,
  assetOf,
  MARKET_IDS,
  marketOf,
  TIME_FRAMES,
  timeFrameMs,
  timeFrameOf,
} from '../../engine/model/domain.js';
import {
  type CurrentRules,
  defaultRules,
  type HouseRules,
  type QuotedMarketRules,
} from '../../engine/model/rules.js';
import { nearest } from '../text/nearest.js';
import { describeTypeErrors } from '../text/type-errors.js';

type Count = number & tags.Type<'uint32'> & tags.Minimum<1>;
type DurationMs = number & tags.Type<'uint32'>;
type Cents = number & tags.Type<'uint64'> & tags.Maximum<1_000_000_000_000_000>;

type ShareE6 = number & tags.Type<'uint32'> & tags.Maximum<1_000_000>;

interface HouseOverrides {
  readonly policy?: 'fair' | 'fixed';
  readonly seedCents?: Cents & tags.Minimum<1>;
  readonly shadeE6?: ShareE6;
  readonly clampE6?: ShareE6;
}

interface MarketOverrides {
  readonly lockLeadMs?: DurationMs & tags.Minimum<1>;
  readonly minStakeCents?: Cents & tags.Minimum<1>;
  readonly maxStakeCents?: Cents & tags.Minimum<1>;
  readonly house?: HouseOverrides;
  readonly maxPriceAgeMs?: DurationMs & tags.Minimum<1>;
}

interface TierOverrides {
  readonly maxStakeCents?: Cents;
  readonly activeKeysMax?: number & tags.Type<'uint32'>;
}

/** The file's content. Anything left out keeps its default. */
export interface RulesOverrides {
  /** Ids of the active markets; all 70 if absent. */
  readonly markets?: readonly string[];
  /**
   * Rules of markets by target: `*` (all), a time frame, an asset, or a market id; the most specific wins, in this
   * order.
   */
  readonly limits?: { readonly [target: string]: MarketOverrides };
  readonly tiers?: {
    readonly BRONZE?: TierOverrides;
    readonly SILVER?: TierOverrides;
    readonly GOLD?: TierOverrides;
    readonly PLATINUM?: TierOverrides;
    readonly VIP?: TierOverrides;
  };
  readonly feeBps?: number & tags.Type<'uint32'> & tags.Maximum<9_999>;
  readonly cutoffMs?: DurationMs;
  readonly slippageE2?: number & tags.Type<'uint32'> & tags.Maximum<10_000>;
  readonly lateOpenBettingMs?: DurationMs;
  readonly openBetsMax?: Count;
  readonly historyBetsMax?: Count;
  readonly settledRoundsMax?: Count;
  readonly idempotencyEntriesMax?: Count;
}

export const NO_OVERRIDES: RulesOverrides = {};

export type RulesFileResult =
  | { readonly success: true; readonly overrides: RulesOverrides }
  | { readonly success: false; readonly mistakes: readonly string[] };

const validateOverrides = typia.createValidateEquals<RulesOverrides>();

/** Reads and checks the file at `path`. */
export function readRulesOverrides(path: string): RulesFileResult {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return {
      success: false,
      mistakes: [`it cannot be read: ${error instanceof Error ? error.message : error}`],
    };
  }
  const checked = validateOverrides(value);
  if (!checked.success) return { success: false, mistakes: describeTypeErrors(checked.errors) };
  const mistakes = [...unknownTargets(checked.data), ...contradictions(withOverrides('', checked.data))];
  return mistakes.length > 0 ? { success: false, mistakes } : { success: true, overrides: checked.data };
}

/** The default rules with the file's changes. */
export function withOverrides(masterSecretFingerprint: string, overrides: RulesOverrides): CurrentRules {
  const { markets, limits = {}, tiers = {}, ...plain } = overrides;
  const defaults = defaultRules(masterSecretFingerprint);
  return {
    ...defaults,
    ...plain,
    markets: defaults.markets
      .filter(({ marketId }) => markets === undefined || markets.includes(marketId))
      .map((rules) => withLimits(rules, limits)),
    tiers: defaults.tiers.map((rules) => ({ ...rules, ...tiers[rules.tier] })),
  };
}

function withLimits(
  rules: QuotedMarketRules,
  limits: NonNullable<RulesOverrides['limits']>,
): QuotedMarketRules {
  const market = marketOf(rules.marketId);
  const targets = ['*', TIME_FRAMES[timeFrameOf(market)], ASSETS[assetOf(market)], rules.marketId];
  const changes = targets.map((target) => limits[target ?? ''] ?? {});
  const house: HouseRules = Object.assign({ ...rules.house }, ...changes.map((change) => change.house ?? {}));
  return { ...rules, ...Object.assign({}, ...changes), house };
}

function unknownTargets(overrides: RulesOverrides): string[] {
  const targets = ['*', ...TIME_FRAMES, ...ASSETS, ...MARKET_IDS];
  const named = (list: readonly string[], known: readonly string[], field: string): string[] =>
    list
      .filter((name) => !known.includes(name))
      .map((name) => {
        const near = nearestTarget(name, known);
        return `${field}: "${name}" does not exist${near === null ? '' : `; did you mean "${near}"?`}`;
      });
  return [
    ...named(overrides.markets ?? [], MARKET_IDS, 'markets'),
    ...named(Object.keys(overrides.limits ?? {}), targets, 'limits'),
  ];
}

/** Compares asset and time frame of a market separately, so `DOGE_ONE_DAY` does not suggest `SOL_ONE_DAY`. */
function nearestTarget(name: string, known: readonly string[]): string | null {
  const [asset = '', ...frame] = name.toUpperCase().split('_');
  const nearFrame = nearest(frame.join('_'), TIME_FRAMES);
  if (nearFrame === null) {
    return nearest(
      name,
      known.filter((target) => !MARKET_IDS.includes(target)),
    );
  }
  const nearAsset = nearest(asset, ASSETS);
  return nearAsset === null ? null : `${nearAsset}_${nearFrame}`;
}

/** Values that are well formed but contradict each other. */
function contradictions(rules: CurrentRules): string[] {
  const mistakes: string[] = [];
  for (const { marketId, lockLeadMs, minStakeCents, maxStakeCents, house } of rules.markets) {
    if (lockLeadMs + rules.cutoffMs >= timeFrameMs(marketOf(marketId))) {
      mistakes.push(
        `${marketId}: lockLeadMs ${lockLeadMs} and cutoffMs ${rules.cutoffMs} leave no time to bet`,
      );
    }
    if (minStakeCents > maxStakeCents) {
      mistakes.push(`${marketId}: minStakeCents ${minStakeCents} is above maxStakeCents ${maxStakeCents}`);
    }
    if (2 * house.seedCents > AMOUNT_CENTS_MAX) {
      mistakes.push(`${marketId}: house.seedCents ${house.seedCents} is too large`);
    }
    if (house.policy === 'fair' && house.clampE6 > rules.feeBps * 100) {
      mistakes.push(
        `${marketId}: house.clampE6 ${house.clampE6} is above the fee of ${rules.feeBps * 100} millionths, so that a sure side would pay`,
      );
    }
  }
  return mistakes;
}
