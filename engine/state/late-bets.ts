/**
 * The order of a round's bets. They are in the order in which they joined it, which is by number but for limit orders that
 * have rested.
 */
import type { Round } from './rounds.js';
import type { State } from './state.js';

/** A bet that joined its round after one with a higher number, and the bet just before it. */
interface LateBet {
  readonly bet: number;
  readonly afterBet: number;
}

/** The open bets of a round that are behind higher numbers, in their order; between them the numbers of the others rise. */
export function* lateBets({ bets }: State, round: Round): Generator<LateBet> {
  let highest = 0;
  let before = 0;
  // Of a round in settlement only what is not settled yet is linked for certain.
  let row = round.resolvedAtMs === null ? round.firstBet : round.nextToSettle;
  while (row !== 0) {
    const chunk = bets.chunk(row);
    const i = bets.index(row);
    const bet = chunk.bet[i] as number;
    if (bet < highest) yield { bet, afterBet: before };
    else highest = bet;
    before = bet;
    row = chunk.next[i] as number;
  }
}
