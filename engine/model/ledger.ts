/** What an entry of a ledger can be. */

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
