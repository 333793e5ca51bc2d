/** Rounds that are not settled, and the bets of one in the order in which they joined it, for its Merkle root. */
import { LIVE, MARKETS_MAX } from '../model/domain.js';
import type { HashedBet } from '../model/events.js';
import type { RoundView } from '../model/views.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';

/** The current round of each market, then those that have ended and are not settled. */
export function unfinishedRounds(engine: {
  currentRound(market: number): RoundView | null;
  unsettledRounds(): readonly RoundView[];
}): RoundView[] {
  const current = Array.from({ length: MARKETS_MAX }, (_, market) => engine.currentRound(market) ?? []);
  return [...current.flat(), ...engine.unsettledRounds()];
}

/** Whether the round's bets are final and its root is not on record, though it can be. */
export const awaitsRoot = ({ proof, status, resolvedAtMs, openPrice }: RoundView): boolean =>
  proof.root === null && status > LIVE && resolvedAtMs === null && openPrice !== null;

/** Reads on from bet to bet. The round must be in memory and not resolved: afterwards the rows are others'. */
export class RoundBets {
  #lastRow = 0;

  constructor(
    private readonly bets: State['bets'],
    private readonly round: Pick<Round, 'market' | 'roundNumber' | 'firstBet'>,
  ) {}

  /** null if there is none yet. */
  next(): HashedBet | null {
    const { bets } = this;
    const { market, roundNumber, firstBet } = this.round;
    const last = this.#lastRow;
    const row = last === 0 ? firstBet : (bets.chunk(last).next[bets.index(last)] as number);
    if (row === 0) return null;
    this.#lastRow = row;
    const chunk = bets.chunk(row);
    const i = bets.index(row);
    return {
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
  }
}
