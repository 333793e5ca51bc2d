/** Lists in pages, and that of bets, which several views have. */
import type { ComponentChildren, JSX } from 'preact';
import type { BetResource } from '../../../operator/resources/bets.js';
import { centsOf, isoTimeText, marketName, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { Badge, Loading, Table } from './basics.js';
import { type Paged, usePaged } from './paged.js';

/** A list below its own heading, with what stands there before it is loaded and where it is empty. */
export function Listed<T>({
  title,
  list,
  empty,
  children,
}: {
  readonly title: string;
  readonly list: Paged<T>;
  readonly empty: string;
  readonly children: (items: readonly T[]) => ComponentChildren;
}): JSX.Element {
  const { items, error, more, reload } = list;
  return (
    <section>
      <div class="title">
        <h2>{title}</h2>
        <button type="button" onClick={reload}>
          Refresh <span class="hidden">{title}</span>
        </button>
      </div>
      {items === null ? (
        <Loading error={error} />
      ) : items.length === 0 ? (
        <p class="quiet">{empty}</p>
      ) : (
        children(items)
      )}
      {items !== null && error !== '' && <Loading error={error} />}
      {more !== null && (
        <div class="buttons start">
          <button type="button" onClick={more}>
            Show more <span class="hidden">of {title}</span>
          </button>
        </div>
      )}
    </section>
  );
}

/** `query` says whose, such as `accountId=acc_1`. */
export function Bets({
  query,
  withAccount,
}: {
  readonly query: string;
  readonly withAccount: boolean;
}): JSX.Element {
  const list = usePaged<BetResource>(`/bets?${query}&limit=25`);
  const head = [
    'Bet',
    withAccount ? 'Account' : 'Market',
    'Side',
    '#Stake',
    '#Odds',
    'State',
    '#Paid',
    '~Placed',
  ];
  return (
    <Listed title="Bets" list={list} empty="There is no bet.">
      {(bets) => (
        <Table caption="Bets" head={head}>
          {bets.map((bet) => (
            <tr key={bet.id}>
              <th scope="row">{bet.id}</th>
              <td>
                {withAccount ? (
                  <a href={linkTo('accounts', bet.accountId)}>{bet.accountId}</a>
                ) : (
                  <a href={linkTo('markets', bet.marketId)}>{marketName(bet.marketId)}</a>
                )}
              </td>
              <td>{bet.prediction}</td>
              <td class="number">{usd(centsOf(bet.amount))}</td>
              <td class="number">
                <Odds bet={bet} />
              </td>
              <td>
                <BetBadge bet={bet} />
              </td>
              <td class="number">{bet.payout === null ? '–' : usd(centsOf(bet.payout))}</td>
              <td class="wide">{isoTimeText(bet.placedAt)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Listed>
  );
}

/** Of a limit order also the least odds that it takes. Until it is filled it has no others. */
function Odds({ bet }: { readonly bet: BetResource }): JSX.Element {
  const { isLimitOrder, limitOdds, filledAt, oddsAtBet } = bet;
  if (!isLimitOrder || limitOdds === null) return <>{oddsAtBet.toFixed(4)}</>;
  return (
    <>
      {filledAt !== null && `${oddsAtBet.toFixed(4)} `}
      <span class="quiet">limit {limitOdds.toFixed(4)}</span>
    </>
  );
}

function BetBadge({ bet: { status, result } }: { readonly bet: BetResource }): JSX.Element {
  if (result === null) return <Badge tone="plain">{status.toLowerCase()}</Badge>;
  return <Badge tone={result === 'WIN' ? 'good' : 'plain'}>{result.toLowerCase()}</Badge>;
}
