/** One account: its money, its keys, its bets and its ledger. */
import type { JSX } from 'preact';
import type { AccountResource, KeyResource } from '../../../operator/resources/accounts.js';
import type { LedgerEntry } from '../../../wire/past-types.js';
import { changeTier, setFrozen } from '../actions/accounts.js';
import { createKey, expireKey, rotateKey, setKeyEnabled } from '../actions/keys.js';
import { moveMoney, purseOf } from '../actions/money.js';
import { Badge, type Column, Figure, Figures, FrozenBadge, Ref, Table } from '../parts/basics.js';
import { Bets, List } from '../parts/lists.js';
import { Asked } from '../parts/loaded.js';
import { isoTimeText, paid } from '../state/format.js';
import { may } from '../state/session.js';

export const AccountView = ({ id }: { readonly id: string }): JSX.Element => (
  <>
    <h1>{id}</h1>
    <Asked<AccountResource> path={`/accounts/${encodeURIComponent(id)}`} everyMs={5_000}>
      {(account, reload) => (
        <>
          {accountActions(account, reload)}
          <Figures>
            <Figure name="Name">{account.name ?? '–'}</Figure>
            <Figure name="Tier">{account.tier}</Figure>
            <Figure name="Balance">{paid(account.balance)}</Figure>
            <Figure name="State">
              <FrozenBadge isFrozen={account.frozen} />
            </Figure>
          </Figures>
          <Keys account={account} />
          <Bets query={`accountId=${account.id}`} with="market" />
          <List<LedgerEntry>
            title="Ledger"
            path={`/accounts/${account.id}/ledger?limit=25`}
            empty="No money has moved."
            columns={LEDGER}
            keyOf={(entry) => entry.id}
          />
        </>
      )}
    </Asked>
  </>
);

function accountActions(account: AccountResource, onDone: () => void): JSX.Element | null {
  if (!may('support')) return null;
  return (
    <div class="buttons">
      {may('admin') && (
        <>
          <button type="button" onClick={() => moveMoney('deposits', purseOf(account), onDone)}>
            Deposit
          </button>
          <button type="button" onClick={() => moveMoney('withdrawals', purseOf(account), onDone)}>
            Withdraw
          </button>
        </>
      )}
      <button type="button" onClick={() => changeTier(account, onDone)}>
        Change tier
      </button>
      <button type="button" onClick={() => setFrozen(account, !account.frozen, onDone)}>
        {account.frozen ? 'Unfreeze' : 'Freeze'}
      </button>
    </div>
  );
}

const Keys = ({ account }: { readonly account: AccountResource }): JSX.Element => (
  <Asked<readonly KeyResource[]> path={`/accounts/${account.id}/keys`}>
    {(keys, reload) => (
      <section>
        <div class="title">
          <h2>Keys</h2>
          {may('support') && (
            <button type="button" onClick={() => createKey(account, reload)}>
              Create key
            </button>
          )}
        </div>
        {keys.length === 0 ? <p class="quiet">The account has no key.</p> : keyTable(keys, reload)}
      </section>
    )}
  </Asked>
);

export const keyTable = (keys: readonly KeyResource[], reload: () => void): JSX.Element => (
  <Table caption="Keys" rows={keys} columns={keyColumns(reload)} keyOf={({ id }) => id} />
);

const keyColumns = (reload: () => void): readonly Column<KeyResource>[] => [
  ['Key', ({ id }) => <Ref id={id} />],
  ['~Scopes', ({ scopes }) => scopes.join(', ')],
  [
    'State',
    ({ enabled }) => (enabled ? <Badge tone="good">enabled</Badge> : <Badge tone="bad">disabled</Badge>),
  ],
  ['Created', ({ createdAt }) => isoTimeText(createdAt)],
  ['Expires', ({ expiresAt }) => (expiresAt === null ? 'never' : isoTimeText(expiresAt))],
  ...(may('support') ? [['Action', (key: KeyResource) => keyActions(key, reload)] as const] : []),
];

const keyActions = (key: KeyResource, onDone: () => void): JSX.Element => (
  <div class="row">
    <button type="button" onClick={() => rotateKey(key, onDone)}>
      Rotate <span class="hidden">{key.id}</span>
    </button>
    <button type="button" onClick={() => expireKey(key, onDone)}>
      Expire <span class="hidden">{key.id}</span>
    </button>
    <button type="button" onClick={() => setKeyEnabled(key, !key.enabled, onDone)}>
      {key.enabled ? 'Disable' : 'Enable'} <span class="hidden">{key.id}</span>
    </button>
  </div>
);

const LEDGER: readonly Column<LedgerEntry>[] = [
  ['Time', ({ time }) => isoTimeText(time)],
  ['Movement', ({ type }) => type],
  ['Bet', ({ orderId }) => <Ref id={orderId} />],
  ['~Reference', ({ reference }) => reference ?? '–'],
  ['#Amount', ({ amount }) => paid(amount)],
  ['#Balance after', ({ balanceAfter }) => paid(balanceAfter)],
];
