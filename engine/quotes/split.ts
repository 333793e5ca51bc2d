/**
 * How the house splits its seeds (design, section 2). Odds are fixed at the bet, so seeds that stood still would be bled
 * by whoever looks at the price. In a round with the policy `fair` the house therefore moves its seeds, 2S in total,
 * between the sides until UP's published share is the fair probability that UP wins.
 *
 * The fair share is worked out outside the engine from the asset's ticks and arrives in each order. Everything here is
 * a function of integers: the same order gives the same pools on every machine.
 */
import { mulDivFloor } from '../base/money.js';
import { NO_FAIR_SHARE, WHOLE_E6 } from '../model/domain.js';
import type { RoundView } from '../model/views.js';

/** What the split depends on. */
export type QuotedRound = Pick<
  RoundView,
  'poolUpCents' | 'poolDownCents' | 'payoutUpCents' | 'payoutDownCents' | 'seedCents' | 'quote'
>;

/**
 * UP's pool in cents, the house's seeds included, when UP's fair share is `fairShareE6`; DOWN has the rest of the total,
 * which the split does not change. With the policy `fixed`, or without a fair share, the pool as it stands.
 */
export function quotedUpCents(round: QuotedRound, fairShareE6: number): number {
  const { poolUpCents, poolDownCents, seedCents, quote } = round;
  if (quote === null || fairShareE6 === NO_FAIR_SHARE) return poolUpCents;
  const stakesUpCents = poolUpCents - quote.seedUpCents;
  const target = targetShareE6(round, fairShareE6, quote.shadeE6, quote.clampE6);
  const wantedCents = mulDivFloor(target, poolUpCents + poolDownCents, WHOLE_E6) - stakesUpCents;
  return stakesUpCents + Math.min(Math.max(wantedCents, 1), 2 * seedCents - 1);
}

/**
 * The share at which the house offers UP: the fair share, higher by `shadeE6` for each 2S by which it owes more on UP
 * than on DOWN (lower where it owes more on DOWN), and never nearer than `clampE6` to 0 or 1.
 */
function targetShareE6(round: QuotedRound, fairShareE6: number, shadeE6: number, clampE6: number): number {
  const moreOnUpCents = round.payoutUpCents - round.payoutDownCents;
  const shade = shadeOf(Math.abs(moreOnUpCents), shadeE6, 2 * round.seedCents);
  const target = moreOnUpCents < 0 ? fairShareE6 - shade : fairShareE6 + shade;
  return Math.min(Math.max(target, clampE6), WHOLE_E6 - clampE6);
}

/** A shade of a whole share decides alone, so more than that needs no exact quotient, which might not be a safe integer. */
function shadeOf(imbalanceCents: number, shadeE6: number, seedsCents: number): number {
  if (imbalanceCents * shadeE6 >= WHOLE_E6 * seedsCents) return WHOLE_E6;
  return mulDivFloor(imbalanceCents, shadeE6, seedsCents);
}
