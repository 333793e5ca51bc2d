/** Changes that other rules would make, value by value: for the house as a whole, and for each market. */
import { type MarketRules, type Rules, valuesOf } from '../engine/model/rules.js';

/** null where there is none: a market that is not active has no rules. */
type Value = string | number | null;

export interface RuleDifference {
  readonly name: string;
  readonly before: Value;
  readonly after: Value;
}

interface MarketDifference {
  readonly marketId: string;
  /** A market that is not active opens no further round. */
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

interface RuleChange extends RuleDifference {
  /** Left out if all that are active have it. */
  readonly markets?: readonly string[];
}

/** In one list, each once however many markets have it. A market that begins or ends has only that. */
export function changesOf(before: Rules, after: Rules): readonly RuleChange[] {
  const { changes, markets } = differenceOf(before, after);
  const idsBy = new Map<string, string[]>();
  for (const { marketId, becomes, changes: own } of markets) {
    const isActive = becomes === 'active';
    const switched = { name: 'isActive', before: `${!isActive}`, after: `${isActive}` };
    for (const one of becomes === 'changed' ? own : [switched]) {
      const text = JSON.stringify(one);
      idsBy.set(text, [...(idsBy.get(text) ?? []), marketId]);
    }
  }
  const ofMarkets = [...idsBy].map(([text, ids]): RuleChange => {
    const one = JSON.parse(text) as RuleDifference;
    return ids.length === after.markets.length ? one : { ...one, markets: ids };
  });
  return [...changes, ...ofMarkets];
}

const marketsOf = ({ markets }: Rules): ReadonlyMap<string, MarketRules> =>
  new Map(markets.map((market) => [market.marketId, market]));

type Values = ReadonlyMap<string, string | number>;

/** The values that are no market's. */
function generalValues(rules: Rules): Values {
  const { markets: _markets, masterSecretFingerprint: _secret, layers: _layers, tiers, ...plain } = rules;
  const ofTiers = Object.fromEntries(tiers.map(({ tier, ...own }) => [tier, own]));
  return byName({ ...plain, tiers: ofTiers });
}

/** None for a market that is not active. */
function marketValues(market: MarketRules | undefined): Values {
  if (market === undefined) return new Map();
  const { marketId: _id, ...own } = market;
  return byName(own);
}

const byName = (rules: object): Values =>
  new Map(
    valuesOf(rules).map(({ name, value }) => [name, typeof value === 'object' ? value.join(', ') : value]),
  );

function differing(before: Values, after: Values): RuleDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const difference = { name, before: before.get(name) ?? null, after: after.get(name) ?? null };
    return difference.before === difference.after ? [] : [difference];
  });
}
