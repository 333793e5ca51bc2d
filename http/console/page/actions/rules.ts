/**
 * A change of the rules. The server first shows its effects, market by market; then it is done, unless the rules are no
 * longer those that were shown.
 */
import type { RuleDifference, RulesDifference } from '../../../../config/preview.js';
import type { RuleValue } from '../../../../engine/model/rules.js';
import type { Action, Change } from '../parts/action.js';
import { marketName } from '../state/format.js';
import { ruleText, ruleWords, unitOf } from '../state/rule-words.js';

/** The answer to a dry run. */
interface Preview extends RulesDifference {
  readonly sequence: number;
}

export interface ShownRule extends RuleValue {
  readonly from: 'default' | 'file' | 'operator';
}

export function changeRule(overrides: object, { name, value, from }: ShownRule): Action {
  const { text, factor } = unitOf(name);
  const isNumber = typeof value === 'number';
  const initial = isNumber ? String(value / factor) : String(value);
  // Whole numbers stay whole: 0.29 * 100 is not 29.
  const ruleOf = (typed: string): string | number =>
    isNumber ? Math.round(Number(typed) * factor * 1e6) / 1e6 : typed;
  const overridesWith = (typed: string): object =>
    withValue(overrides, name.split('.'), typed === '' ? undefined : ruleOf(typed));
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
      if (isNumber && typed !== '' && Number.isNaN(Number(typed))) return 'Enter a number.';
      const after = typed === '' ? 'as in the file, or the default' : ruleText(name, ruleOf(typed));
      return [[ruleWords(name), ruleText(name, value), after]];
    },
    request: ({ value: typed = '' }) => ['PUT', '/rules', { overrides: overridesWith(typed), dryRun: true }],
    next: (data, { value: typed = '' }) => putInForce(overridesWith(typed), data as Preview),
  };
}

/** The overrides with another value at these levels, or, for undefined, without one there. */
function withValue(overrides: object, [level = '', ...inner]: readonly string[], value: unknown): object {
  const { [level]: before, ...rest } = overrides as Record<string, unknown>;
  const after = inner.length === 0 ? value : withValue(before instanceof Object ? before : {}, inner, value);
  const isEmpty = after === undefined || (inner.length > 0 && Object.keys(after as object).length === 0);
  return isEmpty ? rest : { ...rest, [level]: after };
}

const putInForce = (overrides: object, { sequence, changes, markets }: Preview): Action => ({
  role: 'admin',
  verb: 'Put in force',
  about: 'The new rules are journaled, and hold from the next round on. Open rounds keep theirs.',
  // A change of the defaults may concern each market.
  preview: () => [
    ...changes.map((change) => rowOf('', change)),
    ...markets.flatMap(({ marketId, changes: ofMarket }) =>
      ofMarket.map((change) => rowOf(`${marketName(marketId)}: `, change)),
    ),
  ],
  isDangerous: true,
  request: () => ['PUT', '/rules', { overrides }, { 'If-Match': `"${sequence}"` }],
});

const rowOf = (whose: string, { name, before, after }: RuleDifference): Change => [
  whose + ruleWords(name),
  ruleText(name, before),
  ruleText(name, after),
];
