/**
 * How the house splits its seeds. Odds are fixed at the bet, so anybody who looks at the price would bleed seeds that
 * stood still. In a round with the policy `fair` the house therefore moves its seeds, 2S in total, between the sides
 * until UP's published share is the fair probability that UP wins. That comes with each order, from the asset's ticks.
 * Everything here is a function of integers: the same order gives the same pools on every machine.
 */
import { mulDivCeil, mulDivFloor } from '../base/money.js';
import { WHOLE_E6 } from '../model/domain.js';
import type { QuoteView, RoundView } from '../model/views.js';

export type QuotedRound = Pick<
  RoundView,
  'poolUpCents' | 'poolDownCents' | 'payoutUpCents' | 'payoutDownCents' | 'seedCents' | 'feeBps' | 'quote'
>;

const WHOLE_BPS = 10_000;

/**
 * UP's pool in cents, the house's seeds included, when UP's fair share is `fairShareE6`; DOWN has the rest of the total,
 * which the split does not change. With the policy `fixed`, or without a fair share, the pool as it stands.
 */
export function quotedUpCents(round: QuotedRound, fairShareE6: number): number {
  const { poolUpCents, poolDownCents, seedCents, quote } = round;
  if (quote === null || fairShareE6 < 0) return poolUpCents;
  const stakesUpCents = poolUpCents - quote.seedUpCents;
  const target = targetShareE6(round, quote, fairShareE6);
  const wantedCents = mulDivFloor(target, poolUpCents + poolDownCents, WHOLE_E6) - stakesUpCents;
  return stakesUpCents + Math.min(Math.max(wantedCents, 1), 2 * seedCents - 1);
}

/**
 * The share at which the house offers UP. To begin with, the fair share moved towards a half by the fee, so that the fee
 * protects both sides alike: without that a share near 0 that is a little too low would already pay.
 *
 * The side on which the house owes less is then offered cheaper, by `shadeE6` for each 2S of the difference, so that the
 * next bets come there. But no cheaper than the round's edge bears: a bet of 1.1 S on it at this share must fit
 * (`exposure.ts`), or the offer would be one that nobody can take. Neither side is offered below `clampE6`.
 */
function targetShareE6(round: QuotedRound, quote: QuoteView, fairShareE6: number): number {
  const { payoutUpCents, payoutDownCents, seedCents, feeBps } = round;
  const isUpCheap = payoutUpCents < payoutDownCents;
  const fair = isUpCheap ? fairShareE6 : WHOLE_E6 - fairShareE6;
  const keptBps = WHOLE_BPS - feeBps;
  const middle = mulDivFloor(fair, keptBps, WHOLE_BPS) + (feeBps * WHOLE_E6) / (2 * WHOLE_BPS);
  const worth = mulDivCeil(fair, keptBps, WHOLE_BPS);
  const fitting = seedCents + Math.floor(seedCents / 10);
  const least = mulDivCeil(worth, fitting, fitting + quote.edgeCents);
  const shade = shadeOf(Math.abs(payoutUpCents - payoutDownCents), quote.shadeE6, 2 * seedCents);
  const shaded = Math.max(middle - shade, Math.min(middle, least));
  const offered = Math.min(Math.max(shaded, quote.clampE6), WHOLE_E6 - quote.clampE6);
  return isUpCheap ? offered : WHOLE_E6 - offered;
}

/** A shade of a whole share decides alone, so more than that needs no exact quotient, which might not be a safe integer. */
function shadeOf(imbalanceCents: number, shadeE6: number, seedsCents: number): number {
  if (imbalanceCents * shadeE6 >= WHOLE_E6 * seedsCents) return WHOLE_E6;
  return mulDivFloor(imbalanceCents, shadeE6, seedsCents);
}
