/** An account's ledger, as a reader of the archive shows it. */

/**
 * `reserve` is the stake of a limit order that rests, `fill` says that the order has become a bet: its stake, which is gone
 * already, moves from the reserved ones into the pool, so its amount is 0. `payout` is a win, `refund` the stake of a draw, of
 * a voided round, or of a limit order that ended unfilled. `seed` and `settlement` are of the house: what it
 * puts into a round and what it gets back. `forward` stands for all entries that are no longer known.
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

/** Where an entry of a ledger stands: at event `item` of command `seq`. */
export interface LedgerPlace {
  readonly seq: number;
  readonly item: number;
}

/** An entry of an account's ledger. The amounts of all up to an entry add up to its balance. */
export interface LedgerEntryView extends LedgerPlace {
  readonly timeMs: number;
  readonly kind: LedgerKind;
  /** Positive into the account, negative out of it. */
  readonly amountCents: number;
  /** The account's balance after it. */
  readonly balanceCents: number;
  /** Number of the bet; 0 if there is none. */
  readonly bet: number;
  /** The name of its order, if it has one. */
  readonly clientOrderId: string | null;
  /** The operator's reference, or ''. */
  readonly reference: string;
}

export interface LedgerAnswer {
  readonly entries: readonly LedgerEntryView[];
  /** To be asked for next, as `before`; null if there is nothing before. */
  readonly nextBefore: LedgerPlace | null;
}
