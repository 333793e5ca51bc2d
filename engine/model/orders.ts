/** Commands about resting orders (`commands.ts`), and the events of orders (`events.ts`). */
import type { Timed } from './domain.js';

export interface CancelOrder extends Timed {
  readonly kind: 'cancelOrder';
  readonly account: number;
  readonly key: number;
  readonly bet: number;
}

/**
 * The account cancels its newest resting orders, at most `ordersMax` of them: all, or those of a market, of a side or of the
 * key that placed them. Rejected if there are none.
 */
export interface CancelOrders extends Timed {
  readonly kind: 'cancelOrders';
  readonly account: number;
  readonly key: number;
  readonly market: number | null;
  readonly side: number | null;
  readonly placedBy: number | null;
  readonly ordersMax: number;
}

/**
 * Fills at most `ordersMax` resting orders of the market's round, at the house's quote for `fairShareE6` (-1 as in an order).
 * Rejected if none can be filled.
 */
export interface FillOrders extends Timed {
  readonly kind: 'fillOrders';
  readonly market: number;
  readonly fairShareE6: number;
  readonly ordersMax: number;
}

/**
 * Gives back the stakes of at most `ordersMax` resting orders whose `validUntilMs` has passed, or whose rounds take no more
 * bets. Rejected if there are none.
 */
export interface ExpireOrders extends Timed {
  readonly kind: 'expireOrders';
  readonly ordersMax: number;
}

/** Resting orders that an order has filled, with the sums of their stakes. */
export interface LimitFills {
  readonly upOrders: number;
  readonly upCents: number;
  readonly downOrders: number;
  readonly downCents: number;
}

/** Everything in a 201 response, so that it can be replayed. */
export interface OrderTerms {
  /** `orderPending`: a limit order rests. Its odds are then those that it names, its payout the one at these odds. */
  readonly type: 'betPlaced' | 'orderPending';
  readonly timeMs: number;
  readonly bet: number;
  readonly account: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly side: number;
  readonly stakeCents: number;
  readonly oddsE4: number;
  /** 0 for an order that rests. */
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  readonly newBalanceCents: number;
  readonly clientSeed: string | null;
  readonly clientOrderId: string | null;
  /** The least odds that a limit order takes, 1e-4; 0 for any other order. */
  readonly limitOddsE4: number;
  /** null if it has filled no resting order. */
  readonly filled: LimitFills | null;
}

export interface BetTerms extends OrderTerms {
  readonly type: 'betPlaced';
}

export interface BetPlaced extends BetTerms {
  /** The order's fair share, in millionths of UP; -1 if the round's seeds are fixed. */
  readonly fairShareE6: number;
}

/** A limit order rests, its stake reserved. Until it is filled it is no bet: it is in no pool and has no hash. */
export interface OrderPending extends OrderTerms {
  readonly type: 'orderPending';
  readonly fairShareE6: number;
  readonly validUntilMs: number;
}

/** A resting order has become a bet. Its stake was taken from the balance when it was placed. */
export interface OrderFilled {
  readonly type: 'orderFilled';
  readonly timeMs: number;
  readonly bet: number;
  readonly account: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly side: number;
  readonly stakeCents: number;
  readonly limitOddsE4: number;
  /** At the fill. */
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  readonly newBalanceCents: number;
  readonly clientSeed: string | null;
  readonly clientOrderId: string | null;
  /** When the order was placed: the time in the bet's hash. */
  readonly placedAtMs: number;
  readonly fairShareE6: number;
}
