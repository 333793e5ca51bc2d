/** Pages of an account's bets: the query, and where a page ends. */
import type { BetView } from './views.js';

/**
 * Items on a page of a list at most. Memory keeps at least as many of an account's bets, the last placed and the last
 * settled: a first page of orders is from memory alone, and must have no gaps.
 */
export const LIST_LIMIT_MAX = 200;

export type BetsStatus = 'open' | 'settled' | 'all';

/** Where a page begins: only bets with a number below `beforeBet`. */
export interface BetsPlace {
  readonly beforeBet: number;
  /**
   * No newer bet than this one has to be looked at; `nearRow` is its row in memory, 0 if there is none. The row may have
   * another bet by now.
   */
  readonly nearBet: number;
  readonly nearRow: number;
}

/** The bets that a first page, in the order of changes, has shown. */
export interface Listed {
  /** The last command at that time. */
  readonly seq: number;
  /** The page showed bets that were open then from this number on. */
  readonly openDownTo: number;
  /** The page showed bets that later commands than this one had settled, and of its own bets those in `last`. */
  readonly settledDownTo: number;
  readonly last: readonly number[];
}

/** Whether that page has shown the bet, which `changedSeq` changed last; a bet open then may be settled by now. */
export function isListed(
  { seq, openDownTo, settledDownTo, last }: Listed,
  bet: number,
  isOpen: boolean,
  changedSeq: number,
): boolean {
  if (isOpen || changedSeq > seq) return bet >= openDownTo;
  return changedSeq > settledDownTo || (changedSeq === settledDownTo && last.includes(bet));
}

export interface BetsFilter {
  readonly status: BetsStatus;
  readonly market: number | null;
  readonly roundNumber: number | null;
  /** Only bets that were placed before this time. */
  readonly beforeMs: number | null;
  readonly clientOrderId: string | null;
}

export const ALL_BETS: BetsFilter = {
  status: 'all',
  market: null,
  roundNumber: null,
  beforeMs: null,
  clientOrderId: null,
};

export interface BetsQuery extends BetsFilter {
  /** null to begin with the newest. */
  readonly from: BetsPlace | null;
  /** Bets shown already are left out. */
  readonly rest: Listed | null;
  readonly limit: number;
}

export interface BetsPage {
  readonly bets: readonly BetView[];
  readonly next: BetsPlace | null;
}
