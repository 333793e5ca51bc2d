/** Lists of bets, which several views have, and how a bet's odds and state are shown. */
import type { JSX } from 'preact';
import type { BetResource } from '../../../operator/bets.js';
import { oddsText, paid, timeText } from '../state/format.js';
import { Badge, Ref } from './basics.js';
import { type Column, List } from './list.js';

interface BetsProps {
  /** Whose bets they are. */
  readonly query: Readonly<Record<string, string>>;
  /** A further column. */
  readonly and: Column<BetResource>;
}

export const Bets = ({ query, and }: BetsProps): JSX.Element => (
  <List<BetResource>
    title="Bets"
    path="/bets"
    query={query}
    empty="There is no bet."
    columns={[
      ['Bet', ({ id }) => <Ref id={id} />],
      and,
      ['Side', ({ prediction }) => prediction],
      ['#Stake', ({ amount }) => paid(amount)],
      ['#Odds', odds],
      ['State', stateBadge],
      ['#Paid', ({ payout }) => paid(payout)],
      ['Placed', ({ placedAt }) => timeText(placedAt)],
    ]}
  />
);

/** A limit order also shows the least odds that it takes. Until it is filled it has no others. */
export function odds({ limitOdds, filledAt, oddsAtBet }: BetResource): JSX.Element {
  if (limitOdds === null) return <>{oddsText(oddsAtBet)}</>;
  return (
    <>
      {filledAt !== null && `${oddsText(oddsAtBet)} `}
      <span class="quiet">limit {oddsText(limitOdds)}</span>
    </>
  );
}

export const stateBadge = ({ status, result }: BetResource): JSX.Element => (
  <Badge tone={result === 'WIN' ? 'good' : ''}>{(result ?? status).toLowerCase()}</Badge>
);
