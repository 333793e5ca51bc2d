/**
 * Limits on a round's debts. Two rules hold after every bet:
 *
 * - A round never owes more on a side than its pool holds.
 * - With the policy `fair`, a round never sells below the fair share for more than it has earned above it. Each bet's
 *   edge is its stake less the payout's worth at the fair share of that moment, and the edges of a round add up to 0
 *   or more. Seeds reach only so far: beyond them one side is cheap because the other was bought dear, and this
 *   rule lets bettors have just what others have overpaid.
 *
 * The second rule is why no set of bets wins for sure: at a fair share p the bettors' worse result is at most the mean
 * of both, weighted with p and 1 - p, which is what they staked less the edge. It also makes the house's expected
 * result the edge, if the fair shares are the probabilities, however the price moves between the bets.
 */
import { mulDivCeil } from '../base/money.js';
import { RESULT_DOWN, RESULT_NONE, RESULT_UP, UP, WHOLE_E6 } from '../model/domain.js';
import type { RoundView } from '../model/views.js';
import { type QuotedRound, quotedUpCents } from './split.js';

export type ExposedRound = QuotedRound & Pick<RoundView, 'feeBps' | 'minStakeCents' | 'maxStakeCents'>;

/**
 * The house's result of a round, in cents, if it ends with `result` (an index into `ROUND_RESULTS`): the stakes less
 * what is paid. A draw or a void refunds all stakes. By the first rule it never loses more than the seeds.
 */
export function houseResultCents(
  {
    volumeCents,
    payoutUpCents,
    payoutDownCents,
  }: Pick<RoundView, 'volumeCents' | 'payoutUpCents' | 'payoutDownCents'>,
  result: number,
): number {
  if (result === RESULT_UP) return volumeCents - payoutUpCents;
  return result === RESULT_DOWN ? volumeCents - payoutDownCents : 0;
}

/**
 * The house's worst result of a round, in cents: a decided one has its result; any other may also be a draw or a void,
 * which cost nothing.
 */
export function worstResultCents(
  round: Pick<RoundView, 'result' | 'volumeCents' | 'payoutUpCents' | 'payoutDownCents'>,
): number {
  const { result } = round;
  return result === RESULT_NONE
    ? Math.min(0, houseResultCents(round, RESULT_UP), houseResultCents(round, RESULT_DOWN))
    : houseResultCents(round, result);
}

/** The house's average gain from a bet, in cents, rounded down: below 0 where the side is sold too cheap. */
export function edgeCents(side: number, stake: number, payout: number, fairShareE6: number): number {
  return stake - mulDivCeil(payout, side === UP ? fairShareE6 : WHOLE_E6 - fairShareE6, WHOLE_E6);
}

/**
 * The stake in cents up to which a bet on `side` breaks neither rule at this moment, at most the round's `maxBet`; 0 where
 * not even its `minBet` fits. A much larger stake may fit again, since it makes its own odds worse.
 */
export function availableCents(round: ExposedRound, side: number, fairShareE6: number): number {
  const { quote, payoutUpCents, payoutDownCents, minStakeCents, maxStakeCents } = round;
  if (quote !== null && fairShareE6 < 0) return 0;
  const totalCents = round.poolUpCents + round.poolDownCents;
  const upCents = quotedUpCents(round, fairShareE6);
  const sideCents = side === UP ? upCents : totalCents - upCents;
  const owedCents = side === UP ? payoutUpCents : payoutDownCents;
  const kept = 1 - round.feeBps / 10_000;
  let limit = Math.min(
    maxStakeCents,
    firstRoot(totalCents - owedCents, sideCents, totalCents, kept, WHOLE_E6),
  );
  if (quote !== null) {
    const shareE6 = side === UP ? fairShareE6 : WHOLE_E6 - fairShareE6;
    limit = Math.min(limit, firstRoot(quote.edgeCents, sideCents, totalCents, kept, shareE6));
  }
  // The root is of real numbers. Odds and payouts are rounded down, and the pool and the edge are whole cents.
  const stake = Math.floor(limit);
  return stake >= minStakeCents ? stake : 0;
}

/**
 * The least stake s > 0 at which `spare + s = kept * share * s * (total + s) / (side + s)`, or Infinity: until there the
 * pool, or the edge, bears what a bet of s adds.
 */
function firstRoot(spare: number, side: number, total: number, kept: number, shareE6: number): number {
  const square = 1 - (kept * shareE6) / WHOLE_E6;
  // Without a fee this is often 0, and must not come out below: a side at just its fair share bears any stake.
  const linear = spare + side - kept * ((shareE6 * total) / WHOLE_E6);
  const discriminant = linear * linear - 4 * square * spare * side;
  if (linear >= 0 || discriminant < 0) return Number.POSITIVE_INFINITY;
  return (2 * spare * side) / (Math.sqrt(discriminant) - linear);
}
