/** The caller's account: as in `types.ts`, the comments are the document's. */
import type { Scope, Tier } from '../../engine/model/domain.js';
import type { Count, DateTime } from './scalars.js';
import type { BetLimits, RateLimitsNow } from './service-types.js';
import type { Position } from './types.js';

/** The account is paid this in USD if every open bet on this side wins, stakes included. */
export interface PossiblePayout {
  up: number;
  down: number;
}

/** The account's API keys. */
export interface AccountKeys {
  /** Keys that are enabled and not expired. */
  active: Count;
  /** As many may be active in the account's tier. */
  max: Count;
}

/** The key of this request. */
export interface ThisKey {
  id: string;
  scopes: Scope[];
  /** null for a key that does not expire. */
  expiresAt: DateTime | null;
}

/** The caller's account (extension). All amounts are of one moment. */
export interface Account {
  id: string;
  tier: Tier;
  /** A frozen account reads, but takes no orders. */
  frozen: boolean;
  /** USD, without the stakes of open bets and of limit orders that rest. */
  balance: number;
  openBets: Count;
  /** Stakes of open bets in USD. */
  openStakes: number;
  /** Limit orders that rest, and their stakes in USD; both are apart from the open bets. */
  pendingOrders: Count;
  reservedStakes: number;
  possiblePayout: PossiblePayout;
  keys: AccountKeys;
  key: ThisKey;
  bets: BetLimits;
  rateLimits: RateLimitsNow;
}

/** The result of DELETE /orders. */
export interface CancelledOrders {
  /** Orders that rested and are cancelled now. */
  cancelled: Count;
}

/** The server's memory of an Idempotency-Key (extension). */
export interface SeenOrder {
  /** Whether an order was placed under the key. false is certain of an order that was sent at `forgottenBefore` or later and is no longer under way. */
  seen: boolean;
  /** Keys of orders that were placed before this time may be forgotten. */
  forgottenBefore: DateTime;
  /** The order; null if none was seen, and where the server's archive no longer has it. */
  order: Position | null;
}

/** Why an order would be refused. */
export interface OrderRefusal {
  /** An ErrorCode: the one with which POST /orders would answer. */
  code: string;
  /** A sentence for people; empty where the code says it all. */
  detail: string;
}

/**
 * The answers that equal orders would get, one after the other at this moment. Resting orders are left out: each part may fill some,
 * whereupon the odds of the next differ.
 */
export interface QuoteInParts {
  /** Stake of each part in USD. */
  amount: number;
  /** Parts that would be placed as bets at once. */
  placed: Count;
  /** Parts with `limitOdds` that would rest. */
  resting: Count;
  /** The refusal of the first part that would not be taken, behind those that are counted; null if all would be. */
  refusal: OrderRefusal | null;
  /** Mean of `oddsAtBet` of the parts that would be placed, rounded down to four decimals; null if there would be none. */
  meanOdds: number | null;
  /** The least `oddsAtBet` of them. */
  leastOdds: number | null;
  /** A WIN would pay this for all of them, stakes included. */
  potentialPayout: number;
}

/** The answer that an order would get at this moment (extension). All but `refusal` and `quotedAt` is null where the order would be refused before there are odds for it. */
export interface OrderQuote {
  /** By the first check that refuses the order; null if it would be placed. */
  refusal: OrderRefusal | null;
  /** The round that the bet would join. */
  roundId: string | null;
  /** The side's percent before the stake joins its pool, as for `expectedPercent`. */
  percent: number | null;
  /** Odds after the stake has joined its pool. */
  oddsAtBet: number | null;
  /** The side's share of the pool in percent after the stake has joined it. */
  entryPercent: number | null;
  /** A WIN would pay this, stake included. */
  potentialPayout: number | null;
  /** Whether the limit order would rest, or be placed at once; only where an order with `limitOdds` has odds. */
  rests?: boolean;
  /** The same amount in equal orders; only where `parts` is above 1. */
  inParts?: QuoteInParts;
  /** The moment for which all of this holds. */
  quotedAt: DateTime;
}
