/** Rounds as lists, and one round with its bets. */
import type { JSX } from 'preact';
import type { RoundResource } from '../../../operator/resources/rounds.js';
import { voidRound } from '../actions/control.js';
import { type Column, Ref } from '../parts/basics.js';
import { Bets, List, type ListProps } from '../parts/lists.js';
import { centsOf, count, idText, isoTimeText, marketName, paid, priceText } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';

interface RoundsProps extends Pick<ListProps<RoundResource>, 'title' | 'empty'> {
  /** Such as `marketId=BTC_ONE_DAY`. */
  readonly query: string;
  readonly withMarket: boolean;
}

export const Rounds = ({ title, query, empty, withMarket }: RoundsProps): JSX.Element => (
  <List<RoundResource>
    title={title}
    path={`/rounds?${query}&limit=15`}
    empty={empty}
    columns={(reload) => roundColumns(withMarket, reload)}
    keyOf={({ id }) => id}
  />
);

const roundColumns = (withMarket: boolean, onVoided: () => void): readonly Column<RoundResource>[] => [
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
  ['#Open', ({ openPrice }) => priceText(openPrice)],
  ['#Close', ({ closePrice }) => priceText(closePrice)],
  ['#Pool UP', ({ poolUp }) => paid(poolUp)],
  ['#Pool DOWN', ({ poolDown }) => paid(poolDown)],
  ['#Bets', ({ totalBets }) => count(totalBets)],
  ['#House', ({ houseResult }) => paid(houseResult)],
  ['Ends', ({ endTime }) => isoTimeText(endTime)],
  ...(may('admin') ? [['Action', (round: RoundResource) => voidButton(round, onVoided)] as const] : []),
];

/** For a round that waits for its price. */
function voidButton(
  { id, status, result, totalBets, totalVolume }: RoundResource,
  onVoided: () => void,
): JSX.Element | null {
  if (result !== null || status !== 'SETTLING') return null;
  const voidable = { id, status, bets: totalBets, volumeCents: centsOf(totalVolume) };
  return (
    <button type="button" onClick={() => voidRound(voidable, onVoided)}>
      Void <span class="hidden">round {id}</span>
    </button>
  );
}

export const RoundView = ({ market, id }: { readonly market: string; readonly id: string }): JSX.Element => (
  <>
    <h1>{idText(id)}</h1>
    <p>
      A round of <Ref id={market} />, with the id <code>{id}</code>.
    </p>
    <Bets query={`roundId=${encodeURIComponent(id)}`} with="account" />
  </>
);
