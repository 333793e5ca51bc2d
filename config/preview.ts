/** Changes that other rules would make, value by value: for the house as a whole, and for each market. */
import { type HouseRules, type MarketRules, type Rules, valuesOf } from '../engine/model/rules.js';

/** null where there is none: a market that is not active has no rules. */
type Value = string | number | null;

export interface RuleDifference {
  readonly name: string;
  readonly before: Value;
  readonly after: Value;
}

export interface MarketDifference {
  readonly marketId: string;
  /** What becomes of the market: a market that is not active opens no further round. */
  readonly becomes: 'active' | 'inactive' | 'changed';
  readonly changes: readonly RuleDifference[];
}

export interface RulesDifference {
  readonly changes: readonly RuleDifference[];
  readonly markets: readonly MarketDifference[];
}

export function differenceOf(before: Rules, after: Rules): RulesDifference {
  const [earlier, later] = [marketsOf(before), marketsOf(after)];
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].sort();
  return {
    changes: differing(generalValues(before), generalValues(after)),
    markets: ids.flatMap((marketId) => {
      const [was, is] = [earlier.get(marketId), later.get(marketId)];
      const changes = differing(marketValues(was), marketValues(is));
      if (changes.length === 0) return [];
      const becomes = was === undefined ? 'active' : is === undefined ? 'inactive' : 'changed';
      return [{ marketId, becomes, changes }];
    }),
  };
}

const marketsOf = ({ markets }: Rules): ReadonlyMap<string, MarketRules> =>
  new Map(markets.map((market) => [market.marketId, market]));

/** The values that are no market's, by name. */
function generalValues(rules: Rules): ReadonlyMap<string, string | number> {
  const {
    markets: _markets,
    tiers,
    lossLimits,
    news,
    profiles,
    masterSecretFingerprint: _secret,
    layers: _layers,
    ...plain
  } = rules;
  const ofTiers = tiers.flatMap(({ tier, ...own }) =>
    Object.entries(own).map(([name, value]) => [`tiers.${tier}.${name}`, value] as const),
  );
  const nested = valuesOf({ lossLimits, news, profiles }).map(
    ({ name, value }) => [name, typeof value === 'object' ? value.join(', ') : value] as const,
  );
  return new Map([...Object.entries(plain), ...ofTiers, ...nested]);
}

/** By name; none for a market that is not active. */
function marketValues(market: MarketRules | undefined): ReadonlyMap<string, string | number> {
  if (market === undefined) return new Map();
  const { lockLeadMs, minStakeCents, maxStakeCents, maxPriceAgeMs, quoteAgeMs } = market;
  const { policy, seedCents, shadeE6, clampE6 }: HouseRules = market.house;
  return new Map<string, string | number>([
    ...Object.entries({ lockLeadMs, minStakeCents, maxStakeCents, maxPriceAgeMs, quoteAgeMs }),
    ...Object.entries({
      'house.policy': policy,
      'house.seedCents': seedCents,
      'house.shadeE6': shadeE6,
      'house.clampE6': clampE6,
    }),
  ]);
}

function differing(
  before: ReadonlyMap<string, string | number>,
  after: ReadonlyMap<string, string | number>,
): RuleDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const difference = { name, before: before.get(name) ?? null, after: after.get(name) ?? null };
    return difference.before === difference.after ? [] : [difference];
  });
}
