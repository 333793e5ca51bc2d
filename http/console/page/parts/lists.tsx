/** Lists in pages, and that of bets, which several views have. */
import type { JSX } from 'preact';
import type { BetResource } from '../../../operator/resources/bets.js';
import { centsOf, isoTimeText, marketName, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { Badge, type Column, Loading, Table, type TableProps } from './basics.js';
import { type Paged, usePaged } from './loaded.js';

interface ListProps<T> extends Pick<TableProps<T>, 'columns' | 'keyOf'> {
  readonly title: string;
  readonly list: Paged<T>;
  readonly empty: string;
}

/** A list below its own heading, with what stands there before it is loaded and where it is empty. */
export function List<T>({ title, list, empty, columns, keyOf }: ListProps<T>): JSX.Element {
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
        <Table caption={title} rows={items} columns={columns} keyOf={keyOf} />
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

const WHOSE: Readonly<Record<'account' | 'market', Column<BetResource>>> = {
  account: ['Account', ({ accountId }) => <a href={linkTo('accounts', accountId)}>{accountId}</a>],
  market: ['Market', ({ marketId }) => <a href={linkTo('markets', marketId)}>{marketName(marketId)}</a>],
};
const betColumns = (whose: Column<BetResource>): Column<BetResource>[] => [
  ['Bet', ({ id }) => id],
  whose,
  ['Side', ({ prediction }) => prediction],
  ['#Stake', ({ amount }) => usd(centsOf(amount))],
  ['#Odds', (bet) => <Odds bet={bet} />],
  ['State', (bet) => <BetBadge bet={bet} />],
  ['#Paid', ({ payout }) => (payout === null ? '–' : usd(centsOf(payout)))],
  ['~Placed', ({ placedAt }) => isoTimeText(placedAt)],
];

interface BetsProps {
  /** Whose, such as `accountId=acc_1`. */
  readonly query: string;
  /** What a row shows besides. */
  readonly with: keyof typeof WHOSE;
}

export function Bets({ query, with: whose }: BetsProps): JSX.Element {
  const list = usePaged<BetResource>(`/bets?${query}&limit=25`);
  const columns = betColumns(WHOSE[whose]);
  return <List title="Bets" list={list} empty="There is no bet." columns={columns} keyOf={({ id }) => id} />;
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
