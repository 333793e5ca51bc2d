/** One market: its price, its round, and the rounds before it. And one round with its bets. */
import type { ComponentChildren, JSX } from 'preact';
import type { ShownRound } from '../../../wire/market-text.js';
import type { LiveMessage } from '../../live-message.js';
import { suspend, voidRound } from '../actions/control.js';
import { Act } from '../parts/action.js';
import { Figures, Ref, Section } from '../parts/basics.js';
import { Bets } from '../parts/bets.js';
import { RangeSelect } from '../parts/plot.js';
import { count, idText, marketName, priceText, timeLeft, timeText, usd } from '../state/format.js';
import { PricePlot } from './prices.js';
import { marketState, oddsOf, Rounds, ShareBar } from './rounds.js';

interface MarketProps {
  readonly now: LiveMessage;
  readonly id: string;
}

export function MarketView({ now: { markets, timeMs }, id }: MarketProps): JSX.Element {
  const market = markets.find((each) => each.id === id);
  if (market === undefined) return <h1>There is no such market, or it is not active</h1>;
  const { asset, round, price, minStakeCents, maxStakeCents } = market;
  const roundId = `${id}_${round?.roundNumber}`;
  return (
    <>
      <h1>{marketName(id)}</h1>
      <div class="buttons">
        <Act action={suspend(market)} />
        {round !== null && <Act action={voidRound(roundId, round.bets, round.volumeCents)} />}
      </div>
      <Figures
        of={{
          State: marketState(market, timeMs),
          'Price now': priceText(price),
          'Smallest stake': usd(minStakeCents),
          'Largest stake': usd(maxStakeCents),
        }}
      />
      <Section title={`Price of ${asset}`} side={<RangeSelect />}>
        <PricePlot {...market} />
      </Section>
      {round !== null && (
        <Section title={`Round ${round.roundNumber}`}>
          <Figures of={figuresOf(round, timeMs)} />
        </Section>
      )}
      <Rounds key={roundId} title="Rounds" query={{ marketId: id }} empty="The market has had no round." />
    </>
  );
}

function figuresOf(round: ShownRound, nowMs: number): Readonly<Record<string, ComponentChildren>> {
  const { openPrice, poolUpCents, poolDownCents } = round;
  const until = (ms: number): string => `${timeText(ms)} (${timeLeft(ms - nowMs)})`;
  return {
    Started: timeText(round.startTimeMs),
    'Bets until': until(round.bettingClosesMs),
    Ends: until(round.endTimeMs),
    'Open price': openPrice === null ? 'not known yet' : priceText(openPrice),
    'UP of the pool': <ShareBar round={round} />,
    'Pool UP': usd(poolUpCents),
    'Pool DOWN': usd(poolDownCents),
    'Odds UP': oddsOf(round, poolUpCents),
    'Odds DOWN': oddsOf(round, poolDownCents),
    Bets: count(round.bets),
    Stakes: usd(round.volumeCents),
  };
}

export const RoundView = ({ id }: { readonly id: string }): JSX.Element => (
  <>
    <h1>{idText(id)}</h1>
    <p>
      A round of <Ref id={id.replace(/_\d+$/, '')} />, with the id <code>{id}</code>.
    </p>
    <Bets query={{ roundId: id }} and={['Account', ({ accountId }) => <Ref id={accountId} />]} />
  </>
);
