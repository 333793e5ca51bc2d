/** Actions of operators, done and refused, newest first: all, or a selection. */
import type { JSX } from 'preact';
import { ACTION_KINDS } from '../../../../engine/model/operators.js';
import type { AuditDetails, AuditEntry } from '../../../operator/audit.js';
import { Badge, Ref } from '../parts/basics.js';
import type { Field } from '../parts/field.js';
import { List } from '../parts/list.js';
import { paid, timeText } from '../state/format.js';
import { ruleText, ruleWords } from '../state/rule-words.js';

const FILTERS: readonly Field[] = [
  { name: 'operator', label: 'Operator' },
  { name: 'action', label: 'Action', options: [['', 'all'], ...ACTION_KINDS] },
  { name: 'from', label: 'From (UTC)', kind: 'time' },
  { name: 'to', label: 'To', kind: 'time' },
];
const REFUSED: readonly string[] = ['roleDenied', 'tokenRefused'];

export const AuditView = (): JSX.Element => (
  <>
    <h1>Audit</h1>
    <List<AuditEntry>
      title="Actions"
      path="/audit"
      filters={FILTERS}
      empty="Nobody has done anything like that."
      columns={[
        ['Time', ({ time }) => timeText(time)],
        ['Operator', ({ operator }) => operator ?? '–'],
        ['Action', ({ action }) => (REFUSED.includes(action) ? <Badge tone="bad">{action}</Badge> : action)],
        ['Target', ({ target }) => <Ref id={target} />],
        ['~Reason', ({ reason }) => reason ?? '–'],
        ['~Details', ({ details }) => detailsText(details)],
      ]}
    />
  </>
);

/** Such as `amount $5.00, reference wire-7`. */
function detailsText({ changed = [], ...details }: AuditDetails): string {
  const rules = changed.map(({ name, from, to }) => {
    const [before, after] = [from, to].map((value) => (value === null ? 'default' : ruleText(name, value)));
    return `${ruleWords(name)} ${before} → ${after}`;
  });
  const others = Object.entries(details).map(([name, value]) => {
    if (name === 'amount' || name === 'balance') return `${name} ${paid(Number(value))}`;
    return `${name} ${name.endsWith('At') ? timeText(String(value)) : String(value)}`;
  });
  return [...rules, ...others].join(', ') || '–';
}
