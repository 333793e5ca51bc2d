/**
 * Messages of the server over the stream (`GET /stream`): the types that the AsyncAPI document and the client are made
 * from. The comments are the document's descriptions.
 */
import type { Asset, RoundStatus, Side } from '../../engine/model/domain.js';
import type { PublicCode } from '../../engine/model/errors.js';
import type { CancelledOrders } from './account-types.js';
import type { JournalHead } from './proof-types.js';
import type { Count, DateTime, Ed25519Hex, Sha256Hex, SigningKeyId } from './scalars.js';
import type { Channel, DeadmanSeconds, MessageId, Seq } from './stream-requests.js';
import type { OrderResult, Position } from './types.js';

/** In every message of the server. */
interface Sent {
  /** `rounds`, `fills` and `account` have the number of the command that caused them. A heartbeat says that all events up to it of the channels subscribed to have been sent. Others have that of the last durable command. */
  seq: Seq;
  /** The engine's time, or the server's where no command caused the message. */
  time: DateTime;
}

/** Sent when the stream opens, and then each second. */
export interface Heartbeat extends Sent {
  type: 'heartbeat';
  /** By asset: how many milliseconds ago its newest price was made; null where none has arrived since the server's start. */
  priceAgeMs: { [asset in Asset]: Count | null };
  /** The journal's newest signed head: in the first heartbeat that has one, and in the next one after each new head. */
  head?: JournalHead;
}

/** The answer to `subscribe`. */
export interface Subscribed extends Sent {
  type: 'subscribed';
  id: MessageId;
  channel: Channel;
  /** All markets if null; null for channels that are not of markets. */
  markets: string[] | null;
  /** Every event after this number follows; null for state channels. */
  since: Seq | null;
  /** Names this start of the server: one from a backup may give the same numbers to other commands. null for state channels. */
  run: string | null;
}

/** The answer to `unsubscribe`. */
export interface Unsubscribed extends Sent {
  type: 'unsubscribed';
  id: MessageId;
  channel: Channel;
}

/** The answer to `ping`. */
export interface Pong extends Sent {
  type: 'pong';
  id: MessageId;
}

/** A request for a stream is answered by HTTP, and so are faults of HTTP itself. */
type OfHttp =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'unsupported_media_type'
  | 'upgrade_required'
  | 'too_many_streams';

/** A request that was refused, or the reason why the server is about to close the stream. */
export interface StreamError extends Sent {
  type: 'error';
  /** The refused message's; null where it has none that can be read, and for a reason to close. */
  id: MessageId | null;
  code: Exclude<PublicCode, OfHttp>;
  /** A sentence for people, or ''. */
  message: string;
  /** An order refused with `odds_changed` for its `minOdds` would get these now. */
  current?: {
    /** The side's live percent, before the stake joins. */
    percent: number;
    oddsAtBet: number;
  };
  /** Try again after so many whole seconds: a `rate_limited` order fits its limits then. Absent where nothing says when. */
  retryAfterSeconds?: Count;
}

/** The live state of one market: what GET /markets says of its pools. */
export interface MarketState {
  id: string;
  /** The current round; null when there is none. Then status, bettingClosesAt and openPrice are null, too. */
  roundId: string | null;
  status: RoundStatus | null;
  /** Bets are refused from this time on. */
  bettingClosesAt: DateTime | null;
  /** null while UPCOMING. */
  openPrice: number | null;
  /** Pools in USD, the house's seeds included. */
  poolUp: number;
  poolDown: number;
  totalPool: number;
  oddsUp: number;
  oddsDown: number;
  percentUp: number;
  percentDown: number;
  /** Whether orders are taken at this moment. */
  acceptsOrders: boolean;
  /** The stake in USD up to which a bet is within what the round can bear; 0 while no bets are taken. */
  availableUp: number;
  availableDown: number;
  totalBets: Count;
  totalVolume: number;
}

export interface MarketsMessage extends Sent {
  type: 'markets';
  /** Whether `data` has all markets of the subscription, or only those that have changed. */
  snapshot: boolean;
  data: MarketState[];
}

/** The prices of one asset. */
export interface PriceState {
  crypto: Asset;
  /** The newest accepted price, and its own time; null where none has arrived since the server's start. */
  price: number | null;
  priceTime: DateTime | null;
  /** The price at which the asset's latest round opened (GET /prices), and when; null where it never had one. */
  openPrice: number | null;
  openTime: DateTime | null;
}

export interface PricesMessage extends Sent {
  type: 'prices';
  /** Whether `data` has all assets, or only those that have changed. */
  snapshot: boolean;
  data: PriceState[];
}

export interface AccountMessage extends Sent {
  type: 'account';
  snapshot: boolean;
  data: {
    /** In USD. */
    balance: number;
    /** Ids of keys that were made for the account since the message before; absent where there are none. */
    newKeys?: string[];
  };
}

interface OfRound {
  marketId: string;
  roundId: string;
  roundNumber: Count;
}

/** The round takes bets. */
export interface RoundOpenedEvent extends OfRound {
  event: 'opened';
  openPrice: number;
  startTime: DateTime;
  bettingClosesAt: DateTime;
  lockTime: DateTime;
  endTime: DateTime;
}

/** The round takes no more bets. */
export interface RoundLockedEvent extends OfRound {
  event: 'locked';
}

/** The Merkle root over the hashes of the round's bets, signed: sent once the round is locked, before its result can be known. */
export interface RoundRootEvent extends OfRound {
  event: 'root';
  merkleRoot: Sha256Hex;
  /** Number of bets. */
  treeSize: Count;
  /** As of GET /keys. */
  keyId: SigningKeyId;
  signature: Ed25519Hex;
}

/** All bets of the round are paid. */
export interface RoundSettledEvent extends OfRound {
  event: 'settled';
  result: 'UP' | 'DOWN' | 'DRAW';
  openPrice: number;
  closePrice: number;
  totalBets: Count;
  totalVolume: number;
}

/** The round has no result: all bets are refunded. */
export interface RoundVoidedEvent extends OfRound {
  event: 'voided';
  totalBets: Count;
  totalVolume: number;
}

export type RoundEvent =
  | RoundOpenedEvent
  | RoundLockedEvent
  | RoundRootEvent
  | RoundSettledEvent
  | RoundVoidedEvent;

/** Everything that one command did to rounds of the subscription. */
export interface RoundsMessage extends Sent {
  type: 'rounds';
  data: RoundEvent[];
}

interface OfBet extends OfRound {
  /** The bet: `id` of GET /orders. */
  id: string;
  /** The `clientOrderId` of the order; absent if it has none. */
  clientOrderId?: string;
  prediction: Side;
  /** Stake in USD. */
  amount: number;
  /** Account balance in USD after the event. */
  newBalance: number;
}

/** A bet was placed, on whatever way; `filled` if it is a limit order that has rested: its stake was taken before. */
export interface BetPlacedEvent extends OfBet {
  event: 'placed' | 'filled';
  oddsAtBet: number;
  entryPercent: number;
  potentialPayout: number;
}

/** A bet was decided; `refunded` if its round was voided. */
export interface BetSettledEvent extends OfBet {
  event: 'settled' | 'refunded';
  result: 'WIN' | 'LOSS' | 'DRAW' | 'REFUNDED';
  payout: number;
  /** payout - amount. */
  profit: number;
}

/** A limit order rests; its stake is reserved. */
export interface OrderPendingEvent extends OfBet {
  event: 'pending';
  /** The least odds that the order takes. */
  limitOdds: number;
  /** A win would pay this at these odds. */
  potentialPayout: number;
}

/** A limit order has ended unfilled: its stake went back. */
export interface OrderUnfilledEvent extends OfBet {
  event: 'cancelled' | 'expired';
}

export type FillEvent = BetPlacedEvent | BetSettledEvent | OrderPendingEvent | OrderUnfilledEvent;

/** Everything that one command did to bets of the account. */
export interface FillsMessage extends Sent {
  type: 'fills';
  data: FillEvent[];
}

/** The answer to an accepted `order`. */
export interface OrderMessage extends Sent {
  type: 'order';
  id: MessageId;
  /** Whether the Idempotency-Key had placed it before: X-Idempotent-Replay of POST /orders. */
  replayed: boolean;
  data: OrderResult;
}

/** The answer to an accepted `cancel`: the order, which is CANCELLED now. */
export interface CancelledMessage extends Sent {
  type: 'cancelled';
  id: MessageId;
  data: Position;
}

/** The answer to an accepted `cancelAll`: how many orders were cancelled. */
export interface CancelledAllMessage extends Sent {
  type: 'cancelledAll';
  id: MessageId;
  data: CancelledOrders;
}

/** The answer to an accepted `deadman`, once it is on disk. */
export interface DeadmanMessage extends Sent {
  type: 'deadman';
  id: MessageId;
  data: Deadman;
}

/** The countdown of the key. */
export interface Deadman {
  /** 0 if there is none. */
  seconds: DeadmanSeconds;
}

export type ServerMessage =
  | Heartbeat
  | Subscribed
  | Unsubscribed
  | Pong
  | StreamError
  | MarketsMessage
  | PricesMessage
  | AccountMessage
  | RoundsMessage
  | FillsMessage
  | OrderMessage
  | CancelledMessage
  | CancelledAllMessage
  | DeadmanMessage;
