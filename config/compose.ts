/**
 * Rules in layers: the defaults, a file over them, and operators' changes on top; and whether they make sense together.
 * The two last layers are kept with the rules in the journal, so a later start does not undo what operators have changed.
 */
import { AMOUNT_CENTS_MAX } from '../engine/base/money.js';
import {
  ASSETS,
  assetOf,
  marketOf,
  TIME_FRAMES,
  textAt,
  timeFrameMs,
  timeFrameOf,
} from '../engine/model/domain.js';
import {
  defaultRules,
  type HouseRules,
  type MarketRules,
  type RuleLayers,
  type Rules,
  valuesOf,
} from '../engine/model/rules.js';
import type { RulesOverrides } from './overrides.js';

interface Layers extends RuleLayers {
  readonly file: RulesOverrides;
  readonly operator: RulesOverrides;
}

/** Layers have been checked before they were kept. */
export const layersOf = (rules: Rules | null): Layers =>
  (rules?.layers as Layers | undefined) ?? { file: {}, operator: {} };

/**
 * Names of the values that operators have changed, and of those of the file that thereby do not count. News without a factor or assets
 * says something by that, so the file's news of the same name counts in no part.
 */
export function replacedNames(layers: RuleLayers): ReadonlySet<string> {
  const { file, operator } = layers as Layers;
  const isReplaced = ([name]: readonly [string, unknown]): boolean =>
    Object.hasOwn(operator.news ?? {}, name);
  const news = Object.fromEntries(Object.entries(file.news ?? {}).filter(isReplaced));
  return new Set([...valuesOf(operator), ...valuesOf({ news })].map(({ name }) => name));
}

export function layeredRules(masterSecretFingerprint: string, layers: Layers): Rules {
  const { file, operator } = layers;
  const rules = withOverrides(masterSecretFingerprint, file, operator);
  const isDefault = Object.keys(file).length === 0 && Object.keys(operator).length === 0;
  return isDefault ? rules : { ...rules, layers };
}

/**
 * The default rules with these changes, one layer after the other: a later layer wins, however specific an earlier one
 * is. Within a layer the most specific target wins.
 */
export function withOverrides(masterSecretFingerprint: string, ...layers: readonly RulesOverrides[]): Rules {
  let rules = defaultRules(masterSecretFingerprint);
  let active: readonly string[] | undefined;
  for (const { markets, limits = {}, tiers = {}, lossLimits, news = {}, profiles = {}, ...plain } of layers) {
    active = markets ?? active;
    rules = {
      ...rules,
      ...plain,
      lossLimits: { ...rules.lossLimits, ...lossLimits },
      news: { ...rules.news, ...newsOf(news) },
      profiles: withProfiles(rules.profiles, profiles),
      markets: rules.markets.map((market) => withLimits(market, limits)),
      tiers: rules.tiers.map((tier) => ({ ...tier, ...tiers[tier.tier] })),
    };
  }
  return { ...rules, markets: rules.markets.filter(({ marketId }) => active?.includes(marketId) ?? true) };
}

const newsOf = (news: NonNullable<RulesOverrides['news']>): Rules['news'] =>
  Object.fromEntries(
    Object.entries(news).map(([name, { at, assets = ASSETS, ...own }]) => [
      name,
      { ...own, at, atMs: Date.parse(at), assets },
    ]),
  );

function withProfiles(
  before: Rules['profiles'],
  changes: NonNullable<RulesOverrides['profiles']>,
): Rules['profiles'] {
  const changed = ASSETS.filter((asset) => changes[asset] !== undefined);
  const own = changed.map((asset) => [asset, { ...before[asset], ...changes[asset] }] as const);
  return { ...before, ...Object.fromEntries(own) };
}

function withLimits(rules: MarketRules, limits: NonNullable<RulesOverrides['limits']>): MarketRules {
  const changes = targetsOf(rules.marketId).map((target) => limits[target] ?? {});
  const house: HouseRules = Object.assign({ ...rules.house }, ...changes.map((change) => change.house ?? {}));
  return { ...rules, ...Object.assign({}, ...changes), house };
}

/** The most specific last. */
export function targetsOf(marketId: string): readonly string[] {
  const market = marketOf(marketId);
  return ['*', textAt(TIME_FRAMES, timeFrameOf(market)), textAt(ASSETS, assetOf(market)), marketId];
}

/** Well-formed values that contradict each other: one sentence for all markets that share them. */
export function contradictions(rules: Rules): string[] {
  const marketsBy = new Map<string, string[]>();
  for (const market of rules.markets) {
    for (const mistake of mistakesIn(market, rules)) {
      marketsBy.set(mistake, [...(marketsBy.get(mistake) ?? []), market.marketId]);
    }
  }
  return [...marketsBy].map(([mistake, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `${first}${more}: ${mistake}`;
  });
}

function* mistakesIn(market: MarketRules, rules: Rules): Generator<string, void, undefined> {
  const { marketId, lockLeadMs, minStakeCents, maxStakeCents, house } = market;
  const { cutoffMs, lateOpenBettingMs } = rules;
  // No round could open late, and all begin with one that does: at the first start, and after each void or pause.
  if (lockLeadMs + cutoffMs + lateOpenBettingMs >= timeFrameMs(marketOf(marketId))) {
    yield `lockLeadMs ${lockLeadMs}, cutoffMs ${cutoffMs} and lateOpenBettingMs ${lateOpenBettingMs} leave no time to bet`;
  }
  if (minStakeCents > maxStakeCents) {
    yield `minStakeCents ${minStakeCents} is above maxStakeCents ${maxStakeCents}`;
  }
  if (2 * house.seedCents > AMOUNT_CENTS_MAX) yield `house.seedCents ${house.seedCents} is too large`;
  if (house.policy === 'fair' && house.clampE6 > rules.feeBps * 100) {
    yield `house.clampE6 ${house.clampE6} is above the fee of ${rules.feeBps * 100} millionths, so that a sure side would pay`;
  }
}
