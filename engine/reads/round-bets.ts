/** The bets of a round in the order in which they joined it, for its Merkle root. */
import { must } from '../base/assert.js';
import { LIVE } from '../model/domain.js';
import type { HashedBet } from '../model/events.js';
import type { RoundView } from '../model/views.js';
import type { State } from '../state/state.js';

/** Whether the round's bets are final and its root is not on record, though it can be. */
export const awaitsRoot = ({ proof, status, resolvedAtMs, openPrice }: RoundView): boolean =>
  proof.root === null && status > LIVE && resolvedAtMs === null && openPrice !== null;

/** The round must be in memory and not resolved. Nothing may change while its bets are read. */
export function* roundBets(state: State, market: number, roundNumber: number): Generator<HashedBet> {
  const round = must(state.markets.market(market).rounds.get(roundNumber), 'a round in memory');
  for (let row = round.firstBet; row !== 0; ) {
    const chunk = state.bets.chunk(row);
    const i = state.bets.index(row);
    yield {
      timeMs: chunk.placedAtMs.at(i),
      bet: chunk.bet.at(i),
      market,
      roundNumber,
      side: chunk.side[i] as number,
      stakeCents: chunk.stakeCents.at(i),
      oddsE4: chunk.oddsE4.at(i),
      entryPercentE2: chunk.entryPercentE2[i] as number,
      payoutCents: chunk.payoutCents.at(i),
      clientSeed: chunk.clientSeeds.at(i),
    };
    row = chunk.next[i] as number;
  }
}
