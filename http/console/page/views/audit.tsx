/** Actions of operators, done and refused, newest first: all, or a selection. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ACTION_KINDS } from '../../../../engine/model/operators.js';
import type { AuditDetails, AuditEntry } from '../../../operator/resources/audit.js';
import { Badge, type Column, Ref } from '../parts/basics.js';
import { Filters } from '../parts/field.js';
import { List } from '../parts/lists.js';
import type { Field, Values } from '../state/action.js';
import { isoOf, isoTimeText, paid } from '../state/format.js';
import { ruleText, ruleWords } from '../state/rule-words.js';
import { queryOf } from './accounts.js';

const FILTERS: readonly Field[] = [
  { name: 'operator', label: 'Operator', kind: 'text' },
  { name: 'action', label: 'Action', kind: 'select', options: [['', 'all'], ...ACTION_KINDS] },
  { name: 'from', label: 'From (UTC)', kind: 'time' },
  { name: 'to', label: 'To', kind: 'time' },
];

export function AuditView(): JSX.Element {
  const [wanted, setWanted] = useState<Values>({});
  const { from = '', to = '', operator = '', ...rest } = wanted;
  const times = { from: from && isoOf(from), to: to && isoOf(to) };
  return (
    <>
      <h1>Audit</h1>
      <Filters fields={FILTERS} values={wanted} onChange={setWanted} />
      <List
        title="Actions"
        path={`/audit?${queryOf({ ...rest, ...times, operator: operator.trim() })}`}
        empty="Nobody has done anything like that."
        columns={COLUMNS}
        keyOf={({ seq }: AuditEntry, index) => `${seq} ${index}`}
      />
    </>
  );
}

const REFUSED: readonly string[] = ['roleDenied', 'tokenRefused'];

const COLUMNS: readonly Column<AuditEntry>[] = [
  ['Time', ({ time }) => isoTimeText(time)],
  ['Operator', ({ operator }) => operator ?? <span class="quiet">–</span>],
  ['Action', ({ action }) => (REFUSED.includes(action) ? <Badge tone="bad">{action}</Badge> : action)],
  ['Target', ({ target }) => <Ref id={target} />],
  ['~Reason', ({ reason }) => reason ?? '–'],
  ['~Details', ({ details }) => detailsText(details)],
];

/** Such as `amount $5.00, reference wire-7`. */
function detailsText({ changed = [], ...details }: AuditDetails): string {
  const rules = changed.map(
    ({ name, from, to }) =>
      `${ruleWords(name)} ${from === null ? 'default' : ruleText(name, from)} → ${to === null ? 'default' : ruleText(name, to)}`,
  );
  const others = Object.entries(details).map(([name, value]) => {
    if (name === 'amount' || name === 'balance') return `${name} ${paid(Number(value))}`;
    return `${name} ${name.endsWith('At') ? isoTimeText(String(value)) : String(value)}`;
  });
  return [...rules, ...others].join(', ') || '–';
}
