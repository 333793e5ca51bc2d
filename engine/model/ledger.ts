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
