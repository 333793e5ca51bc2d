/** One account: its money, its keys, its bets and its ledger. */
import type { JSX } from 'preact';
import type { AccountResource, KeyResource } from '../../../operator/resources/accounts.js';
import type { LedgerEntry } from '../../../wire/past-types.js';
import { changeTier, moveMoney, setFrozen } from '../actions/accounts.js';
import { createKey, expireKey, rotateKey, setKeyEnabled } from '../actions/keys.js';
import { Badge, type Column, Figure, Figures, FrozenBadge, Loading, Table } from '../parts/basics.js';
import { Bets, List } from '../parts/lists.js';
import { useLoaded, usePaged } from '../parts/loaded.js';
import { centsOf, isoTimeText, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';

export function AccountView({ id }: { readonly id: string }): JSX.Element {
  const { data, error, reload } = useLoaded<AccountResource>(`/accounts/${encodeURIComponent(id)}`, 5_000);
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('accounts')}>Accounts</a>
      </p>
      <h1>{id}</h1>
      {data === null ? (
        <Loading error={error} />
      ) : (
        <>
          <AccountActions account={data} onDone={reload} />
          <Figures>
            <Figure name="Name">{data.name ?? '–'}</Figure>
            <Figure name="Tier">{data.tier}</Figure>
            <Figure name="Balance">{usd(centsOf(data.balance))}</Figure>
            <Figure name="State">
              <FrozenBadge isFrozen={data.frozen} />
            </Figure>
          </Figures>
          <Keys account={data} />
          <Bets query={`accountId=${data.id}`} with="market" />
          <Ledger account={data.id} />
        </>
      )}
    </>
  );
}

interface ActionsProps {
  readonly account: AccountResource;
  readonly onDone: () => void;
}

function AccountActions({ account, onDone }: ActionsProps): JSX.Element | null {
  if (!may('support')) return null;
  return (
    <div class="buttons start">
      {may('admin') && (
        <>
          <button type="button" onClick={() => moveMoney('deposits', account, onDone)}>
            Deposit
          </button>
          <button type="button" onClick={() => moveMoney('withdrawals', account, onDone)}>
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

function Keys({ account }: { readonly account: AccountResource }): JSX.Element {
  const { data, error, reload } = useLoaded<readonly KeyResource[]>(`/accounts/${account.id}/keys`);
  return (
    <section>
      <h2>Keys</h2>
      {may('support') && (
        <div class="buttons start">
          <button type="button" onClick={() => createKey(account, reload)}>
            Create key
          </button>
        </div>
      )}
      {data === null ? (
        <Loading error={error} />
      ) : data.length === 0 ? (
        <p class="quiet">The account has no key.</p>
      ) : (
        <Table caption="Keys" rows={data} columns={keyColumns(reload)} keyOf={({ id }) => id} />
      )}
    </section>
  );
}

const keyColumns = (reload: () => void): Column<KeyResource>[] => [
  ['Key', ({ id }) => id],
  ['Scopes', ({ scopes }) => scopes.join(', ')],
  [
    'State',
    ({ enabled }) => (enabled ? <Badge tone="good">enabled</Badge> : <Badge tone="bad">disabled</Badge>),
  ],
  ['~Created', ({ createdAt }) => isoTimeText(createdAt)],
  ['Expires', ({ expiresAt }) => (expiresAt === null ? 'never' : isoTimeText(expiresAt))],
  ['Action', (key) => may('support') && <KeyActions keyShown={key} onDone={reload} />],
];

interface KeyActionsProps {
  readonly keyShown: KeyResource;
  readonly onDone: () => void;
}

function KeyActions({ keyShown: key, onDone }: KeyActionsProps): JSX.Element {
  return (
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
}

const LEDGER: readonly Column<LedgerEntry>[] = [
  ['Time', ({ time }) => isoTimeText(time)],
  ['What', ({ type, orderId }) => `${type} ${orderId ?? ''}`],
  ['~Reference', ({ reference }) => reference ?? '–'],
  ['#Amount', ({ amount }) => usd(centsOf(amount))],
  ['#Balance after', ({ balanceAfter }) => usd(centsOf(balanceAfter))],
];

function Ledger({ account }: { readonly account: string }): JSX.Element {
  const list = usePaged<LedgerEntry>(`/accounts/${account}/ledger?limit=25`);
  const keyOf = ({ id }: LedgerEntry): string => id;
  return <List title="Ledger" list={list} empty="No money has moved." columns={LEDGER} keyOf={keyOf} />;
}
