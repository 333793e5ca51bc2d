/** Resting orders: cancelling them, and giving back the stakes of those that never became bets. */
import { assert } from '../base/assert.js';
import type { CancelOrder, CancelOrders, ExpireOrders } from '../model/commands.js';
import { END_CANCELLED, END_EXPIRED } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { BetSettled, EngineEvent } from '../model/events.js';
import type { BetChunk } from '../state/bets.js';
import { type Effect, reject, rejectForNow, type State } from '../state/state.js';
import { endBet } from './bets.js';

/** `gate` is as for orders: a cancellation has to be journaled, too. */
export function cancelOrder(state: State, command: CancelOrder, gate: ErrorCode | null): Effect {
  const { account, bet, timeMs } = command;
  const row = rowOf(state, account, bet);
  if (row === 0) return reject('order_not_found', 'no order of this account has this id');
  if (!isPending(state, row)) return reject('order_not_pending', 'only an order that rests can be cancelled');
  if (gate !== null) return rejectForNow(gate);
  return [release(state, row, END_CANCELLED, timeMs)];
}

export function cancelOrders(state: State, command: CancelOrders, gate: ErrorCode | null): Effect {
  const { account, market, side, placedBy, ordersMax, timeMs } = command;
  assert(ordersMax > 0, 'a slice takes at least one order');
  const rows = restingOf(state, account, ordersMax, (chunk, i, row) => {
    if (placedBy !== null && state.bets.keyOf(row) !== placedBy) return false;
    if (market !== null && chunk.market[i] !== market) return false;
    return side === null || chunk.side[i] === side;
  });
  if (rows.length === 0) return reject('order_not_pending', 'no such order of this account rests');
  return gate === null ? cancelRows(state, rows, timeMs) : rejectForNow(gate);
}

/** 0 if the bet is not in memory or another account's. */
export function rowOf({ bets, retainedBets }: State, account: number, bet: number): number {
  let found = 0;
  retainedBets.newestFirst(account, (row) => {
    const number = bets.chunk(row).bet.at(bets.index(row));
    if (number === bet) found = row;
    return number > bet;
  });
  return found;
}

const isPending = ({ bets }: State, row: number): boolean =>
  bets.chunk(row).isOpen(bets.index(row)) && bets.isUnfilled(row);

export const cancelAllOf = (state: State, account: number, timeMs: number): EngineEvent[] =>
  cancelRows(state, restingOf(state, account, Number.POSITIVE_INFINITY), timeMs);

const cancelRows = (state: State, rows: readonly number[], timeMs: number): EngineEvent[] =>
  rows.map((row) => release(state, row, END_CANCELLED, timeMs));

function restingOf(
  state: State,
  account: number,
  most: number,
  fits: (chunk: BetChunk, i: number, row: number) => boolean = () => true,
): number[] {
  const { accounts, bets, retainedBets } = state;
  const rows: number[] = [];
  let left = accounts.pendingOrders(account);
  if (left === 0) return rows;
  retainedBets.newestFirst(account, (row) => {
    if (!isPending(state, row)) return true;
    left--;
    if (fits(bets.chunk(row), bets.index(row), row)) rows.push(row);
    return left > 0 && rows.length < most;
  });
  return rows;
}

/** The first `ordersMax` orders that have ended, or whose rounds take no more bets, market by market. */
export function expireOrders(state: State, { timeMs, ordersMax }: ExpireOrders): Effect {
  assert(ordersMax > 0, 'a slice takes at least one order');
  const { markets, books } = state;
  const current = markets.markets.flatMap((market) => market.current ?? []);
  const events: EngineEvent[] = [];
  for (const round of [...current, ...markets.awaitingPrice]) {
    const isClosed = timeMs >= round.bettingClosesMs;
    while (events.length < ordersMax) {
      const limitRow = isClosed ? books.first(round) : books.firstEnded(round, timeMs);
      if (limitRow === 0) break;
      events.push(releaseLimit(state, limitRow, END_EXPIRED, timeMs));
    }
  }
  return events.length === 0 ? reject('invalid_request', 'no resting order has expired') : events;
}

export function releaseLimit(state: State, limitRow: number, end: number, timeMs: number): BetSettled {
  const { limits } = state.bets;
  return release(state, limits.chunk(limitRow).betRow[limits.index(limitRow)] as number, end, timeMs);
}

/** When `expireOrders` next has work; Infinity if nothing rests. Rounds with a result are left to `settle`. */
export function nextExpiryMs({ books }: State): number {
  let dueMs = Number.POSITIVE_INFINITY;
  for (const round of books.rounds)
    if (round.resolvedAtMs === null)
      dueMs = Math.min(dueMs, round.bettingClosesMs, books.lastValidMs(round) + 1);
  return dueMs;
}

function release(state: State, row: number, end: number, timeMs: number): BetSettled {
  const { bets, books, markets } = state;
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const round = markets.market(chunk.market[i] as number).rounds.get(chunk.roundNumber[i] as number);
  assert(round !== undefined, `the round of order ${chunk.bet.at(i)} is in memory`);
  books.remove(round, chunk.side[i] as number, chunk.limitRowOf(i));
  return endBet(state, row, end, chunk.stakeCents.at(i), timeMs);
}
