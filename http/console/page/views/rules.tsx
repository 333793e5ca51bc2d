/** The rules in force, where each is from, and changes at run time: first shown, then done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { replacedNames, targetsOf } from '../../../../config/compose.js';
import { valuesOf } from '../../../../engine/model/rules.js';
import type { RulesResource } from '../../../operator/rules.js';
import { changeRule, isShown, type ShownRule } from '../actions/rules.js';
import { Act } from '../parts/action.js';
import { Badge } from '../parts/basics.js';
import { type Field, Filters, type Values } from '../parts/field.js';
import { Table } from '../parts/list.js';
import { Query } from '../parts/loaded.js';
import { ruleText, ruleWords } from '../state/rule-words.js';

const FILTERS: readonly Field[] = [
  { name: 'name', label: 'Part of the name, such as BTC 1 min' },
  { name: 'changed', label: 'other than the default only', kind: 'flag' },
];

/** More rows are no help to anybody who looks for one, and slow the page down. */
const ROWS_MAX = 100;

/** Others change them, too. */
const RULES_EVERY_MS = 5_000;

export function RulesView(): JSX.Element {
  const [wanted, setWanted] = useState<Values>({});
  return (
    <>
      <h1>Rules</h1>
      <p>Rules hold from the next round on. Those of open and UPCOMING rounds stay as they are.</p>
      <Filters fields={FILTERS} values={wanted} onChange={setWanted} />
      <Query<RulesResource> path="/rules" everyMs={RULES_EVERY_MS}>
        {(rules, reload) => (
          <Found
            rules={rules}
            rows={shownRules(rules).filter((rule) => isWanted(rule, wanted))}
            reload={reload}
          />
        )}
      </Query>
    </>
  );
}

interface FoundProps {
  readonly rules: RulesResource;
  readonly rows: readonly ShownRule[];
  readonly reload: () => void;
}

const Found = ({ rules, rows, reload }: FoundProps): JSX.Element => (
  <>
    <Table
      caption="Rules"
      rows={rows.slice(0, ROWS_MAX)}
      empty="No rule is like that."
      columns={[
        [
          '~Rule',
          ({ name }) => (
            <>
              {ruleWords(name)} <code>{name}</code>
            </>
          ),
        ],
        ['#Value', ({ name, value }) => ruleText(name, value)],
        ['From', ({ from }) => (from === 'operator' ? <Badge tone="warn">operator</Badge> : from)],
        ['Action', (rule) => <Act action={changeRule(rules, rule)} onDone={reload} />, 'admin'],
      ]}
    />
    {rows.length > ROWS_MAX && (
      <p role="status">{rows.length - ROWS_MAX} more rules are like that: type more of the name.</p>
    )}
  </>
);

function shownRules({ rules, file, overrides }: RulesResource): ShownRule[] {
  const ofOperator = replacedNames({ file, operator: overrides });
  const ofFile = new Set(valuesOf(file).map(({ name }) => name));
  return valuesOf(rules)
    .filter((rule) => rule.name !== 'markets' && isShown(rule))
    .map((rule) => {
      const all = namesOf(rule.name);
      if (all.some((name) => ofOperator.has(name))) return { ...rule, from: 'operator' };
      return { ...rule, from: all.some((name) => ofFile.has(name)) ? 'file' : 'default' };
    });
}

/** The rules file may also name a market's value by its asset or time frame. */
function namesOf(name: string): string[] {
  const [limits, market = '', ...rest] = name.split('.');
  if (limits !== 'limits') return [name];
  return targetsOf(market).map((target) => ['limits', target, ...rest].join('.'));
}

function isWanted({ name, from }: ShownRule, { name: typed = '', changed = '' }: Values): boolean {
  const part = typed.trim().toLowerCase();
  if (changed !== '' && from === 'default') return false;
  // Seventy markets have many rules: they are shown only where an operator looks for them.
  if (part === '') return changed !== '' || !name.startsWith('limits.');
  return `${name} ${ruleWords(name)}`.toLowerCase().includes(part);
}
