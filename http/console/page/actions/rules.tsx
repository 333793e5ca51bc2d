/**
 * A change of the rules. The server shows what it would change, market by market; then it is done, unless the rules are no longer
 * those that were shown.
 */
import type { JSX } from 'preact';
import type { RuleDifference, RulesDifference } from '../../../../config/preview.js';
import type { RuleValue } from '../../../../engine/model/rules.js';
import type { RulesResource } from '../../../operator/resources/rules.js';
import { begin, type Change, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { count } from '../state/format.js';

/** What the server says of overrides, with these. */
interface Preview extends RulesDifference {
  readonly sequence: number;
  readonly overrides: object;
}

/** Rows of a preview; a change of the defaults may concern each market. */
const ROWS_MAX = 40;

type Shown = RuleValue & { readonly from: string };

export function changeRule(rules: RulesResource, { name, value, from }: Shown, onDone: () => void): void {
  begin({
    title: `Change ${name}`,
    about:
      'The server first shows what this changes, and changes nothing. Left empty, the value of the rules file or the default holds again.',
    fields: [
      {
        name: 'value',
        label: 'New value',
        kind: 'text',
        initial: String(value),
        isOptional: from === 'operator',
      },
    ],
    preview: (values) => {
      const typed = typedIn(values, 'value');
      if (typed === String(value)) return 'Enter another value.';
      if (typed === '' && from !== 'operator') return 'Enter a value.';
      return [
        { what: name, before: String(value), after: typed === '' ? 'as in the file, or the default' : typed },
      ];
    },
    label: 'Show what changes',
    changesNothing: true,
    run: (values) => {
      const typed = typedIn(values, 'value');
      const next = typed === '' ? undefined : typeof value === 'number' ? Number(typed) : typed;
      const overrides = withValue(rules.overrides, name.split('.'), next);
      return operator<Preview>('PUT', '/rules', { overrides, dryRun: true }).then((answer) =>
        answer.ok ? { ...answer, data: { ...answer.data, overrides } } : answer,
      );
    },
    result: (data) => <Previewed name={name} preview={data as Preview} onDone={onDone} />,
    done: '',
    onDone: () => undefined,
  });
}

/** The overrides with another value at these levels, or, for undefined, without one there. */
function withValue(overrides: object, [level = '', ...inner]: readonly string[], value: unknown): object {
  const { [level]: before, ...rest } = overrides as Record<string, unknown>;
  const after = inner.length === 0 ? value : withValue(before instanceof Object ? before : {}, inner, value);
  const isEmpty = after === undefined || (inner.length > 0 && Object.keys(after as object).length === 0);
  return isEmpty ? rest : { ...rest, [level]: after };
}

interface PreviewedProps {
  readonly name: string;
  readonly preview: Preview;
  readonly onDone: () => void;
}

function Previewed({ name, preview, onDone }: PreviewedProps): JSX.Element {
  return (
    <div>
      <p>
        {count(preview.markets.length)} markets and {count(preview.changes.length)} other values would change.
      </p>
      <button type="button" class="primary" onClick={() => putInForce(name, preview, onDone)}>
        Go on
      </button>
    </div>
  );
}

function putInForce(name: string, preview: PreviewedProps['preview'], onDone: () => void): void {
  const rows = rowsOf(preview);
  begin({
    title: `Put ${name} in force`,
    about: 'The new rules are journaled, and hold from the next round on. Open rounds keep theirs.',
    fields: [],
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
    ofMarket.map((change) => row(`${marketId} `, change)),
  ),
];

const row = (before: string, change: RuleDifference): Change => ({
  what: before + change.name,
  before: String(change.before ?? 'none'),
  after: String(change.after ?? 'none'),
});
