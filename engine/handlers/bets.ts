/** A bet takes its place, in its round's pools, in the tables, and in the list of its account; and it ends. */
import type { PlaceOrder } from '../model/commands.js';
import { UP } from '../model/domain.js';
import type { BetSettled } from '../model/events.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';
import type { Offer } from './order-checks.js';

/** The stake joins its pool at the offer. `row` becomes the last of its round. */
export function joinRound(
  state: State,
  round: Round,
  row: number,
  side: number,
  offer: Offer,
  fairShareE6: number,
): void {
  const { bets } = state;
  round.noteShare(fairShareE6);
  const stakeCents = bets.chunk(row).stakeCents.at(bets.index(row));
  state.retainedBets.sum(row, 1);
  joinPools(round, side, stakeCents, offer);
  state.markets.potsCents += stakeCents;
  state.markets.openStakesCents += stakeCents;
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
}

export function joinPools(round: Round, side: number, stakeCents: number, offer: Offer): void {
  quoteAt(round, offer);
  if (side === UP) {
    round.poolUpCents += stakeCents;
    round.payoutUpCents += offer.payoutCents;
  } else {
    round.poolDownCents += stakeCents;
    round.payoutDownCents += offer.payoutCents;
  }
  round.betCount++;
  round.volumeCents += stakeCents;
}

function quoteAt(round: Round, { upCents, edgeCents }: Offer): void {
  const { quote } = round;
  if (quote === null) return;
  const movedCents = upCents - round.poolUpCents;
  round.poolUpCents += movedCents;
  round.poolDownCents -= movedCents;
  quote.seedUpCents += movedCents;
  quote.edgeCents += edgeCents;
}

export type BetOdds = Pick<Offer, 'oddsE4' | 'entryPercentE2' | 'payoutCents'>;

/** The odds are the bet's, or those that a resting order waits for. */
export function addRow(
  state: State,
  order: PlaceOrder,
  round: Round,
  { oddsE4, entryPercentE2, payoutCents }: BetOdds,
): number {
  const { bets } = state;
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  chunk.stakeCents.set(i, order.stakeCents);
  chunk.oddsE4.set(i, oddsE4);
  chunk.payoutCents.set(i, payoutCents);
  chunk.placedAtMs.set(i, order.timeMs);
  chunk.changedSeq.set(i, state.nextSeq);
  chunk.account[i] = order.account;
  chunk.roundNumber[i] = round.roundNumber;
  chunk.market[i] = round.market;
  chunk.side[i] = order.side;
  chunk.result[i] = 0;
  chunk.entryPercentE2[i] = entryPercentE2;
  chunk.clientSeeds.set(i, order.clientSeed);
  chunk.clientOrderIds.set(i, order.clientOrderId);
  chunk.next[i] = 0;
  state.retainedBets.placed(order.account, row, state.rulesInForce.historyBetsMax);
  return row;
}

/** The bet or resting order in `row` ends with `result`, an index into `BET_ENDS`; its account gets `payoutCents`. */
export function endBet(
  state: State,
  row: number,
  result: number,
  payoutCents: number,
  timeMs: number,
): BetSettled {
  const { bets, accounts, retainedBets, nextSeq } = state;
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const account = chunk.account[i] as number;
  chunk.result[i] = result;
  chunk.settledAtMs.set(i, timeMs);
  chunk.changedSeq.set(i, nextSeq);
  const ended: BetSettled = {
    type: 'betSettled',
    timeMs,
    bet: chunk.bet.at(i),
    account,
    market: chunk.market[i] as number,
    roundNumber: chunk.roundNumber[i] as number,
    side: chunk.side[i] as number,
    stakeCents: chunk.stakeCents.at(i),
    result,
    payoutCents,
    newBalanceCents: accounts.move(account, payoutCents, nextSeq),
    rested: bets.hasRested(row),
    clientOrderId: chunk.clientOrderIds.at(i),
  };
  retainedBets.settled(account, row, state.rulesInForce.historyBetsMax);
  return ended;
}
