/**
 * The public API's resources as types. Handlers read and send them, and the OpenAPI document is made from them, so that
 * the three cannot drift apart. The comments are the document's descriptions; a name in braces stands for a value of
 * the rules in force (`describe-rules.ts`).
 */
import type { tags } from 'typia';
import type {
  Asset,
  BetResult,
  PositionStatus,
  RoundStatus,
  Side,
  TimeFrame,
} from '../../engine/model/domain.js';
import type { Receipt, RoundRoot } from './proof-types.js';
import type { Count, DateTime, Extension, Sha256Hex } from './scalars.js';

/** One round of a market. */
export interface Round {
  /** `<marketId>_<roundNumber>`: stable across restarts, never used again. */
  id: string;
  roundNumber: Count;
  startTime: DateTime;
  /** Betting locks at this time; bets are refused some time before it, see `bettingClosesAt`. */
  lockTime: DateTime;
  endTime: DateTime;
  /** Bets are refused from this time on: {cutoff} before `lockTime`, or what the rules said when the round opened (extension). */
  bettingClosesAt: DateTime & Extension;
  /** Whole seconds until the round ends, rounded down; stops at 0. */
  timeRemaining: Count;
  /** Milliseconds until betting locks; stops at 0. */
  timeToLock: Count;
  /** Milliseconds until bets are refused; stops at 0 (extension). */
  timeToBettingClose: Count & Extension;
  /** null while UPCOMING. */
  openPrice: number | null;
  /** The latest accepted price of the asset; null where none has arrived since the server's start. */
  currentPrice: number | null;
  status: RoundStatus;
  /** Number of bets. */
  totalBets: Count;
  /** Sum of all stakes in USD, without the house's seeds. */
  totalVolume: number;
  /** Absent while the round is open, and for a round that was voided. */
  result?: 'UP' | 'DOWN' | 'DRAW';
}

/** An UP/DOWN market with its pools and live odds. */
export interface Market {
  /** `<CRYPTO>_<TIMEFRAME>`. */
  id: string;
  crypto: Asset;
  timeFrame: TimeFrame;
  /** Pool on UP in USD, the house's seed included. */
  poolUp: number;
  /** Pool on DOWN in USD, the house's seed included. */
  poolDown: number;
  totalPool: number;
  /** totalPool / poolUp, rounded down to four decimals; 2 where there are no pools. */
  oddsUp: number;
  /** totalPool / poolDown, rounded down to four decimals; 2 where there are no pools. */
  oddsDown: number;
  /** Pool share of UP in percent, two decimals; 50 where there are no pools. */
  percentUp: number;
  /** 100 - percentUp. */
  percentDown: number;
  /** Least stake in USD. */
  minBet: number;
  /** Greatest stake in USD; the account's tier may allow less. */
  maxBet: number;
  /**
   * Whether orders are taken at this moment: false while betting is closed, the house has no quote, or an operator has stopped
   * the market or all trading (extension).
   */
  acceptsOrders: boolean & Extension;
  /** The stake in USD up to which a bet on UP is within what the round can bear now; 0 while no bets are taken (extension). */
  availableUp: number & Extension;
  /** The same of DOWN (extension). */
  availableDown: number & Extension;
  /** null when there is none: no fresh price, outside market hours, or the market is suspended. */
  currentRound: Round | null;
}

/** The open price of the asset's latest round. */
export interface Price {
  crypto: Asset;
  price: number;
  source: 'round_open';
  /** The time of that open price: lets the client judge its age. */
  timestamp: DateTime;
}

/** The round as a position shows it. */
export interface PositionRound {
  /** As of `GET /rounds/{id}`, which has the seed with which `betHash` can be checked (extension). */
  id: string & Extension;
  roundNumber: Count;
  status: RoundStatus;
  endTime: DateTime;
}

/** The `clientOrderId` of the order; absent if it has none (extension). */
type ClientOrderId = string & Extension;

/** One bet. */
export interface Position {
  id: string;
  clientOrderId?: ClientOrderId;
  marketId: string | null;
  crypto: Asset | null;
  timeFrame: TimeFrame | null;
  prediction: Side;
  /** Stake in USD. */
  amount: number;
  oddsAtBet: number;
  /** A WIN pays this, stake included: amount * oddsAtBet * {keptShare}, rounded down to the cent. */
  potentialPayout: number;
  status: PositionStatus;
  /** WIN pays potentialPayout, LOSS nothing; DRAW and REFUNDED (the round was voided) return the stake. */
  result: BetResult | null;
  payout: number | null;
  /** payout - amount. */
  profit: number | null;
  /**
   * Whether the order named `limitOdds`. Until it is filled it is PENDING: `oddsAtBet` is then what it named, `potentialPayout`
   * what that would pay. It ends CANCELLED or EXPIRED if it never is; its stake went back.
   */
  isLimitOrder: boolean;
  /** The least odds that a limit order takes; only limit orders have it (extension). */
  limitOdds?: number & Extension;
  /** When a limit order became a bet; null for one that has not, absent for other orders (extension). */
  filledAt?: (DateTime & Extension) | null;
  /** The last moment at which a limit order that has rested may rest; absent where only its round ends it, and for other orders (extension). */
  validUntil?: DateTime & Extension;
  /** When the order was placed: the time in betHash, also of a limit order that was filled later. */
  placedAt: DateTime;
  settledAt: DateTime | null;
  /**
   * The side's share of the pool in percent after the stake had joined it, as in the answer to the order (extension). null
   * for orders that are not filled, and for old bets of which it is no longer known.
   */
  entryPercent: (number & Extension) | null;
  /** The provably-fair hash of the answer to the order (extension); null where entryPercent is. */
  betHash: (Sha256Hex & Extension) | null;
  round: PositionRound;
}

/** A bet to place on the current round of a market. */
export interface OrderRequest {
  /** A market id such as `BTC_ONE_MINUTE`. */
  marketId: string;
  prediction: Side;
  /** Stake in USD, at most two decimals, within minBet and maxBet of the market and the limit of the account's tier. */
  amount: number & tags.ExclusiveMinimum<0>;
  /** Slippage guard: the order is refused with `odds_changed` when the side's live percent is more than {slippage} away. */
  expectedPercent?: number & tags.Minimum<0> & tags.Maximum<100>;
  /** The round that the bet must land in: the order is refused with `round_changed` when the market's current round is another one (extension). */
  roundId?: string & Extension;
  /**
   * The last moment at which the order may be executed: after it the order is refused with `order_expired`, and a limit order that
   * rests is EXPIRED, with its stake back (extension).
   */
  validUntil?: DateTime & Extension;
  /** Least odds with the stake in its pool, to four decimals: the order is refused with `odds_changed` where it would get less (extension). */
  minOdds?: number & tags.Minimum<1> & tags.Maximum<1_000_000> & Extension;
  /**
   * Makes it a limit order (extension): a bet at odds of at least these, with the stake in its pool. Where the odds are lower, or
   * the round cannot bear the bet, the order rests (PENDING) with its stake reserved, all or none of it, until it can be filled,
   * at the latest until betting closes. In steps of 0.01 below 10, of 0.1 below 100, of 1 from there on.
   */
  limitOdds?: number & tags.Minimum<1.01> & tags.Maximum<1_000> & Extension;
  /** Mixed into betHash; at most 128 bytes of UTF-8, so fewer characters where they are not all ASCII. */
  clientSeed?: string & tags.JsonSchemaPlugin<{ maxLength: 128 }>;
  /** Your own name of the order: 1 to 64 visible ASCII characters, shown wherever the order is (extension). Nothing else comes of it: two orders may have the same. */
  clientOrderId?: string & tags.Pattern<'^[!-~]{1,64}$'> & Extension;
  /** Whether the answer is to have a receipt, which costs a signature (extension). It makes no other order of it. */
  receipt?: boolean & Extension;
}

/** An order to quote. */
export interface QuoteRequest extends OrderRequest {
  /** How many equal orders to quote the amount in, besides one (extension): each has this share of it and the other fields. Absent is 1. */
  parts?: number & tags.Type<'uint64'> & tags.Minimum<1> & tags.Maximum<100> & Extension;
}

/** An accepted bet. */
export interface PlacedBet {
  id: string;
  clientOrderId?: ClientOrderId;
  marketId: string;
  prediction: Side;
  /** Stake in USD. */
  amount: number;
  /** Odds after the stake has joined its pool: the price that the bettor gets. A PENDING limit order has the odds that it named. */
  oddsAtBet: number;
  /** The side's share of the pool in percent after the stake has joined it; null only for a limit order that is PENDING. */
  entryPercent: number | null;
  /** A WIN pays this, stake included: amount * oddsAtBet * {keptShare}, rounded down to the cent. */
  potentialPayout: number;
  /** ACTIVE; PENDING for a limit order that rests. */
  status: string;
  /** Provably-fair hash, SHA-256 in hex; its form is in the API guide. null only for a limit order that is PENDING. */
  betHash: Sha256Hex | null;
  placedAt: DateTime;
  /** The least odds that a limit order takes; only limit orders have it (extension). */
  limitOdds?: number & Extension;
}

/** Resting orders of one side. */
export interface FilledOrders {
  orders: Count;
  /** Their stakes in USD. */
  amount: number;
}

/** Resting limit orders that an order has filled at once; more of them may follow. */
export interface LimitOrdersFilled {
  up: FilledOrders;
  down: FilledOrders;
}

/** The answer to an accepted order; a replay is the same, byte for byte. */
export interface OrderResult {
  bet: PlacedBet;
  /** Account balance in USD after the bet. */
  newBalance: number;
  /** Limit-order fills; null where there are none. */
  limitOrdersFilled: LimitOrdersFilled | null;
  /** Only if the order asked for it; null for a limit order that is PENDING (extension). */
  receipt?: Receipt | null;
}

/** How the house splits its seeds in a round: a rule that stays as it was when the round opened. */
export interface RoundHouse {
  policy: 'fair' | 'fixed';
  /** Half of the house's seeds in USD; `fair` moves all of them between the sides. */
  seed: number;
  /** How far UP's share goes from the fair one for each 2 x `seed` that the house owes more on one side. */
  shade: number;
  /** UP's share stays so far from 0 and from 1. */
  clamp: number;
}

/** A round with its final figures and its provably-fair seed (extension). */
export interface RoundDetail extends Round {
  marketId: string;
  crypto: Asset;
  timeFrame: TimeFrame;
  poolUp: number;
  poolDown: number;
  totalPool: number;
  /** The fair probability of UP in percent by the latest price, before the house's shade; null where the round has no quote. */
  fairPercentUp: number | null;
  house: RoundHouse;
  /** null until the result is decided, and for a voided round. */
  closePrice: number | null;
  /** When the result was decided. */
  resolvedAt: DateTime | null;
  /** Whether the round was voided: every bet on it is REFUNDED. */
  voided: boolean;
  /** SHA-256 of the round's seed (its 32 bytes) in hex: published before the first bet. */
  seedCommitment: Sha256Hex;
  /** The round's seed in hex, 32 bytes; null until the round is SETTLED. */
  seed: Sha256Hex | null;
  /** The Merkle root over the hashes of its bets; null until the round is LOCKED, and where none was put on record. */
  root: RoundRoot | null;
}
