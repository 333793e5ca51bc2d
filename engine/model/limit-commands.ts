/** Commands of limit orders: see `commands.ts`. */
import type { PlaceOrder, Timed } from './commands.js';

/**
 * A limit order: a bet at odds of at least `limitOddsE4` with the stake in its pool. It is placed at once if the odds allow
 * it; otherwise its stake is reserved, and it rests until they do, at the latest until the round takes no more bets.
 */
export interface PlaceLimitOrder extends Omit<PlaceOrder, 'kind' | 'expectedPercentE6'> {
  readonly kind: 'placeLimitOrder';
  readonly limitOddsE4: number;
}

/** The account cancels one of its resting orders. */
export interface CancelOrder extends Timed {
  readonly kind: 'cancelOrder';
  readonly account: number;
  readonly key: number;
  readonly bet: number;
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

/** Gives back the stakes of at most `ordersMax` resting orders whose rounds take no more bets. Rejected if there are none. */
export interface ExpireOrders extends Timed {
  readonly kind: 'expireOrders';
  readonly ordersMax: number;
}
