/**
 * Momentum: what has risen lately goes on rising. Once in a round, when the price has moved by more than a threshold
 * over the last looks at the market, it bets that the price ends on that side of the round's open price.
 *
 * A bot to learn from, not to get rich with: the house's odds follow the price, and the fee is 3%.
 */
import { type BotContext, cautiousOdds, openRound, placeIn } from './bot.js';

/** Looks at the market that are compared: the oldest with the newest. */
const LOOKS = 5;
/** A relative change of the price that counts as a movement: one hundredth of a percent. */
const MOVE = 0.0001;
const STAKE = 5;

export async function momentum(context: BotContext): Promise<void> {
  const { markets } = context;
  const prices: number[] = [];
  let doneRound = '';
  for await (const market of markets) {
    const price = market.currentRound?.currentPrice ?? null;
    if (price === null) continue;
    prices.push(price);
    if (prices.length > LOOKS) prices.shift();

    const round = openRound(market);
    const oldest = prices[0] ?? price;
    const change = price / oldest - 1;
    if (round === null || round.id === doneRound || prices.length < LOOKS || Math.abs(change) < MOVE)
      continue;

    const isRising = change > 0;
    const placed = await placeIn(
      round,
      'momentum',
      {
        marketId: market.id,
        prediction: isRising ? 'UP' : 'DOWN',
        amount: STAKE,
        minOdds: cautiousOdds(isRising ? market.oddsUp : market.oddsDown),
      },
      context,
    );
    if (placed !== null) doneRound = round.id;
  }
}
