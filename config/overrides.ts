/**
 * Differences from other rules (engine/model/rules.ts), as the rules file and operators write them. The names are those
 * of the rules themselves, units included. Nothing is guessed: an unknown name, a market that does not exist or a value
 * out of range is a mistake, told in a sentence.
 */
import typia, { type tags } from 'typia';
import { utcMsOf } from '../engine/base/iso-text.js';
import type { LIST_LIMIT_MAX } from '../engine/model/bet-pages.js';
import {
  ASSETS,
  type Asset,
  MARKET_IDS,
  type STAKE_CENTS_MAX,
  TIME_FRAMES,
  type Tier,
} from '../engine/model/domain.js';
import { describeTypeErrors } from './type-errors.js';

/** Not `uint32`, whose bound an error would not name. */
type UpTo<Max extends number> = number & tags.Type<'uint64'> & tags.Maximum<Max>;
type Count = UpTo<4_294_967_295>;
type CountFromOne = Count & tags.Minimum<1>;
type DurationMs = Count;
type Cents = UpTo<1_000_000_000_000_000>;
type StakeCents = UpTo<typeof STAKE_CENTS_MAX> & tags.Minimum<1>;

type ShareE6 = UpTo<1_000_000>;

interface HouseOverrides {
  readonly policy?: 'fair' | 'fixed';
  readonly seedCents?: Cents & tags.Minimum<1>;
  readonly shadeE6?: ShareE6;
  readonly clampE6?: ShareE6;
}

interface MarketOverrides {
  readonly lockLeadMs?: DurationMs & tags.Minimum<1>;
  readonly minStakeCents?: StakeCents;
  readonly maxStakeCents?: StakeCents;
  readonly house?: HouseOverrides;
  readonly maxPriceAgeMs?: DurationMs & tags.Minimum<1>;
  readonly quoteAgeMs?: DurationMs & tags.Minimum<1>;
}

type Factor = number & tags.ExclusiveMinimum<0> & tags.Maximum<100>;
/** A time of UTC, to the minute. */
type UtcMinute = string & tags.Pattern<'^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z$'>;

interface NewsOverrides {
  readonly at: UtcMinute;
  readonly minutes: UpTo<10_080> & tags.Minimum<1>;
  /** All if absent. */
  readonly assets?: readonly Asset[] & tags.MinItems<1> & tags.UniqueItems;
  readonly factor?: Factor;
}

interface ProfileOverrides {
  readonly hours?: readonly Factor[] & tags.MinItems<24> & tags.MaxItems<24>;
  readonly weekdays?: readonly Factor[] & tags.MinItems<7> & tags.MaxItems<7>;
}

interface TierOverrides {
  readonly maxStakeCents?: Cents;
  readonly activeKeysMax?: Count;
}

/** Anything left out stays as it is. */
export interface RulesOverrides {
  /** Ids of the active markets; all 70 if absent. */
  readonly markets?: readonly string[];
  /**
   * Rules of markets by target: `*` (all), a time frame, an asset, or a market id; the most specific wins, in this
   * order.
   */
  readonly limits?: { readonly [target: string]: MarketOverrides };
  readonly tiers?: { readonly [tier in Tier]?: TierOverrides };
  readonly feeBps?: UpTo<9_999>;
  readonly lossLimits?: {
    readonly marketCents?: Cents & tags.Minimum<1>;
    readonly assetCents?: Cents & tags.Minimum<1>;
    readonly allCents?: Cents & tags.Minimum<1>;
  };
  /** By name. */
  readonly news?: { readonly [name: string]: NewsOverrides };
  readonly profiles?: { readonly [asset: string]: ProfileOverrides };
  readonly cutoffMs?: DurationMs;
  readonly slippageE2?: UpTo<10_000>;
  readonly lateOpenBettingMs?: DurationMs;
  readonly openBetsMax?: CountFromOne;
  readonly historyBetsMax?: Count & tags.Minimum<typeof LIST_LIMIT_MAX>;
  readonly settledRoundsMax?: CountFromOne;
  readonly idempotencyEntriesMax?: CountFromOne;
}

type CheckedOverrides =
  | { readonly success: true; readonly overrides: RulesOverrides }
  | { readonly success: false; readonly mistakes: readonly string[] };

const validateOverrides = typia.createValidateEquals<RulesOverrides>();

export function checkOverrides(value: unknown): CheckedOverrides {
  const checked = validateOverrides(value);
  if (!checked.success) return { success: false, mistakes: describeTypeErrors(checked.errors) };
  const mistakes = unknownTargets(checked.data);
  return mistakes.length > 0 ? { success: false, mistakes } : { success: true, overrides: checked.data };
}

function unknownTargets(overrides: RulesOverrides): string[] {
  const targets = ['*', ...TIME_FRAMES, ...ASSETS, ...MARKET_IDS];
  const named = (list: readonly string[], known: readonly string[], field: string): string[] =>
    list.filter((name) => !known.includes(name)).map((name) => `${field}: "${name}" does not exist`);
  return [
    ...named(overrides.markets ?? [], MARKET_IDS, 'markets'),
    ...named(Object.keys(overrides.limits ?? {}), targets, 'limits'),
    ...named(Object.keys(overrides.profiles ?? {}), ASSETS, 'profiles'),
    ...Object.entries(overrides.news ?? {}).flatMap(([name, { at }]) => [
      ...(Number.isNaN(utcMsOf(at)) ? [`news.${name}.at: ${at} does not exist`] : []),
      ...(name.isWellFormed() ? [] : [`news: ${JSON.stringify(name)} has half a surrogate pair`]),
    ]),
  ];
}
