/**
 * Leads lists of bets on into the archive. A page merges the bets of memory and archive in one range of numbers: bets
 * leave memory when they are neither open nor among the last placed or settled, so memory has gaps, and only together
 * do they have every bet.
 */
import type { ArchivedBetView, BetsAnswer, BetsQuestion } from '../../../engine/model/archive-reads.js';
import { isListed } from '../../../engine/model/bet-pages.js';
import type { BetView } from '../../../engine/model/views.js';
import * as M from '../../board/markets.js';
import { cursorOf, readCursor } from '../../link/list-cursor.js';
import type { BetsReply } from '../../link/orders.js';
import type { ListFields } from '../../link/questions.js';

/**
 * The newest bets are all in memory, at least as many as a page lists, and so is every open one; a first page in the
 * order of changes shows memory alone.
 */
export function needsArchive(
  { status, isByChange, cursor, limit, ...filters }: ListFields,
  reply: BetsReply,
): boolean {
  if (status === 'open' || isByChange) return false;
  const isNewest =
    cursor.length === 0 && status === 'all' && Object.values(filters).every((filter) => filter === null);
  // With so many bets, and more to come, memory leads on.
  return !isNewest || (reply.bets.length === limit && reply.next.length === 0);
}

export function archivePage(
  account: number,
  { cursor, isByChange: _, ...list }: ListFields,
): Omit<BetsQuestion, 'kind' | 'reachedSeq'> {
  const [beforeBet = Number.POSITIVE_INFINITY] = cursor;
  return { ...list, account, beforeBet, status: 'all', fromMs: null };
}

const marketRow = new Float64Array(M.MARKET_FIELDS);

/** The archive takes the round of an order that has ended for settled, but a cancelled order's may still be open. */
export function inItsRound(board: M.Board, bet: ArchivedBetView): ArchivedBetView {
  board.markets.read(bet.market, marketRow);
  const isCurrent = marketRow[M.ROUND_NUMBER] === bet.roundNumber;
  return isCurrent ? { ...bet, roundStatus: marketRow[M.STATUS] as number } : bet;
}

/** Both as far down as both have been read. Memory knows more of a bet that is in both. */
export function mergedPage(
  { status, cursor, limit }: ListFields,
  reply: BetsReply,
  answer: BetsAnswer,
): BetsReply {
  const [memoryFrom = 0] = reply.next;
  const readDownTo = Math.max(memoryFrom, answer.nextBeforeBet ?? 0);
  // A bet that the archive takes for open is in memory, with its present status.
  const { rest } = readCursor(cursor);
  const archived = answer.bets.filter(
    ({ bet, settledSeq }) =>
      (status === 'all' || settledSeq !== null) &&
      (rest === null || !isListed(rest, bet, settledSeq === null, settledSeq ?? 0)),
  );
  const byNumber = new Map<number, BetView>(archived.map((bet) => [bet.bet, bet]));
  for (const bet of reply.bets) byNumber.set(bet.bet, bet);
  const all = [...byNumber.values()]
    .filter(({ bet }) => bet >= readDownTo)
    .sort((one, other) => other.bet - one.bet);
  const bets = all.slice(0, limit);
  const beforeBet = all.length > limit ? (bets.at(-1)?.bet ?? 0) : readDownTo;
  // The next page begins near it, not at the newest bet: memory passes over so many rows and no more.
  const isMemoryAhead = (reply.next[1] ?? 0) < beforeBet;
  const [, nearBet = 0, nearRow = 0] = isMemoryAhead ? cursor : reply.next;
  return { bets, next: beforeBet === 0 ? [] : cursorOf({ beforeBet, nearBet, nearRow }, rest) };
}
