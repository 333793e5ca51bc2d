/** The rules in force, where each is from, and changes at run time: first shown, then done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { targetsOf } from '../../../../config/compose.js';
import { type RuleValue, valuesOf } from '../../../../engine/model/rules.js';
import type { RulesResource } from '../../../operator/resources/rules.js';
import { changeRule } from '../actions/rules.js';
import { Badge, type Column, Table } from '../parts/basics.js';
import { Filters } from '../parts/field.js';
import { Asked } from '../parts/loaded.js';
import type { Field, Values } from '../state/action.js';
import { ruleText, ruleWords } from '../state/rule-words.js';
import { may } from '../state/session.js';

export const RulesView = (): JSX.Element => (
  <>
    <h1>Rules</h1>
    <p>Rules hold from the next round on. Those of open rounds stay as they are.</p>
    <Asked<RulesResource> path="/rules">
      {(rules, reload) => <RulesSummary rules={rules} onDone={reload} />}
    </Asked>
  </>
);

/** The rules file may also name a market's value by its asset or time frame. */
function namesOf(name: string): string[] {
  const [limits, market = '', ...rest] = name.split('.');
  if (limits !== 'limits') return [name];
  return targetsOf(market).map((target) => ['limits', target, ...rest].join('.'));
}

interface Shown extends RuleValue {
  readonly from: 'default' | 'file' | 'operator';
}

function shownRules({ rules, file, overrides }: RulesResource): Shown[] {
  const names = (layer: object): Set<string> => new Set(valuesOf(layer).map(({ name }) => name));
  const [ofOperator, ofFile] = [names(overrides), names(file)];
  return valuesOf(rules)
    .filter(({ name }) => name !== 'markets' && !name.endsWith('.atMs'))
    .map((rule) => {
      const all = namesOf(rule.name);
      const from = all.some((name) => ofOperator.has(name))
        ? 'operator'
        : all.some((name) => ofFile.has(name))
          ? 'file'
          : 'default';
      return { ...rule, from };
    });
}

const COLUMNS: readonly Column<Shown>[] = [
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
];

const FILTERS: readonly Field[] = [
  { name: 'name', label: 'Part of the name, such as BTC 1 min', kind: 'text' },
  { name: 'changed', label: 'other than the default only', kind: 'flag' },
];

interface SummaryProps {
  readonly rules: RulesResource;
  readonly onDone: () => void;
}

function RulesSummary({ rules, onDone }: SummaryProps): JSX.Element {
  const [wanted, setWanted] = useState<Values>({});
  const { name: part = '', changed = '' } = wanted;
  const isShown = ({ name, from }: Shown): boolean => {
    if (changed !== '' && from === 'default') return false;
    // Seventy markets have many rules: they are shown only where an operator looks for them.
    if (part.trim() === '') return changed !== '' || !name.startsWith('limits.');
    return `${name} ${ruleWords(name)}`.toLowerCase().includes(part.trim().toLowerCase());
  };
  const shown = shownRules(rules).filter(isShown);
  const change = (rule: Shown): JSX.Element => (
    <button type="button" onClick={() => changeRule(rules, rule, onDone)}>
      Change <span class="hidden">{rule.name}</span>
    </button>
  );
  return (
    <>
      <Filters fields={FILTERS} values={wanted} onChange={setWanted} />
      <Table
        caption="Rules"
        rows={shown}
        columns={may('admin') ? [...COLUMNS, ['Action', change]] : COLUMNS}
        keyOf={({ name }) => name}
      />
      {shown.length === 0 && <p class="quiet">No rule is like that.</p>}
    </>
  );
}
