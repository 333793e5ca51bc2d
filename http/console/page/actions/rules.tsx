/**
 * A change of the rules. The server first shows its effects, market by market; then it is done, unless the rules are no
 * longer those that were shown.
 */
import type { RuleDifference, RulesDifference } from '../../../../config/preview.js';
import type { RuleValue } from '../../../../engine/model/rules.js';
import type { RulesResource } from '../../../operator/resources/rules.js';
import { begin, type Change, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { marketName } from '../state/format.js';
import { ruleText, ruleWords, unitOf } from '../state/rule-words.js';

/** The answer to a dry run, for these overrides. */
interface Preview extends RulesDifference {
  readonly sequence: number;
  readonly overrides: object;
}

/** A change of the defaults may concern each market. */
const ROWS_MAX = 40;

type Shown = RuleValue & { readonly from: string };

export function changeRule(rules: RulesResource, { name, value, from }: Shown, onDone: () => void): void {
  const unit = unitOf(name);
  const isNumber = typeof value === 'number';
  const initial = isNumber ? String(value / unit.factor) : String(value);
  begin({
    title: `Change ${ruleWords(name)}`,
    about:
      'The server first shows what this changes, and changes nothing. Left empty, the value of the rules file or the default holds again.',
    fields: [
      {
        name: 'value',
        label: unit.text === '' ? 'New value' : `New value in ${unit.text}`,
        kind: 'text',
        initial,
        isOptional: from === 'operator',
      },
    ],
    preview: (values) => {
      const typed = typedIn(values, 'value');
      if (typed === initial) return 'Enter another value.';
      if (typed === '' && from !== 'operator') return 'Enter a value.';
      if (isNumber && typed !== '' && Number.isNaN(Number(typed))) return 'Enter a number.';
      const after = typed === '' ? 'as in the file, or the default' : ruleText(name, ruleOf(typed));
      return [[ruleWords(name), ruleText(name, value), after]];
    },
    label: 'Show what changes',
    changesNothing: true,
    run: (values) => {
      const typed = typedIn(values, 'value');
      const next = typed === '' ? undefined : ruleOf(typed);
      const overrides = withValue(rules.overrides, name.split('.'), next);
      return operator<Preview>('PUT', '/rules', { overrides, dryRun: true }).then((answer) =>
        answer.ok ? { ...answer, data: { ...answer.data, overrides } } : answer,
      );
    },
    result: (data) => (
      <button type="button" class="primary" onClick={() => putInForce(name, data as Preview, onDone)}>
        Go on
      </button>
    ),
    done: '',
  });
  // Whole numbers stay whole: 0.29 * 100 is not 29.
  function ruleOf(typed: string): string | number {
    return isNumber ? Math.round(Number(typed) * unit.factor * 1e6) / 1e6 : typed;
  }
}

/** The overrides with another value at these levels, or, for undefined, without one there. */
function withValue(overrides: object, [level = '', ...inner]: readonly string[], value: unknown): object {
  const { [level]: before, ...rest } = overrides as Record<string, unknown>;
  const after = inner.length === 0 ? value : withValue(before instanceof Object ? before : {}, inner, value);
  const isEmpty = after === undefined || (inner.length > 0 && Object.keys(after as object).length === 0);
  return isEmpty ? rest : { ...rest, [level]: after };
}

function putInForce(name: string, preview: Preview, onDone: () => void): void {
  const rows = rowsOf(preview);
  begin({
    title: `Put in force: ${ruleWords(name)}`,
    about: 'The new rules are journaled, and hold from the next round on. Open rounds keep theirs.',
    preview: () => rows.slice(0, ROWS_MAX),
    label: rows.length > ROWS_MAX ? `Put these and ${rows.length - ROWS_MAX} more in force` : 'Put in force',
    isDangerous: true,
    run: (_, reason) =>
      operator(
        'PUT',
        '/rules',
        { overrides: preview.overrides, reason },
        { 'If-Match': `"${preview.sequence}"` },
      ),
    done: 'The rules are in force.',
    onDone,
  });
}

const rowsOf = ({ changes, markets }: RulesDifference): Change[] => [
  ...changes.map((change) => row('', change)),
  ...markets.flatMap(({ marketId, changes: ofMarket }) =>
    ofMarket.map((change) => row(`${marketName(marketId)}: `, change)),
  ),
];

const row = (whose: string, { name, before, after }: RuleDifference): Change => [
  whose + ruleWords(name),
  ruleText(name, before),
  ruleText(name, after),
];
