/** The rules in force, where each is from, and changes at run time: first shown, then done. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { targetsOf } from '../../../../config/compose.js';
import { type RuleValue, valuesOf } from '../../../../engine/model/rules.js';
import type { RulesResource } from '../../../operator/resources/rules.js';
import { changeRule } from '../actions/rules.js';
import { Badge, type Column, Loading, Table } from '../parts/basics.js';
import { useLoaded } from '../parts/loaded.js';
import { may } from '../state/session.js';

export function RulesView(): JSX.Element {
  const { data, error, reload } = useLoaded<RulesResource>('/rules');
  return (
    <>
      <h1>Rules</h1>
      <p>Rules hold from the next round on. Those of open rounds stay as they are.</p>
      {data === null ? <Loading error={error} /> : <RulesSummary rules={data} onDone={reload} />}
    </>
  );
}

/** By how the rules file may name a value: a market's by its asset or time frame, too. */
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
    .filter(({ name }) => name !== 'markets')
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
  ['Rule', ({ name }) => name],
  ['#Value', ({ value }) => String(value)],
  ['From', ({ from }) => (from === 'operator' ? <Badge tone="warn">operator</Badge> : from)],
];

function RulesSummary({
  rules,
  onDone,
}: {
  readonly rules: RulesResource;
  readonly onDone: () => void;
}): JSX.Element {
  const [wanted, setWanted] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const isShown = ({ name, from }: Shown): boolean => {
    if (isChangedOnly && from === 'default') return false;
    // Seventy markets have many: they are shown where they are looked for.
    return wanted === '' ? isChangedOnly || !name.startsWith('limits.') : name.toLowerCase().includes(wanted);
  };
  const shown = shownRules(rules).filter(isShown);
  const change = (rule: Shown): JSX.Element => (
    <button type="button" onClick={() => changeRule(rules, rule, onDone)}>
      Change <span class="hidden">{rule.name}</span>
    </button>
  );
  return (
    <>
      <fieldset class="filters">
        <legend class="hidden">Show</legend>
        <label>
          Part of the name, such as BTC_ONE_MINUTE{' '}
          <input
            type="text"
            value={wanted}
            autocomplete="off"
            onInput={(event) => setWanted(event.currentTarget.value.trim().toLowerCase())}
          />
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={isChangedOnly}
            onChange={(event) => setChangedOnly(event.currentTarget.checked)}
          />
          other than the default only
        </label>
      </fieldset>
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
