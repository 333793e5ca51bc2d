/** Orders on their way to the engine's thread, and its replies. */
import type { CommitTimes } from '../../engine/host/open-batch.js';
import type { OrderGuards, PlaceOrder } from '../../engine/model/commands.js';
import type { OrderTerms, Rejected } from '../../engine/model/events.js';
import type { BetView } from '../../engine/model/views.js';

/** Numbers of the key and of its account. */
export interface Asker {
  readonly key: number;
  readonly account: number;
}

/** The engine's thread adds what holds at the moment of execution. */
export interface OrderFields extends Omit<PlaceOrder, 'kind' | 'timeMs' | 'fairShareE6' | 'validUntilMs'> {
  /** The least odds that a limit order takes, 1e-4; 0 for any other order. */
  readonly limitOddsE4: number;
  readonly guards: OrderGuards | null;
}

export type RefusalFacts = Pick<Rejected, 'code' | 'detail' | 'current'>;

/** An answer would tell that there is nothing but what this machine knows. */
export const OUTRUN: RefusalFacts = {
  code: 'journal_backlog',
  detail: 'another machine may lead by now, and know more; try again',
};

export interface BetsReply {
  readonly bets: readonly BetView[];
  readonly next: readonly number[];
}

/** Exactly one of them is called, once. */
export interface OrderReply {
  /** `seq` is the command that placed the order, `takenMs` when the engine's thread took the request. */
  placed(seq: number, bet: OrderTerms, takenMs: number, times: CommitTimes): void;
  replayed(seq: number, bet: OrderTerms): void;
  refused(facts: RefusalFacts): void;
}
