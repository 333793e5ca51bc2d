/**
 * Questions about data that has left the engine's memory, and their answers, as a reader of the archive gives them on a
 * thread of its own. `http` asks, `persistence` answers, and `start/server.ts` gives each gateway a port to the reader.
 */
import type { BetsFilter } from './bet-pages.js';
import type { RoundName } from './domain.js';
import type { ErrorCode } from './errors.js';
import type { ActionsAnswer, ActionsQuestion } from './operators.js';
import type { ProofView, PublishedRoot } from './proofs/proof-views.js';
import type { BetView, RoundFigures } from './views.js';

/**
 * The answer must show everything up to this command, which must be durable: for an account its `accountTouchedSeq`
 * when the question was asked. The archive follows the journal, so an answer may have to wait for it.
 */
export interface ReachedSeq {
  readonly reachedSeq: number;
}

/** By number, newest first. null for any, in each field. */
export interface BetsQuestion extends ReachedSeq, BetsFilter {
  readonly kind: 'bets';
  readonly account: number | null;
  /** Only bets with a smaller number; Infinity for all. */
  readonly beforeBet: number;
  /** Only bets that were placed at this time or later. */
  readonly fromMs: number | null;
  readonly limit: number;
}

/** Answered only if the bet is the account's. */
export interface BetQuestion extends ReachedSeq {
  readonly kind: 'bet';
  readonly account: number;
  readonly bet: number;
}

/** Newest first. */
export interface LedgerQuestion extends ReachedSeq {
  readonly kind: 'ledger';
  readonly account: number;
  /** Only entries before this one; null for all. */
  readonly before: LedgerPlace | null;
  readonly limit: number;
}

/** Settled rounds, the last to start first; those that start together by the ids of their markets, the last first. */
export interface RoundsQuestion extends ReachedSeq {
  readonly kind: 'rounds';
  readonly market: number | null;
  /** Only rounds that start at or after, and before, these times; null for any. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Only rounds after this one in the answer's order; null for all. */
  readonly after: { readonly startTimeMs: number; readonly market: number } | null;
  readonly limit: number;
}

/** Earnings from rounds whose windows end at or after, and before, these times. */
export interface EarningsQuestion extends ReachedSeq {
  readonly kind: 'earnings';
  readonly fromMs: number;
  readonly toMs: number;
}

/** The proof of a settled round. */
interface RoundProofQuestion extends ReachedSeq, RoundName {
  readonly kind: 'roundProof';
}

/** The way from a bet's leaf to the root of its round, which is settled. */
export interface BetPathQuestion extends ReachedSeq, RoundName {
  readonly kind: 'betPath';
  readonly bet: number;
  /** In hex. */
  readonly seed: string;
}

export type ArchiveQuestion =
  | BetsQuestion
  | BetQuestion
  | LedgerQuestion
  | RoundsQuestion
  | EarningsQuestion
  | ActionsQuestion
  | RoundProofQuestion
  | BetPathQuestion;

export interface ArchivedBetView extends BetView {
  readonly account: number;
  /** The command that made it a bet: null before, and where the archive began after the order was placed. */
  readonly betSeq: number | null;
  /** The command that settled it; null while it is open. */
  readonly settledSeq: number | null;
}

/**
 * Bets as the archive knows them: the engine knows at least as much of a bet in memory, and it alone knows the round's
 * status of an open one.
 */
export interface BetsAnswer {
  readonly bets: readonly ArchivedBetView[];
  /** The next question's `beforeBet`; null if there are no older ones. There may be fewer bets than asked for. */
  readonly nextBeforeBet: number | null;
}

/**
 * An account's ledger, as a reader of the archive shows it. `reserve` is the stake of a limit order that rests; `fill`
 * says that the order has become a bet: its stake, which is gone already, moves into the pool, so the amount is 0.
 * `payout` is a win, `refund` the stake of a draw, of a voided round, or of a limit order that ended unfilled. `seed`
 * and `settlement` are the house's: its seeds of a round and what it gets back. `forward` stands for all entries that
 * are no longer known.
 */
export type LedgerKind =
  | 'deposit'
  | 'withdrawal'
  | 'stake'
  | 'reserve'
  | 'fill'
  | 'payout'
  | 'refund'
  | 'seed'
  | 'settlement'
  | 'forward';

/** Event `item` of command `seq`. */
export interface LedgerPlace {
  readonly seq: number;
  readonly item: number;
}

/** The amounts of all entries up to one add up to its balance. */
export interface LedgerEntryView extends LedgerPlace {
  readonly timeMs: number;
  readonly kind: LedgerKind;
  /** Positive into the account, negative out of it. */
  readonly amountCents: number;
  readonly balanceCents: number;
  /** 0 if there is none. */
  readonly bet: number;
  /** The order's name, if it has one. */
  readonly clientOrderId: string | null;
  /** The operator's reference, or ''. */
  readonly reference: string;
}

export interface LedgerAnswer {
  readonly entries: readonly LedgerEntryView[];
  /** The next question's `before`; null if there is nothing before. */
  readonly nextBefore: LedgerPlace | null;
}

export interface ArchivedRoundView extends RoundFigures {
  /** The payouts of its bets, stakes that were given back included. */
  readonly paidCents: number;
  readonly settledAtMs: number;
  /** null where none was put on record. */
  readonly root: PublishedRoot | null;
}

export interface ArchivedRoundProof extends ArchivedRoundView {
  readonly resolvedAtMs: number;
  readonly proof: ProofView;
}

export interface RoundsAnswer {
  readonly rounds: readonly ArchivedRoundView[];
  /** The next question's `after`; null if there are no more. */
  readonly nextAfter: RoundsQuestion['after'];
}

/** One entry for each market with settled rounds in that time. */
export type EarningsAnswer = readonly MarketEarnings[];
export interface MarketEarnings extends EarningsSums {
  readonly market: number;
}
export interface EarningsSums {
  readonly rounds: number;
  readonly voided: number;
  readonly bets: number;
  readonly volumeCents: number;
  readonly paidCents: number;
  /** The additional payout of winners without the fee; rounded down for each round. */
  readonly feesCents: number;
}

export interface BetPath {
  readonly leafIndex: number;
  /** Hashes from the leaf up, 64 hex digits each. */
  readonly path: readonly string[];
  readonly root: PublishedRoot;
}

export interface ArchiveRefusal {
  readonly refused: Extract<ErrorCode, 'overloaded' | 'archive_behind' | 'archive_unavailable'>;
  readonly detail: string;
}

/** By the question's kind. */
interface Answers {
  readonly bets: BetsAnswer;
  /** null if the archive has no such bet of this account. */
  readonly bet: ArchivedBetView | null;
  readonly ledger: LedgerAnswer;
  readonly rounds: RoundsAnswer;
  readonly earnings: EarningsAnswer;
  readonly actions: ActionsAnswer;
  /** null if the archive has no such round: it is not settled, or never was. */
  readonly roundProof: ArchivedRoundProof | null;
  /** null if the round is not settled, or has no root. */
  readonly betPath: BetPath | null;
}

export type ArchiveAnswer = Answers[keyof Answers] | ArchiveRefusal;

/** The answer has the question's `id`. */
export interface ArchiveRequest {
  readonly id: number;
  readonly question: ArchiveQuestion;
}
export interface ArchiveResponse {
  readonly id: number;
  readonly answer: ArchiveAnswer;
}

export const isRefusal = (answer: ArchiveAnswer): answer is ArchiveRefusal =>
  answer !== null && 'refused' in answer;

/** Each question is answered once, now or later. */
export type ArchiveReads = {
  readonly [Kind in keyof Answers]: (
    question: Omit<Extract<ArchiveQuestion, { readonly kind: Kind }>, 'kind'>,
    tell: (answer: Answers[Kind] | ArchiveRefusal) => void,
  ) => void;
};

type AskArchive = (question: ArchiveQuestion, tell: (answer: ArchiveAnswer) => void) => void;

export function archiveReads(ask: AskArchive): ArchiveReads {
  function put<A extends ArchiveAnswer>(question: ArchiveQuestion, tell: (answer: A) => void): void {
    ask(question, (answer) => tell(answer as A));
  }
  return {
    bets: (question, tell) => put({ kind: 'bets', ...question }, tell),
    bet: (question, tell) => put({ kind: 'bet', ...question }, tell),
    ledger: (question, tell) => put({ kind: 'ledger', ...question }, tell),
    rounds: (question, tell) => put({ kind: 'rounds', ...question }, tell),
    earnings: (question, tell) => put({ kind: 'earnings', ...question }, tell),
    actions: (question, tell) => put({ kind: 'actions', ...question }, tell),
    roundProof: (question, tell) => put({ kind: 'roundProof', ...question }, tell),
    betPath: (question, tell) => put({ kind: 'betPath', ...question }, tell),
  };
}
