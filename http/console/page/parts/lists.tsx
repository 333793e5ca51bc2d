/** Lists in pages, and that of bets, which several views have. */
import type { JSX } from 'preact';
import type { BetResource } from '../../../operator/resources/bets.js';
import { isoTimeText, oddsText, paid } from '../state/format.js';
import { Badge, type Column, Loading, Ref, Table, type TableProps } from './basics.js';
import { usePaged } from './loaded.js';

export interface ListProps<T> extends Pick<TableProps<T>, 'keyOf'> {
  readonly title: string;
  /** With its query, which is the same for all pages. */
  readonly path: string;
  readonly empty: string;
  readonly columns: readonly Column<T>[] | ((reload: () => void) => readonly Column<T>[]);
}

export function List<T>({ title, path, empty, columns, keyOf }: ListProps<T>): JSX.Element {
  const { items, error, more, reload } = usePaged<T>(path);
  const shown = typeof columns === 'function' ? columns(reload) : columns;
  return (
    <section>
      <div class="title">
        <h2>{title}</h2>
        <button type="button" onClick={reload}>
          Refresh <span class="hidden">{title}</span>
        </button>
      </div>
      {(items === null || error !== '') && <Loading error={error} />}
      {items?.length === 0 && <p class="quiet">{empty}</p>}
      {items !== null && items.length > 0 && (
        <Table caption={title} rows={items} columns={shown} keyOf={keyOf} />
      )}
      {more !== null && (
        <div class="buttons">
          <button type="button" onClick={more}>
            Show more <span class="hidden">of {title}</span>
          </button>
        </div>
      )}
    </section>
  );
}

const WHOSE: Readonly<Record<'account' | 'market', Column<BetResource>>> = {
  account: ['Account', ({ accountId }) => <Ref id={accountId} />],
  market: ['Market', ({ marketId }) => <Ref id={marketId} />],
};
const betColumns = (whose: Column<BetResource>): readonly Column<BetResource>[] => [
  ['Bet', ({ id }) => <Ref id={id} />],
  whose,
  ['Side', ({ prediction }) => prediction],
  ['#Stake', ({ amount }) => paid(amount)],
  ['#Odds', (bet) => <Odds bet={bet} />],
  ['State', (bet) => <BetBadge bet={bet} />],
  ['#Paid', ({ payout }) => paid(payout)],
  ['Placed', ({ placedAt }) => isoTimeText(placedAt)],
];

interface BetsProps {
  readonly query: string;
  /** The column that a row has besides. */
  readonly with: keyof typeof WHOSE;
}

export const Bets = ({ query, with: whose }: BetsProps): JSX.Element => (
  <List<BetResource>
    title="Bets"
    path={`/bets?${query}&limit=25`}
    empty="There is no bet."
    columns={betColumns(WHOSE[whose])}
    keyOf={({ id }) => id}
  />
);

/** A limit order also shows the least odds that it takes. Until it is filled it has no others. */
export function Odds({ bet }: { readonly bet: BetResource }): JSX.Element {
  const { limitOdds, filledAt, oddsAtBet } = bet;
  if (limitOdds === null) return <>{oddsText(oddsAtBet)}</>;
  return (
    <>
      {filledAt !== null && `${oddsText(oddsAtBet)} `}
      <span class="quiet">limit {oddsText(limitOdds)}</span>
    </>
  );
}

export function BetBadge({ bet: { status, result } }: { readonly bet: BetResource }): JSX.Element {
  if (result === null) return <Badge tone="plain">{status.toLowerCase()}</Badge>;
  return <Badge tone={result === 'WIN' ? 'good' : 'plain'}>{result.toLowerCase()}</Badge>;
}
