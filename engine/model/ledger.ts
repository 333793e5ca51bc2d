/** What an entry of a ledger can be. */

/**
 * `payout` is a win, `refund` the stake of a draw or a voided round. `seed` and `settlement` are of the house: what it
 * puts into a round and what it gets back. `forward` stands for all entries that are no longer known.
 */
export type LedgerKind =
  | 'deposit'
  | 'withdrawal'
  | 'stake'
  | 'payout'
  | 'refund'
  | 'seed'
  | 'settlement'
  | 'forward';
