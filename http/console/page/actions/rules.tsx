/**
 * A change of the rules. The server shows what it would change, market by market, and gives a tag for just that; with the tag it is
 * done, unless anything is no longer as it was shown.
 */
import type { JSX } from 'preact';
import type { RuleDifference, RulesDifference } from '../../../../config/preview.js';
import type { ShownRule } from '../../../operator/resources/rules.js';
import { begin, type Change, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { count } from '../state/format.js';

/** Of `PATCH /rules`. */
interface Preview extends RulesDifference {
  readonly tag: string;
}
type Changes = Readonly<Record<string, unknown>>;
/** With what was asked for. */
interface Asked extends Preview {
  readonly asked: Changes;
}

/** Rows of a preview; a change of the defaults may concern each market. */
const ROWS_MAX = 40;

/** `name` has its levels separated by dots, as the list shows it. */
export function changeRule(name: string, { value, from }: ShownRule, onDone: () => void): void {
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
      const changes = changesOf(name, typedIn(values, 'value'), value);
      return operator<Preview>('PATCH', '/rules', { changes, dryRun: true }).then((answer) =>
        answer.ok ? { ...answer, data: { ...answer.data, asked: changes } } : answer,
      );
    },
    result: (data) => <Previewed name={name} preview={data as Asked} onDone={onDone} />,
    done: '',
    onDone: () => undefined,
  });
}

/** The change in the form of the rules file. */
function changesOf(name: string, typed: string, before: ShownRule['value']): Changes {
  const value = typed === '' ? null : typeof before === 'number' ? Number(typed) : typed;
  const levels = name.split('.');
  return levels.reduceRight<unknown>((inner, level) => ({ [level]: inner }), value) as Changes;
}

interface PreviewedProps {
  readonly name: string;
  readonly preview: Asked;
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
    run: (_, reason) => operator('PATCH', '/rules', { changes: preview.asked, tag: preview.tag, reason }),
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
