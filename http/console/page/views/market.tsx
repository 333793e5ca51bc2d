/** One market: its price, its round, and the rounds before it. */
import type { JSX } from 'preact';
import { marketOf } from '../../../../engine/model/domain.js';
import { suspendMarket, voidRound } from '../actions/control.js';
import { Badge, Figure, Figures, Loading, roundBadge, ShareBar } from '../parts/basics.js';
import { RangeSelect } from '../parts/plot.js';
import { PricePlot } from '../parts/price-plot.js';
import { count, marketName, priceText, timeLeft, timeText, usd } from '../state/format.js';
import { live } from '../state/live.js';
import { type MarketNow, marketNow, oddsOf, type RoundNow } from '../state/markets.js';
import { may } from '../state/session.js';
import { Rounds } from './rounds.js';

export function MarketView({ id }: { readonly id: string }): JSX.Element {
  const message = live.value;
  if (message === null) return <Loading error="" />;
  const market = marketNow(message, marketOf(id));
  return (
    <>
      <h1>{marketName(id)}</h1>
      {market === null ? (
        <p>There is no such market, or it is not active.</p>
      ) : (
        marketSummary(market, message.timeMs)
      )}
    </>
  );
}

function marketSummary(market: MarketNow, nowMs: number): JSX.Element {
  const { round, isSuspended, price } = market;
  return (
    <>
      {may('admin') && (
        <div class="buttons">
          <button type="button" onClick={() => suspendMarket(market, !isSuspended)}>
            {isSuspended ? 'Resume market' : 'Suspend market'}
          </button>
          {round !== null && (
            <button type="button" class="danger" onClick={() => voidRound(round)}>
              Void round
            </button>
          )}
        </div>
      )}
      <Figures>
        <Figure name="State">
          {isSuspended && <Badge tone="warn">suspended</Badge>} {roundBadge(round, nowMs)}
        </Figure>
        <Figure name="Price now">{priceText(price)}</Figure>
        <Figure name="Smallest stake">{usd(market.minStakeCents)}</Figure>
        <Figure name="Largest stake">{usd(market.maxStakeCents)}</Figure>
      </Figures>
      <div class="title">
        <h2>Price of {market.asset}</h2>
        <RangeSelect />
      </div>
      <PricePlot market={market} />
      {round !== null && roundSummary(round, nowMs)}
      <Rounds
        key={round?.id ?? ''}
        title="Rounds"
        query={`marketId=${market.id}`}
        empty="The market has had no round."
        withMarket={false}
      />
    </>
  );
}

const roundSummary = (round: RoundNow, nowMs: number): JSX.Element => (
  <section>
    <h2>Round {round.number}</h2>
    <Figures>
      <Figure name="Started">{timeText(round.startMs)}</Figure>
      <Figure name="Bets until">
        {timeText(round.bettingClosesMs)} ({timeLeft(round.bettingClosesMs - nowMs)})
      </Figure>
      <Figure name="Ends">
        {timeText(round.endMs)} ({timeLeft(round.endMs - nowMs)})
      </Figure>
      <Figure name="Open price">
        {round.openPrice === null ? 'not known yet' : priceText(round.openPrice)}
      </Figure>
      <Figure name="UP of the pool">
        <ShareBar round={round} />
      </Figure>
      <Figure name="Pool UP">{usd(round.poolUpCents)}</Figure>
      <Figure name="Pool DOWN">{usd(round.poolDownCents)}</Figure>
      <Figure name="Odds UP">{oddsOf(round, round.poolUpCents)}</Figure>
      <Figure name="Odds DOWN">{oddsOf(round, round.poolDownCents)}</Figure>
      <Figure name="Bets">{count(round.bets)}</Figure>
      <Figure name="Stakes">{usd(round.volumeCents)}</Figure>
    </Figures>
  </section>
);
