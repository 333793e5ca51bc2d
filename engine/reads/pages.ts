/**
 * Pages of an account's bets in memory, most recently placed first. A page looks at a bounded number of rows, so that no
 * reader holds up the orders: it may hold fewer bets than asked for, and says where to go on.
 */
import {
  ALL_BETS,
  type BetsPage,
  type BetsPlace,
  type BetsQuery,
  isListed,
  LIST_LIMIT_MAX,
  type Listed,
} from '../model/bet-pages.js';
import type { BetView } from '../model/views.js';
import type { State } from '../state/state.js';
import { betView, changedRows } from './bets.js';

/** A page passes over at most so many other bets, besides the recently placed and settled ones. */
const ROWS_PASSED_MAX = 1_000;

export function betsPage(state: State, account: number, query: BetsQuery): BetsPage {
  const { from, limit } = query;
  const { bets } = state;
  const found: BetView[] = [];
  let last = 0;
  let row = startOf(state, account, from);
  for (let left = limit + rowsPassedMax(state); row !== 0 && left > 0; left--) {
    if (isMeant(state, row, query)) {
      // The page ends before the next bet that is meant, so that there is no further page without one.
      if (found.length === limit) break;
      found.push(betView(state, row));
    }
    last = row;
    row = bets.chunk(row).older[bets.index(row)] as number;
  }
  return { bets: found, next: row === 0 ? null : placeAt(state, last, from) };
}

/**
 * The first page of open and settled bets in the order of their last change, and what the pages after it list, in the order
 * of placement: the rest of what there was when this page was read. There are such pages, too, where memory has no more but
 * settled bets may have left it.
 */
export function changesPage(
  state: State,
  account: number,
  limit: number,
): BetsPage & { readonly rest: Listed } {
  const rows = changedRows(state, account, limit);
  const bets = rows.map((row) => betView(state, row));
  const rest = listedBy(state, rows);
  const from = { beforeBet: state.bets.placedCount + 1, nearBet: 0, nearRow: 0 };
  const ahead = betsPage(state, account, { ...ALL_BETS, from, limit: 1, rest });
  const isLast = ahead.bets.length === 0 && ahead.next === null && !hasForgotten(state, account);
  return { bets, next: isLast ? null : from, rest };
}

/** Settled bets may have left memory once as many are kept as the rules keep, or kept at some time. */
function hasForgotten({ accounts, rulesInForce }: State, account: number): boolean {
  const settledKept = accounts.chunk(account).settledKept[accounts.row(account)] as number;
  return settledKept >= Math.min(rulesInForce.historyBetsMax, LIST_LIMIT_MAX);
}

function listedBy(state: State, rows: readonly number[]): Listed {
  let openDownTo = state.bets.placedCount + 1;
  let settledDownTo = state.seq + 1;
  let last: number[] = [];
  for (const row of rows) {
    const chunk = state.bets.chunk(row);
    const i = state.bets.index(row);
    const bet = chunk.bet.at(i);
    const changedSeq = chunk.changedSeq.at(i);
    if (chunk.isOpen(i)) openDownTo = bet;
    else {
      if (changedSeq !== settledDownTo) last = [];
      settledDownTo = changedSeq;
      last.push(bet);
    }
  }
  return { seq: state.seq, openDownTo, settledDownTo, last };
}

/** A page passes over all that is kept for other reasons, however much the rules keep. */
const rowsPassedMax = (state: State): number => ROWS_PASSED_MAX + 2 * state.rulesInForce.historyBetsMax;

/** The row that the place names, if it still has that bet, else the account's newest. */
function startOf({ accounts, bets }: State, account: number, from: BetsPlace | null): number {
  if (from !== null && from.nearBet > 0 && from.nearRow > 0 && from.nearRow < bets.rowsEnd) {
    const chunk = bets.chunk(from.nearRow);
    const i = bets.index(from.nearRow);
    if (chunk.bet.at(i) === from.nearBet && chunk.account[i] === account) return from.nearRow;
  }
  return accounts.chunk(account).newestBet[accounts.row(account)] as number;
}

function placeAt({ bets }: State, last: number, from: BetsPlace | null): BetsPlace {
  const nearBet = bets.betOf(last);
  return { beforeBet: Math.min(nearBet, from?.beforeBet ?? nearBet), nearBet, nearRow: last };
}

/** Called for each bet passed over. Rest syntax in its parameters doubled the time of a page. */
function isMeant({ bets }: State, row: number, query: BetsQuery): boolean {
  const { status, market, roundNumber, beforeMs, clientOrderId, from, rest } = query;
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const bet = chunk.bet.at(i);
  if (from !== null && bet >= from.beforeBet) return false;
  const isOpen = chunk.isOpen(i);
  if (status !== 'all' && (status === 'open') !== isOpen) return false;
  if (market !== null && chunk.market[i] !== market) return false;
  if (roundNumber !== null && chunk.roundNumber[i] !== roundNumber) return false;
  if (beforeMs !== null && chunk.placedAtMs.at(i) >= beforeMs) return false;
  if (clientOrderId !== null && chunk.clientOrderIds.at(i) !== clientOrderId) return false;
  return rest === null || !isListed(rest, bet, isOpen, chunk.changedSeq.at(i));
}
