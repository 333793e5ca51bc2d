/** What operators have done and were refused, newest first: all of it, or what is looked for. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ACTION_KINDS } from '../../../../engine/model/operators.js';
import type { AuditDetails, AuditEntry } from '../../../operator/resources/audit.js';
import { Badge, type Column } from '../parts/basics.js';
import { List } from '../parts/lists.js';
import { usePaged } from '../parts/loaded.js';
import { isoTimeText } from '../state/format.js';
import { linkTo } from '../state/route.js';

interface Wanted {
  readonly operator: string;
  readonly action: string;
  /** As the browser's field has them, in its own time. */
  readonly from: string;
  readonly to: string;
}

const ALL: Wanted = { operator: '', action: '', from: '', to: '' };

export function AuditView(): JSX.Element {
  const [wanted, setWanted] = useState(ALL);
  const list = usePaged<AuditEntry>(pathOf(wanted));
  return (
    <>
      <h1>Audit</h1>
      <Search onSearch={setWanted} />
      <List
        title="Actions"
        list={list}
        empty="Nobody has done anything like that."
        columns={COLUMNS}
        keyOf={({ seq }, index) => `${seq} ${index}`}
      />
    </>
  );
}

function pathOf({ operator, action, from, to }: Wanted): string {
  const query = new URLSearchParams({ limit: '50' });
  if (operator !== '') query.set('operator', operator);
  if (action !== '') query.set('action', action);
  if (from !== '') query.set('from', new Date(from).toISOString());
  if (to !== '') query.set('to', new Date(to).toISOString());
  return `/audit?${query}`;
}

const REFUSED: readonly string[] = ['roleDenied', 'tokenRefused'];

const COLUMNS: readonly Column<AuditEntry>[] = [
  ['Time', ({ time }) => isoTimeText(time)],
  ['Operator', ({ operator }) => operator ?? <span class="quiet">–</span>],
  ['Action', ({ action }) => (REFUSED.includes(action) ? <Badge tone="bad">{action}</Badge> : action)],
  [
    'Target',
    ({ target }) =>
      target?.startsWith('acc_') ? <a href={linkTo('accounts', target)}>{target}</a> : (target ?? '–'),
  ],
  ['Reason', ({ reason }) => reason ?? '–'],
  ['Details', ({ details }) => detailsText(details)],
  ['~#Sequence', ({ seq }) => seq],
];

/** Such as `amount 5, reference wire-7`. */
function detailsText({ changed = [], ...details }: AuditDetails): string {
  const rules = changed.map(({ name, from, to }) => `${name} ${from ?? 'default'} → ${to ?? 'default'}`);
  const others = Object.entries(details).map(([name, value]) => `${name} ${String(value)}`);
  return [...rules, ...others].join(', ') || '–';
}

function Search({ onSearch }: { readonly onSearch: (wanted: Wanted) => void }): JSX.Element {
  const [typed, setTyped] = useState(ALL);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSearch({ ...typed, operator: typed.operator.trim() });
  };
  const time = (label: string, name: 'from' | 'to'): JSX.Element => (
    <label>
      {label}{' '}
      <input
        type="datetime-local"
        value={typed[name]}
        onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        <label>
          Operator{' '}
          <input
            type="text"
            value={typed.operator}
            autocomplete="off"
            maxLength={64}
            onInput={(event) => setTyped({ ...typed, operator: event.currentTarget.value })}
          />
        </label>
        <label>
          Action{' '}
          <select
            value={typed.action}
            onChange={(event) => setTyped({ ...typed, action: event.currentTarget.value })}
          >
            <option value="">all</option>
            {ACTION_KINDS.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
        </label>
        {time('From (your time)', 'from')}
        {time('To', 'to')}
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
