/** The rules in force as the operator API shows them: each value with where it is from, in the form of the rules file. */

import { targetsOf } from '../../../config/compose.js';
import { layersOf, overridesOf } from '../../../config/layers.js';
import type { RulesOverrides } from '../../../config/overrides.js';
import { generalValues, marketValues } from '../../../config/preview.js';
import type { Rules, RuleValue } from '../../../engine/model/rules.js';
import { isoText } from '../../wire/wire.js';

export interface ShownRule {
  readonly value: RuleValue['value'];
  /** `operator`: changed at run time. */
  readonly from: 'default' | 'file' | 'operator';
  /** Since when it is this value; null for a default, and where it is not known. */
  readonly since: string | null;
}

/** Shown values by name, in as many levels as the rules file has. */
export interface ShownRules {
  readonly [name: string]: ShownRule | ShownRules;
}

export interface RulesResource {
  readonly rulesVersion: number;
  /** What is in force: `limits` has every active market. */
  readonly rules: ShownRules;
  /** What the file says, if rules are from a file, and what operators have changed. */
  readonly file: RulesOverrides;
  readonly changes: RulesOverrides;
}

type From = Pick<ShownRule, 'from' | 'since'>;
const DEFAULT: From = { from: 'default', since: null };

export function rulesResource(rules: Rules, rulesVersion: number): RulesResource {
  const layers = layersOf(rules);
  const file = new Map(layers.file.map((value) => [value.name, value]));
  const changed = new Map(layers.changes.map((value) => [value.name, value]));
  /** Of the first of these names that a layer has. */
  const fromOf = (names: readonly string[]): From => {
    for (const [layer, from] of [
      [changed, 'operator'],
      [file, 'file'],
    ] as const) {
      const known = names.map((name) => layer.get(name)).find((value) => value !== undefined);
      if (known !== undefined) return { from, since: known.sinceMs === 0 ? null : isoText(known.sinceMs) };
    }
    return DEFAULT;
  };
  const active = rules.markets.map(({ marketId }) => marketId);
  const shown: [string, ShownRule][] = [['markets', { value: active, ...fromOf(['markets']) }]];
  for (const [name, value] of generalValues(rules)) shown.push([name, { value, ...fromOf([name]) }]);
  const limits: [string, ShownRules][] = rules.markets.map((market) => {
    const targets = targetsOf(market.marketId).toReversed();
    const values = [...marketValues(market)].map(([name, value]): [string, ShownRule] => [
      name,
      { value, ...fromOf(targets.map((target) => `limits.${target}.${name}`)) },
    ]);
    return [market.marketId, nested(values)];
  });
  return {
    rulesVersion,
    rules: { ...nested(shown), limits: Object.fromEntries(limits) },
    file: overridesOf(layers.file),
    changes: overridesOf(layers.changes),
  };
}

/** Names with a dot are a level further in. There are at most three levels. */
function nested(values: readonly (readonly [name: string, shown: ShownRule])[]): ShownRules {
  const groups = new Map<string, [string, ShownRule][]>();
  const plain: [string, ShownRule][] = [];
  for (const [name, shown] of values) {
    const cut = name.indexOf('.');
    if (cut < 0) plain.push([name, shown]);
    else
      groups.set(name.slice(0, cut), [
        ...(groups.get(name.slice(0, cut)) ?? []),
        [name.slice(cut + 1), shown],
      ]);
  }
  const inner = Array.from(groups, ([name, own]): [string, ShownRules] => [name, nested(own)]);
  return Object.fromEntries<ShownRule | ShownRules>([...plain, ...inner]);
}
