/** The order of a round's bets: they joined it by number, but for limit orders that have rested. */
import type { Round } from './rounds.js';
import type { State } from './state.js';

/** Such a bet joined after one with a higher number; `afterBet` is just before it. */
interface LateBet {
  readonly bet: number;
  readonly afterBet: number;
}

/** The round's open bets that are behind higher numbers, in their order; between them the others' numbers rise. */
export function* lateBets({ bets }: State, round: Round): Generator<LateBet> {
  let highest = 0;
  let before = 0;
  // Only the unsettled bets of a round in settlement are linked for certain.
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
