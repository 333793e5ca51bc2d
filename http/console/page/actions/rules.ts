/**
 * A change of the rules. The server first shows its effects, market by market; then it is done, unless the rules are no
 * longer those that were shown.
 */
import type { RuleDifference } from '../../../../config/preview.js';
import type { NewsRule, RuleValue } from '../../../../engine/model/rules.js';
import type { RulesChange, RulesResource } from '../../../operator/rules.js';
import type { Action, Change } from '../parts/action.js';
import { marketName } from '../state/format.js';
import { ruleText, ruleWords, unitOf } from '../state/rule-words.js';

export interface ShownRule extends RuleValue {
  readonly from: 'default' | 'file' | 'operator';
}

export function changeRule(seen: RulesResource, { name, value, from }: ShownRule): Action {
  const { text, factor } = unitOf(name);
  const initial = typeof value === 'number' ? String(value / factor) : [value].flat().join(', ');
  const ruleOf = (typed: string): RuleValue['value'] => {
    // Whole numbers stay whole: 0.29 * 100 is not 29.
    if (typeof value === 'number') return Math.round(Number(typed) * factor * 1e6) / 1e6;
    if (typeof value === 'string') return typed;
    const parts = typed.split(',').map((part) => part.trim());
    return typeof value[0] === 'number' ? parts.map(Number) : parts;
  };
  const overridesWith = (typed: string): object =>
    changed(seen, name, typed === '' ? undefined : ruleOf(typed));
  return {
    role: 'admin',
    verb: 'Change',
    target: name,
    about:
      'The server first shows what this changes, and changes nothing. Left empty, the value of the rules file or the default holds again.',
    fields: [
      {
        name: 'value',
        label: text === '' ? 'New value' : `New value in ${text}`,
        initial,
        isOptional: from === 'operator',
      },
    ],
    preview: ({ value: typed = '' }) => {
      if (typed === initial) return 'Enter another value.';
      if (typed === '' && from !== 'operator') return 'Enter a value.';
      if ([ruleOf(typed)].flat().includes(Number.NaN)) return 'Enter a number.';
      if (name.endsWith('.at') && Number.isNaN(Date.parse(typed || initial)))
        return 'Enter a time such as 2099-01-01T13:30Z.';
      const after = typed === '' ? 'as in the file, or the default' : ruleText(name, ruleOf(typed));
      return [[ruleWords(name), ruleText(name, value), after]];
    },
    request: ({ value: typed = '' }) => [
      'PUT',
      '/rules',
      { overrides: overridesWith(typed), dryRun: true },
      ifStill(seen),
    ],
    next: (data, { value: typed = '' }) => putInForce(overridesWith(typed), data as RulesChange),
  };
}

/** The overrides with another value of the rule; an override of news or of a profile has all of it. */
function changed({ overrides, rules }: RulesResource, name: string, value: unknown): object {
  const [, kind, whose = '', field = ''] = /^(news|profiles)\.(.*)\.(\w+)$/.exec(name) ?? [];
  if (kind === undefined) return withValue(overrides, name.split('.'), value);
  const inForce = rules[kind as 'news' | 'profiles'] as Readonly<Record<string, Partial<NewsRule>>>;
  const { atMs: _, ...own } = inForce[whose] ?? {};
  return withValue(overrides, [kind, whose], value === undefined ? undefined : { ...own, [field]: value });
}

const ifStill = ({ sequence }: Pick<RulesResource, 'sequence'>) => ({ 'If-Match': `"${sequence}"` });

/** The overrides with another value at these levels, or, for undefined, without one there. */
function withValue(overrides: object, [level = '', ...inner]: readonly string[], value: unknown): object {
  const { [level]: before, ...rest } = overrides as Record<string, unknown>;
  const after = inner.length === 0 ? value : withValue(before instanceof Object ? before : {}, inner, value);
  const isEmpty = after === undefined || (inner.length > 0 && Object.keys(after as object).length === 0);
  return isEmpty ? rest : { ...rest, [level]: after };
}

const putInForce = (overrides: object, preview: RulesChange): Action => ({
  role: 'admin',
  verb: 'Put in force',
  about:
    'The new rules are journaled, and hold from the next round on. Open and UPCOMING rounds keep theirs.',
  // A change of the defaults may concern each market.
  preview: () => [
    ...preview.changes.filter(isShown).map((change) => rowOf('', change)),
    ...preview.markets.flatMap(({ marketId, changes: ofMarket }) =>
      ofMarket.map((change) => rowOf(`${marketName(marketId)}: `, change)),
    ),
  ],
  isDangerous: true,
  request: () => ['PUT', '/rules', { overrides }, ifStill(preview)],
});

/** The same time again, as a number. */
export const isShown = ({ name }: { readonly name: string }): boolean => !name.endsWith('.atMs');

const rowOf = (whose: string, { name, before, after }: RuleDifference): Change => [
  whose + ruleWords(name),
  ruleText(name, before),
  ruleText(name, after),
];
