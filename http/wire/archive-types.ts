/** Answers from the archive as types, from which the API document is made: an account's ledger, and settled rounds. */
import type { RoundFacts, RoundRoot } from './proof-types.js';
import type { DateTime } from './scalars.js';

/** A movement of an account's money. The amounts of all entries up to one add up to its `balanceAfter`. */
export interface LedgerEntry {
  /** Unique in the account, and never changes. */
  id: string;
  time: DateTime;
  /**
   * `reserve` is the stake of a limit order that rests. `fill`, always of 0, says that the order has become a bet: its stake is
   * in the pool now.
   */
  type: 'deposit' | 'withdrawal' | 'stake' | 'reserve' | 'fill' | 'payout' | 'refund' | 'forward';
  /** The operator's reference of a deposit or a withdrawal. */
  reference: string | null;
  /** The order of a stake, a reserve, a fill, a payout or a refund. */
  orderId: string | null;
  /** That order's `clientOrderId`, if it has one. */
  clientOrderId: string | null;
  /** USD; positive into the account, negative out of it. */
  amount: number;
  /** The account's balance after it, in USD. */
  balanceAfter: number;
}

/** A round that is over, as it was settled. */
export interface SettledRound extends RoundFacts {
  openPrice: number | null;
  /** null for a round that was voided. */
  closePrice: number | null;
  /** Absent for a round that was voided. */
  result?: 'UP' | 'DOWN' | 'DRAW';
  settledAt: DateTime;
  /** The Merkle root over the hashes of its bets; null where none was put on record (extension). */
  root: RoundRoot | null;
}
