/** Rounds as lists, and one round with its bets. */
import type { JSX } from 'preact';
import type { RoundResource } from '../../../operator/resources/rounds.js';
import { voidRound } from '../actions/control.js';
import type { Column } from '../parts/basics.js';
import { Bets, List } from '../parts/lists.js';
import { usePaged } from '../parts/loaded.js';
import { centsOf, count, isoTimeText, marketName, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';

interface RoundsProps {
  readonly title: string;
  /** Such as `marketId=BTC_ONE_DAY`. */
  readonly query: string;
  readonly empty: string;
  readonly withMarket: boolean;
}

export function Rounds({ title, query, empty, withMarket }: RoundsProps): JSX.Element {
  const list = usePaged<RoundResource>(`/rounds?${query}&limit=15`);
  const columns = roundColumns(withMarket, list.reload);
  return <List title={title} list={list} empty={empty} columns={columns} keyOf={({ id }) => id} />;
}

const roundColumns = (withMarket: boolean, onVoided: () => void): Column<RoundResource>[] => [
  [
    'Round',
    ({ id, marketId, roundNumber }) => (
      <a href={linkTo('markets', marketId, id)}>
        {withMarket && `${marketName(marketId)} `}
        {roundNumber}
      </a>
    ),
  ],
  ['Result', ({ result, status }) => result ?? status.toLowerCase()],
  ['~#Open', ({ openPrice }) => openPrice ?? '–'],
  ['~#Close', ({ closePrice }) => closePrice ?? '–'],
  ['#Pool UP', ({ poolUp }) => usd(centsOf(poolUp))],
  ['#Pool DOWN', ({ poolDown }) => usd(centsOf(poolDown))],
  ['#Bets', ({ totalBets }) => count(totalBets)],
  ['~Ends', ({ endTime }) => isoTimeText(endTime)],
  ...(may('admin')
    ? [['Action', (round) => <VoidButton round={round} onVoided={onVoided} />] as Column<RoundResource>]
    : []),
];

interface VoidProps {
  readonly round: RoundResource;
  readonly onVoided: () => void;
}

/** For a round that waits for its price. */
function VoidButton({ round, onVoided }: VoidProps): JSX.Element | null {
  const { id, status, result, totalBets, totalVolume } = round;
  if (result !== null || status !== 'SETTLING') return null;
  const voidable = { id, status, bets: totalBets, volumeCents: centsOf(totalVolume) };
  return (
    <button type="button" onClick={() => voidRound(voidable, onVoided)}>
      Void <span class="hidden">round {id}</span>
    </button>
  );
}

export function RoundView({ market, id }: { readonly market: string; readonly id: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('markets')}>Markets</a> / <a href={linkTo('markets', market)}>{marketName(market)}</a>
      </p>
      <h1>Round {id}</h1>
      <Bets query={`roundId=${encodeURIComponent(id)}`} with="account" />
    </>
  );
}
