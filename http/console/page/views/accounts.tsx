/** Accounts by number: all, a selection, or those that the search box finds. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { MARKET_IDS, TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/resources/accounts.js';
import { createAccount } from '../actions/accounts.js';
import { type Column, FrozenBadge, Ref } from '../parts/basics.js';
import { Filters } from '../parts/field.js';
import { List } from '../parts/lists.js';
import type { Field, Values } from '../state/action.js';
import { marketName, paid } from '../state/format.js';
import { may } from '../state/session.js';

const FILTERS: readonly Field[] = [
  { name: 'tier', label: 'Tier', kind: 'select', options: [['', 'all'], ...TIERS] },
  { name: 'frozen', label: 'frozen only', kind: 'flag' },
];

export function AccountsView(): JSX.Element {
  const [wanted, setWanted] = useState<Values>({});
  return (
    <>
      <h1>Accounts</h1>
      {may('support') && (
        <div class="buttons">
          <button type="button" class="primary" onClick={createAccount}>
            Create account
          </button>
        </div>
      )}
      <Filters fields={FILTERS} values={wanted} onChange={setWanted} />
      <Accounts wanted={wanted} />
    </>
  );
}

const COLUMNS: readonly Column<AccountResource>[] = [
  ['Account', ({ id }) => <Ref id={id} />],
  ['Name', ({ name }) => name ?? '–'],
  ['Tier', ({ tier }) => tier],
  ['#Balance', ({ balance }) => paid(balance)],
  ['State', ({ frozen }) => <FrozenBadge isFrozen={frozen} />],
];

const Accounts = ({ wanted }: { readonly wanted: Values }): JSX.Element => (
  <List
    title="Found"
    path={`/accounts?${queryOf(wanted)}`}
    empty="No account is like that."
    columns={COLUMNS}
    keyOf={({ id }: AccountResource) => id}
  />
);

export const queryOf = (wanted: Values): string =>
  String(
    new URLSearchParams({
      limit: '50',
      ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '')),
    }),
  );

/** For a text in the search box that is no id. */
export function SearchView({ text }: { readonly text: string }): JSX.Element {
  const markets = MARKET_IDS.filter((id) => marketName(id).toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <h1>“{text}”</h1>
      {markets.length > 0 && (
        <section>
          <h2>Markets</h2>
          {markets.map((id) => (
            <p key={id}>
              <Ref id={id} />
            </p>
          ))}
        </section>
      )}
      <Accounts wanted={{ name: text }} />
    </>
  );
}
