/** Reads of an account's bets. Status, result and payout follow from the bet's columns and its round. */
import { paidCents } from '../handlers/settlement.js';
import { endStatus, NO_LIMIT, type PositionStatus, SETTLING, timeFrameMs } from '../model/domain.js';
import type { BetView } from '../model/views.js';
import type { State } from '../state/state.js';

export function betView(state: State, row: number): BetView {
  const chunk = state.bets.chunk(row);
  const i = state.bets.index(row);
  const market = chunk.market[i] as number;
  const roundNumber = chunk.roundNumber[i] as number;
  const isOpen = chunk.isOpen(i);
  const roundStatus = state.markets.statusOf(market, roundNumber);
  const stakeCents = chunk.stakeCents.at(i);
  const payoutCents = chunk.payoutCents.at(i);
  const result = chunk.result[i] as number;
  const limitRow = chunk.limitRowOf(i);
  const limit = limitRow === 0 ? null : state.bets.limits.view(limitRow);
  const isBet = limit === null || limit.filledAtMs !== null;
  return {
    bet: chunk.bet.at(i),
    market,
    roundNumber,
    side: chunk.side[i] as number,
    stakeCents,
    oddsE4: chunk.oddsE4.at(i),
    limitOddsE4: limit?.limitOddsE4 ?? NO_LIMIT,
    rested: limit?.rested ?? false,
    filledAtMs: limit?.filledAtMs ?? null,
    validUntilMs: limit?.validUntilMs ?? null,
    entryPercentE2: isBet ? (chunk.entryPercentE2[i] as number) : null,
    clientSeed: chunk.clientSeeds.at(i),
    clientOrderId: chunk.clientOrderIds.at(i),
    payoutCents,
    status: isOpen ? openStatus(isBet, roundStatus) : endStatus(result),
    result,
    paidCents: isOpen || !isBet ? null : paidCents(result, stakeCents, payoutCents),
    placedAtMs: chunk.placedAtMs.at(i),
    settledAtMs: isOpen ? null : chunk.settledAtMs.at(i),
    roundStatus,
    roundEndTimeMs: (roundNumber + 1) * timeFrameMs(market),
  };
}

function openStatus(isBet: boolean, roundStatus: number): PositionStatus {
  if (!isBet) return 'PENDING';
  return roundStatus >= SETTLING ? 'SETTLING' : 'ACTIVE';
}

function openRows(state: State, account: number, limit: number): number[] {
  const rows: number[] = [];
  const openBets = Math.min(limit, state.accounts.openBets(account));
  state.retainedBets.newestFirst(account, (row) => {
    if (state.bets.chunk(row).isOpen(state.bets.index(row))) rows.push(row);
    return rows.length < openBets;
  });
  return rows.slice(0, limit);
}

export const openPositions = (state: State, account: number): BetView[] =>
  openRows(state, account, Number.POSITIVE_INFINITY).map((row) => betView(state, row));

/** Merges open bets, by placement, with ended ones, by their end. A fill moves nothing: it would cost a second order. */
export function changedRows(state: State, account: number, limit: number): number[] {
  const open = openRows(state, account, limit);
  const rows: number[] = [];
  const changedSeq = (row: number) => state.bets.chunk(row).changedSeq.at(state.bets.index(row));
  let nextOpen = 0;
  let settled = state.retainedBets.newestSettled(account);
  while (rows.length < limit) {
    const candidate = open[nextOpen] ?? 0;
    if (candidate === 0 && settled === 0) break;
    if (settled === 0 || (candidate !== 0 && changedSeq(candidate) > changedSeq(settled))) {
      rows.push(candidate);
      nextOpen++;
    } else {
      rows.push(settled);
      settled = state.bets.chunk(settled).settledOlder[state.bets.index(settled)] as number;
    }
  }
  return rows;
}
