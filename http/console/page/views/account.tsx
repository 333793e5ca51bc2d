/** One account: its money, its keys, its bets and its ledger. */
import type { JSX } from 'preact';
import type { AccountResource, KeyResource } from '../../../operator/resources/accounts.js';
import type { LedgerEntry } from '../../../wire/past-types.js';
import { changeTier, moveMoney, setFrozen } from '../actions/accounts.js';
import { createKey, expireKey, rotateKey, setKeyEnabled } from '../actions/keys.js';
import { Badge, Figure, Figures, Loading, Table } from '../parts/basics.js';
import { Bets, Listed } from '../parts/lists.js';
import { useLoaded } from '../parts/loaded.js';
import { usePaged } from '../parts/paged.js';
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
              {data.frozen ? <Badge tone="bad">frozen</Badge> : <Badge tone="good">active</Badge>}
            </Figure>
          </Figures>
          <Keys account={data} />
          <Bets query={`accountId=${data.id}`} withAccount={false} />
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
        <Table caption="Keys" head={['Key', 'Scopes', 'State', '~Created', 'Expires', 'Action']}>
          {data.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.id}</th>
              <td>{key.scopes.join(', ')}</td>
              <td>{key.enabled ? <Badge tone="good">enabled</Badge> : <Badge tone="bad">disabled</Badge>}</td>
              <td class="wide">{isoTimeText(key.createdAt)}</td>
              <td>{key.expiresAt === null ? 'never' : isoTimeText(key.expiresAt)}</td>
              <td>
                {may('support') && (
                  <div class="row">
                    <button type="button" onClick={() => rotateKey(key, reload)}>
                      Rotate <span class="hidden">{key.id}</span>
                    </button>
                    <button type="button" onClick={() => expireKey(key, reload)}>
                      Expire <span class="hidden">{key.id}</span>
                    </button>
                    <button type="button" onClick={() => setKeyEnabled(key, !key.enabled, reload)}>
                      {key.enabled ? 'Disable' : 'Enable'} <span class="hidden">{key.id}</span>
                    </button>
                  </div>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Ledger({ account }: { readonly account: string }): JSX.Element {
  const list = usePaged<LedgerEntry>(`/accounts/${account}/ledger?limit=25`);
  return (
    <Listed title="Ledger" list={list} empty="No money has moved.">
      {(entries) => (
        <Table caption="Ledger" head={['Time', 'What', '~Reference', '#Amount', '#Balance after']}>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">{isoTimeText(entry.time)}</th>
              <td>
                {entry.type} {entry.orderId}
              </td>
              <td class="wide">{entry.reference ?? '–'}</td>
              <td class="number">{usd(centsOf(entry.amount))}</td>
              <td class="number">{usd(centsOf(entry.balanceAfter))}</td>
            </tr>
          ))}
        </Table>
      )}
    </Listed>
  );
}
