/** Accounts, by number: all of them, or those that are looked for. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/resources/accounts.js';
import { createAccount } from '../actions/accounts.js';
import { type Column, FrozenBadge } from '../parts/basics.js';
import { List } from '../parts/lists.js';
import { usePaged } from '../parts/loaded.js';
import { centsOf, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';

interface Wanted {
  readonly name: string;
  readonly tier: string;
  readonly frozen: string;
}

const ALL: Wanted = { name: '', tier: '', frozen: '' };
/** An account's id, or its number alone. */
const ID = /^(?:acc_)?([1-9]\d{0,14})$/;

export function AccountsView(): JSX.Element {
  const [wanted, setWanted] = useState(ALL);
  const list = usePaged<AccountResource>(pathOf(wanted));
  const search = (next: Wanted): void => {
    const [, number] = ID.exec(next.name) ?? [];
    if (number === undefined) setWanted(next);
    else location.hash = linkTo('accounts', `acc_${number}`);
  };
  return (
    <>
      <h1>Accounts</h1>
      {may('support') && (
        <div class="buttons start">
          <button type="button" class="primary" onClick={() => createAccount(list.reload)}>
            Create account
          </button>
        </div>
      )}
      <Search onSearch={search} />
      <List
        title="Found"
        list={list}
        empty="No account is like that."
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function pathOf({ name, tier, frozen }: Wanted): string {
  const query = new URLSearchParams({ limit: '50' });
  for (const [field, value] of Object.entries({ name, tier, frozen }))
    if (value !== '') query.set(field, value);
  return `/accounts?${query}`;
}

const COLUMNS: readonly Column<AccountResource>[] = [
  ['Account', ({ id }) => <a href={linkTo('accounts', id)}>{id}</a>],
  ['Name', ({ name }) => name ?? '–'],
  ['Tier', ({ tier }) => tier],
  ['#Balance', ({ balance }) => usd(centsOf(balance))],
  ['State', ({ frozen }) => <FrozenBadge isFrozen={frozen} />],
];

/** A name searches; an id opens its account. */
function Search({ onSearch }: { readonly onSearch: (wanted: Wanted) => void }): JSX.Element {
  const [typed, setTyped] = useState(ALL);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSearch({ ...typed, name: typed.name.trim() });
  };
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        <label>
          Id or part of the name{' '}
          <input
            type="text"
            value={typed.name}
            autocomplete="off"
            maxLength={100}
            onInput={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
          />
        </label>
        <label>
          Tier{' '}
          <select
            value={typed.tier}
            onChange={(event) => setTyped({ ...typed, tier: event.currentTarget.value })}
          >
            <option value="">all</option>
            {TIERS.map((tier) => (
              <option key={tier}>{tier}</option>
            ))}
          </select>
        </label>
        <label>
          State{' '}
          <select
            value={typed.frozen}
            onChange={(event) => setTyped({ ...typed, frozen: event.currentTarget.value })}
          >
            <option value="">all</option>
            <option value="false">active</option>
            <option value="true">frozen</option>
          </select>
        </label>
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
