/** One account: its money, its keys, its bets and its ledger. And one key alone. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AccountResource } from '../../../operator/accounts.js';
import type { KeyResource } from '../../../operator/keys.js';
import type { LedgerEntry } from '../../../wire/archive-types.js';
import { changeTier, freeze } from '../actions/accounts.js';
import { createKey, endOf, expireKey, rotateKey, stateOf, switchKey } from '../actions/keys.js';
import { deposit, withdraw } from '../actions/money.js';
import { Act } from '../parts/action.js';
import { Badge, Figures, Ref } from '../parts/basics.js';
import { Bets } from '../parts/bets.js';
import { type Column, List, Table } from '../parts/list.js';
import type { Shows } from '../parts/loaded.js';
import { centsOf, paid, timeText } from '../state/format.js';

export function AccountView({ of: account, reload }: Shows<AccountResource>): JSX.Element {
  const { id, name, tier, balance, frozen } = account;
  const [turn, setTurn] = useState(0);
  const reloadAll = (): void => {
    reload();
    setTurn(turn + 1);
  };
  const purse = { path: `/accounts/${id}`, name: id, cents: centsOf(balance) };
  return (
    <>
      <div class="buttons">
        <Act action={deposit(purse)} onDone={reloadAll} />
        <Act action={withdraw(purse)} onDone={reloadAll} />
        <Act action={changeTier(account)} onDone={reloadAll} />
        <Act action={freeze(account)} onDone={reloadAll} />
      </div>
      <Figures
        of={{
          Name: name ?? '–',
          Tier: tier,
          Balance: paid(balance),
          State: <Badge tone={frozen ? 'bad' : 'good'}>{frozen ? 'frozen' : 'active'}</Badge>,
        }}
      />
      <List<KeyResource>
        title="Keys"
        path="/keys"
        query={{ accountId: id }}
        filters={[{ name: 'enabled', label: 'enabled keys only', kind: 'flag' }]}
        columns={keyColumns}
        empty="There is no key."
        everyMs={5_000}
        side={(reloadKeys) => <Act action={createKey(account)} onDone={reloadKeys} />}
      />
      <Bets
        key={`bets ${turn}`}
        query={{ accountId: id }}
        and={['Market', ({ marketId }) => <Ref id={marketId} />]}
      />
      <List<LedgerEntry>
        key={`ledger ${turn}`}
        title="Ledger"
        path={`/accounts/${id}/ledger`}
        empty="No money has moved."
        columns={[
          ['Time', ({ time }) => timeText(time)],
          ['Movement', ({ type }) => type],
          ['Bet', ({ orderId }) => <Ref id={orderId} />],
          ['~Reference', ({ reference }) => reference ?? '–'],
          ['#Amount', ({ amount }) => paid(amount)],
          ['#Balance after', ({ balanceAfter }) => paid(balanceAfter)],
        ]}
      />
    </>
  );
}

const keyColumns = (reload: () => void): readonly Column<KeyResource>[] => [
  ['Key', ({ id }) => <Ref id={id} />],
  ['~Scopes', ({ scopes }) => scopes.join(', ')],
  ['State', (key) => <Badge tone={stateOf(key) === 'enabled' ? 'good' : 'bad'}>{stateOf(key)}</Badge>],
  ['Created', ({ createdAt }) => timeText(createdAt)],
  ['Expires', ({ expiresAt }) => endOf(expiresAt)],
  ['Action', (key) => keyActions(key, reload), 'support'],
];

const keyActions = (key: KeyResource, reload: () => void): JSX.Element => (
  <div class="row">
    <Act action={rotateKey(key)} onDone={reload} />
    <Act action={expireKey(key)} onDone={reload} />
    <Act action={switchKey(key)} onDone={reload} />
  </div>
);

export const KeyView = ({ of, reload }: Shows<KeyResource>): JSX.Element => (
  <>
    <p>
      It is a key of <Ref id={of.accountId} />.
    </p>
    <Table caption="Keys" rows={[of]} columns={keyColumns(reload)} />
  </>
);
