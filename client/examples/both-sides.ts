/**
 * Both sides with an exposure limit: in the course of a round the price swings, and so do the odds. This bets on either
 * side when its odds are good. If both have been good in the same round, it wins whatever the result; until then no
 * round may lose more than the limit, however it ends.
 *
 * Sums are counted in whole cents. The stakes are read from the server at the start and after any doubt.
 */
import { eachOf, type Prediction, payoutDollars, type Round, toCents } from '../index.js';
import { type BotContext, cautiousOdds, openRound, placeIn } from './bot.js';

const STAKE = 5;
/** Odds after the fee: above the least a bet on each side wins together, above the greatest it is too unlikely. */
const ODDS_MIN = 2.1;
const ODDS_MAX = 3;
/** Dollars that a round may lose. */
const LOSS_MAX = 20;
const BETS_PER_ROUND_MAX = 20;
const SIDES: readonly Prediction[] = ['UP', 'DOWN'];

/** A round's stakes and payouts, in cents. */
interface Book {
  readonly roundId: string;
  bets: number;
  stakes: number;
  readonly payouts: Record<Prediction, number>;
}

function add(book: Book, side: Prediction, stake: number, payout: number): Book {
  const payouts = { ...book.payouts, [side]: book.payouts[side] + toCents(payout) };
  return { ...book, bets: book.bets + 1, stakes: book.stakes + toCents(stake), payouts };
}

/** At worst. */
const lossCents = ({ stakes, payouts }: Book): number => stakes - Math.min(payouts.UP, payouts.DOWN);

/** The open bets in this round, as the server has them. */
async function readBook({ tote }: BotContext, round: Round): Promise<Book> {
  let book: Book = { roundId: round.id, bets: 0, stakes: 0, payouts: { UP: 0, DOWN: 0 } };
  const open = eachOf((page) => tote.listPositions({ roundId: round.id, limit: 200, ...page }));
  for await (const { prediction, amount, potentialPayout } of open)
    book = add(book, prediction, amount, potentialPayout);
  return book;
}

export async function bothSides(context: BotContext): Promise<void> {
  let book: Book | null = null;
  for await (const market of context.markets) {
    const round = openRound(market);
    if (round === null) continue;
    if (book?.roundId !== round.id) book = await readBook(context, round);

    for (const prediction of SIDES) {
      const isUp = prediction === 'UP';
      const odds = isUp ? market.oddsUp : market.oddsDown;
      const payout = payoutDollars(STAKE, odds);
      if (payout < STAKE * ODDS_MIN || payout > STAKE * ODDS_MAX) continue;
      const minOdds = cautiousOdds(odds);
      const after: Book = add(book, prediction, STAKE, payoutDollars(STAKE, minOdds));
      if (after.bets > BETS_PER_ROUND_MAX || lossCents(after) > toCents(LOSS_MAX)) continue;

      const order = { marketId: market.id, prediction, amount: STAKE, minOdds };
      const placed = await placeIn(round, `both-sides-${after.bets}`, order, context);
      book =
        placed === null
          ? await readBook(context, round)
          : add(book, prediction, placed.bet.amount, placed.bet.potentialPayout);
    }
  }
}
