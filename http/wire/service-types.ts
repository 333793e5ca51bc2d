/** The server and the caller's limits: as in `types.ts`, the comments are the document's. */
import type { Tier } from '../../engine/model/domain.js';
import type { Count, DateTime, Whole } from './scalars.js';

/** The server's clock, and how far its journal is (extension). */
export interface ServerTime {
  /** Milliseconds since 1970. */
  timeMs: Whole;
  /** The same instant. */
  time: DateTime;
  /** Number of the last command that is on disk. It only ever grows, and counts everything that changes the exchange. */
  seq: Whole;
}

/** One of the caller's rate limits. */
export interface RateLimit {
  /** Requests in any window. */
  limit: Count;
  /** Requests left of it after this one. */
  remaining: Count;
  /** Whole seconds until the oldest counted request leaves the window; 0 where none is counted. */
  resetSeconds: Count;
}

/** The rate limits of the caller. */
export interface RateLimitsNow {
  /** The key's reads: GET, HEAD, OPTIONS and POST /orders/quote. */
  keyRead: RateLimit;
  /** The key's writes: everything else but cancellations. */
  keyWrite: RateLimit;
  /** The key's cancellations: DELETE, and over the stream. By default four times the writes. */
  keyCancel: RateLimit;
  /** All keys of the account together. */
  account: RateLimit;
  /** The address that the request came from. */
  ip: RateLimit;
}

/** The bets that the rules allow the caller's account. */
export interface BetLimits {
  tier: Tier;
  /** Greatest stake in USD by the account's tier; the market's maxBet may be less. 0 where the tier cannot bet. */
  maxStake: number;
  /** Open bets that the account may have. */
  maxOpenBets: Count;
  /** `expectedPercent` may be so many points away from the side's percent. */
  slippagePoints: number;
  /** Bets are refused from so long before `lockTime`; `bettingClosesAt` of a round is what held when it opened. */
  cutoffMs: Count;
  /** An Idempotency-Key is remembered for so long. */
  idempotencyKeyMs: Count;
  /** Share of a win's payout that the house keeps. */
  fee: number;
}

/** All limits of the caller (extension). */
export interface Limits {
  /** Length of the rate limits' sliding window. */
  windowMs: Count;
  rateLimits: RateLimitsNow;
  bets: BetLimits;
}
