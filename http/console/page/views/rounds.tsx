/** Rounds as lists, and one round with its bets. */
import type { JSX } from 'preact';
import type { RoundResource } from '../../../operator/resources/rounds.js';
import { voidRound } from '../actions/control.js';
import { Table } from '../parts/basics.js';
import { Bets, Listed } from '../parts/lists.js';
import { usePaged } from '../parts/paged.js';
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
  const head = ['Round', 'Result', '~#Open', '~#Close', '#Pool UP', '#Pool DOWN', '#Bets', '~Ends'];
  return (
    <Listed title={title} list={list} empty={empty}>
      {(rounds) => (
        <Table caption={title} head={may('admin') ? [...head, 'Action'] : head}>
          {rounds.map((round) => (
            <RoundRow key={round.id} round={round} withMarket={withMarket} onVoided={list.reload} />
          ))}
        </Table>
      )}
    </Listed>
  );
}

interface RowProps {
  readonly round: RoundResource;
  readonly withMarket: boolean;
  readonly onVoided: () => void;
}

function RoundRow({ round, withMarket, onVoided }: RowProps): JSX.Element {
  const { id, marketId, roundNumber, status, result, totalBets, totalVolume } = round;
  const voidable = { id, status, bets: totalBets, volumeCents: centsOf(totalVolume) };
  return (
    <tr>
      <th scope="row">
        <a href={linkTo('markets', marketId, id)}>
          {withMarket && `${marketName(marketId)} `}
          {roundNumber}
        </a>
      </th>
      <td>{result === null ? status.toLowerCase() : result}</td>
      <td class="number wide">{round.openPrice ?? '–'}</td>
      <td class="number wide">{round.closePrice ?? '–'}</td>
      <td class="number">{usd(centsOf(round.poolUp))}</td>
      <td class="number">{usd(centsOf(round.poolDown))}</td>
      <td class="number">{count(totalBets)}</td>
      <td class="wide">{isoTimeText(round.endTime)}</td>
      {may('admin') && (
        <td>
          {result === null && status === 'SETTLING' && (
            <button type="button" onClick={() => voidRound(voidable, onVoided)}>
              Void <span class="hidden">round {id}</span>
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

export function RoundView({ market, id }: { readonly market: string; readonly id: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('markets')}>Markets</a> / <a href={linkTo('markets', market)}>{marketName(market)}</a>
      </p>
      <h1>Round {id}</h1>
      <Bets query={`roundId=${encodeURIComponent(id)}`} withAccount={true} />
    </>
  );
}
