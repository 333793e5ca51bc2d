/**
 * Pool imbalance: a side whose share of the pool is less than its probability pays more than it should. The server
 * publishes the fair probability of UP with each round; when a side's share is below it by more than a margin, this
 * bets on that side, a few times in a round at the most.
 *
 * A bot to learn from: 3% of every win are the house's, so a margin of a point or two does not pay for it.
 */
import { type BotContext, cautiousOdds, openRound, placeIn } from './bot.js';

/** In points: how far a side's share has to be below the fair one. */
const MARGIN = 1;
const STAKE = 5;
const BETS_PER_ROUND_MAX = 3;

export async function imbalance(context: BotContext): Promise<void> {
  const { tote, markets } = context;
  let roundId = '';
  let bets = 0;
  for await (const market of markets) {
    const round = openRound(market);
    if (round === null) continue;
    if (round.id !== roundId) {
      roundId = round.id;
      bets = 0;
    }
    if (bets >= BETS_PER_ROUND_MAX) continue;

    const { fairPercentUp } = await tote.getRound(round.id);
    if (fairPercentUp === null) continue;
    const cheapUp = fairPercentUp - market.percentUp;
    if (Math.abs(cheapUp) < MARGIN) continue;

    const isUp = cheapUp > 0;
    const placed = await placeIn(
      round,
      `imbalance-${bets + 1}`,
      {
        marketId: market.id,
        prediction: isUp ? 'UP' : 'DOWN',
        amount: STAKE,
        minOdds: cautiousOdds(isUp ? market.oddsUp : market.oddsDown),
      },
      context,
    );
    if (placed !== null) bets += 1;
  }
}
