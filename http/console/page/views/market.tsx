/** One market: its price, its round, and what was before it. */
import type { JSX } from 'preact';
import { marketOf } from '../../../../engine/model/domain.js';
import { suspendMarket, voidRound } from '../actions/control.js';
import { Badge, Figure, Figures, Loading, RoundBadge, ShareBar } from '../parts/basics.js';
import { PricePlot } from '../parts/price-plot.js';
import { count, marketName, timeLeft, timeText, usd } from '../state/format.js';
import { live } from '../state/live.js';
import { type MarketNow, marketNow, oddsOf, type RoundNow } from '../state/markets.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';
import { Rounds } from './rounds.js';

export function MarketView({ id }: { readonly id: string }): JSX.Element {
  const message = live.value;
  const market = message === null ? null : marketNow(message, marketOf(id));
  return (
    <>
      <p class="crumbs">
        <a href={linkTo('markets')}>Markets</a>
      </p>
      <h1>{marketName(id)}</h1>
      {message === null && <Loading error="" />}
      {message !== null && market === null && <p>There is no such market, or it is not active.</p>}
      {message !== null && market !== null && <MarketSummary market={market} nowMs={message.timeMs} />}
    </>
  );
}

function MarketSummary({
  market,
  nowMs,
}: {
  readonly market: MarketNow;
  readonly nowMs: number;
}): JSX.Element {
  const { round, isSuspended, price } = market;
  return (
    <>
      <p>
        {isSuspended && <Badge tone="warn">suspended</Badge>} <RoundBadge round={round} nowMs={nowMs} />
      </p>
      {may('admin') && (
        <div class="buttons start">
          <button type="button" onClick={() => suspendMarket(market, !isSuspended)}>
            {isSuspended ? 'Resume market' : 'Suspend market'}
          </button>
          {round !== null && (
            <button type="button" class="danger" onClick={() => voidRound(round, () => undefined)}>
              Void round
            </button>
          )}
        </div>
      )}
      <Figures>
        <Figure name="Price now">{price ?? '–'}</Figure>
        <Figure name="Smallest stake">{usd(market.minStakeCents)}</Figure>
        <Figure name="Largest stake">{usd(market.maxStakeCents)}</Figure>
      </Figures>
      <PricePlot market={market} />
      {round !== null && <RoundSummary round={round} nowMs={nowMs} />}
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

function RoundSummary({ round, nowMs }: { readonly round: RoundNow; readonly nowMs: number }): JSX.Element {
  const odds = oddsOf(round);
  return (
    <section>
      <h2>Round {round.number}</h2>
      <Figures>
        <Figure name="Id">{round.id}</Figure>
        <Figure name="Started">{timeText(round.startMs)}</Figure>
        <Figure name="Bets until">
          {timeText(round.bettingClosesMs)} ({timeLeft(round.bettingClosesMs - nowMs)})
        </Figure>
        <Figure name="Ends">
          {timeText(round.endMs)} ({timeLeft(round.endMs - nowMs)})
        </Figure>
        <Figure name="Open price">{round.openPrice ?? 'not known yet'}</Figure>
        <Figure name="UP of the pool">
          <ShareBar round={round} />
        </Figure>
        <Figure name="Pool UP">{usd(round.poolUpCents)}</Figure>
        <Figure name="Pool DOWN">{usd(round.poolDownCents)}</Figure>
        <Figure name="Odds UP">{odds.up}</Figure>
        <Figure name="Odds DOWN">{odds.down}</Figure>
        <Figure name="Bets">{count(round.bets)}</Figure>
        <Figure name="Stakes">{usd(round.volumeCents)}</Figure>
      </Figures>
    </section>
  );
}
