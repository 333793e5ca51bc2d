/** Pages of an account's bets: what is asked for, and where a page ends. */
import type { BetView } from './views.js';

export type BetsStatus = 'open' | 'settled' | 'all';

/** Where a page begins: only bets with a number below `beforeBet`. */
export interface BetsPlace {
  readonly beforeBet: number;
  /** A bet before which nothing has to be looked at, and its row in memory; 0 if there is none. The row may have another bet by now. */
  readonly nearBet: number;
  readonly nearRow: number;
}

/** What a first page, in the order of changes, has shown. */
export interface Listed {
  /** Number of the last command then. */
  readonly seq: number;
  /** Of the bets that were open then: those from this number on. */
  readonly openDownTo: number;
  /** Of those settled then: what later commands than this one settled, and of its bets those in `last`. */
  readonly settledDownTo: number;
  readonly last: readonly number[];
}

/** Whether that page has shown the bet, which the command `changedSeq` changed last; what was open then may be settled by now. */
export function isListed(
  { seq, openDownTo, settledDownTo, last }: Listed,
  bet: number,
  isOpen: boolean,
  changedSeq: number,
): boolean {
  if (isOpen || changedSeq > seq) return bet >= openDownTo;
  return changedSeq > settledDownTo || (changedSeq === settledDownTo && last.includes(bet));
}

export interface BetsQuery {
  readonly status: BetsStatus;
  /** null for all. */
  readonly market: number | null;
  readonly roundNumber: number | null;
  /** Only bets that were placed before this time. */
  readonly beforeMs: number | null;
  /** Only orders of this name; null for all. */
  readonly clientOrderId: string | null;
  /** null to begin with the newest. */
  readonly from: BetsPlace | null;
  /** What has been shown already, or null. */
  readonly rest: Listed | null;
  readonly limit: number;
}

export interface BetsPage {
  readonly bets: readonly BetView[];
  /** null if there are no more in memory. */
  readonly next: BetsPlace | null;
}
