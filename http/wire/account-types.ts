/** What the API says of the caller's account: as in `types.ts`, the comments are the document's. */
import type { Scope, Tier } from '../../engine/model/domain.js';
import type { Count, DateTime } from './scalars.js';
import type { BetLimits, RateLimitsNow } from './service-types.js';
import type { Position } from './types.js';

/** What the account is paid in USD if every open bet on this side wins, stakes included. */
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
  /** USD, without the stakes of open bets. */
  balance: number;
  openBets: Count;
  /** Stakes of open bets in USD. */
  openStakes: number;
  possiblePayout: PossiblePayout;
  keys: AccountKeys;
  key: ThisKey;
  bets: BetLimits;
  rateLimits: RateLimitsNow;
}

/** What is known of an Idempotency-Key (extension). */
export interface SeenOrder {
  /** Whether an order was placed under the key. false is certain of an order that was sent at `forgottenBefore` or later and is no longer under way. */
  seen: boolean;
  /** Keys of orders that were placed before this time may be forgotten. */
  forgottenBefore: DateTime;
  /** The order; null if none was seen, and where it has left the server's memory. */
  order: Position | null;
}
