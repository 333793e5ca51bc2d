/**
 * Everything that can happen to the engine. A command contains its time and every fact that affects its outcome, so the
 * same commands in the same order give the same state. `command-codec.ts` defines their text form.
 */
import type { AssetClass, Operated, RoundName, Timed } from './domain.js';
import type { PriceEstimate } from './prices.js';
import type { SignedRoot } from './proofs/proof-views.js';
import type { Rules } from './rules.js';
import type { Setup } from './setup.js';

export interface Configure extends Operated {
  readonly kind: 'configure';
  readonly rulesVersion: number;
  readonly rules: Rules;
}

/** Sets the data directory's setup; journaled at the first start and when an operator requests a change. */
export interface DeclareSetup extends Timed, Setup {
  readonly kind: 'declareSetup';
}

/** Executes what is due by `timeMs`: locks, ends of rounds, next rounds. Rejected if nothing is. */
export interface Advance extends Timed {
  readonly kind: 'advance';
}

/** Market hours of an asset class: rounds open only within one session `[openMs, closeMs]`. */
export interface SetCalendar extends Timed {
  readonly kind: 'setCalendar';
  readonly assetClass: AssetClass;
  readonly sessions: readonly (readonly [openMs: number, closeMs: number])[];
}

/**
 * The final price of an asset at a boundary: closes the rounds that end there and opens the next ones. `price` and
 * `priceTimeMs` are null if there is no tick at or before the boundary.
 */
export interface BoundaryPrice extends Timed {
  readonly kind: 'boundaryPrice';
  readonly asset: number;
  readonly boundaryMs: number;
  readonly price: number | null;
  readonly priceTimeMs: number | null;
  /** Name of the price's feed; null where there is no price. */
  readonly source: string | null;
  /** Origin data of the feed, for people and proofs, or why there is no price. */
  readonly evidence: string;
  /** How the asset's price moves by its ticks so far, for the engine to keep; absent where the host has no estimate. */
  readonly estimate?: PriceEstimate;
}

/** Opens rounds at `timeMs` in the asset's markets that have none. */
export interface OpenLate extends Timed {
  readonly kind: 'openLate';
  readonly asset: number;
  readonly price: number;
  readonly priceTimeMs: number;
  readonly source: string | null;
  readonly evidence: string;
}

/** An operator vouches for a price that was held back as absurd. For the record: it changes nothing but the time. */
export interface ConfirmPrice extends Operated {
  readonly kind: 'confirmPrice';
  readonly asset: number;
  readonly price: number;
  readonly reason: string;
}

/** Settles at most `betsMax` bets of the resolved rounds, oldest round first. */
export interface Settle extends Timed {
  readonly kind: 'settle';
  readonly betsMax: number;
}

/**
 * Digests of an Idempotency-Key (96 bits, in two integers below 2^48) and of the parsed body (48 bits), computed by the
 * API.
 */
export interface IdempotencyDigest {
  readonly keyHigh: number;
  readonly keyLow: number;
  readonly body: number;
}

/** A bet. `market` is -1 if the id is unknown. */
export interface PlaceOrder extends Timed {
  readonly kind: 'placeOrder';
  readonly account: number;
  readonly key: number;
  readonly market: number;
  readonly side: number;
  readonly stakeCents: number;
  /**
   * The fair probability of UP in millionths by the latest tick when the order came, from which the house's quote follows
   * (`engine/quotes`). Below 0 if the host has none: the market's rules do not ask for it, or as `NO_SHARE_CODES` says.
   */
  readonly fairShareE6: number;
  /** `expectedPercent` in 1e-6 of a point, rounded half up; -1 if absent. */
  readonly expectedPercentE6: number;
  /**
   * A limit order: the least odds, 1e-4, with the stake in its pool; `NO_LIMIT` for an order without one. It is placed at once
   * if the odds allow it. Otherwise its stake is reserved, and it rests until they do, at the latest until betting closes.
   */
  readonly limitOddsE4: number;
  /** The last millisecond in which a limit order may rest; `NO_END` where only its round ends it, and for any other order. */
  readonly validUntilMs: number;
  readonly idempotency: IdempotencyDigest | null;
  readonly clientSeed: string | null;
  /** The bettor's own name of the order: 1 to 64 visible ASCII characters, not unique; null if it has none. */
  readonly clientOrderId: string | null;
}

/**
 * Conditions at the time of execution, besides `expectedPercent`. An accepted order has met its guards, so they are not
 * journaled, and a replay has none.
 */
export interface OrderGuards {
  /** Number of the round that the bet must land in; -1 for any. */
  readonly roundNumber: number;
  /** The last millisecond in which the order may be executed; Infinity for any. */
  readonly validUntilMs: number;
  /** Least odds with the stake in its pool, 1e-4; 0 for any. */
  readonly minOddsE4: number;
}

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

export interface CreateAccount extends Operated {
  readonly kind: 'createAccount';
  readonly name: string | null;
  readonly tier: number;
  readonly balanceCents: number;
  /**
   * That of the first balance: it opens one account. The same content is replayed, other content refused. Absent where
   * the command is not to be repeated.
   */
  readonly reference?: string;
}

export interface UpdateAccount extends Operated {
  readonly kind: 'updateAccount';
  readonly account: number;
  readonly tier: number | null;
  readonly frozen: boolean | null;
}

/** `reference` is unique per account, for ever. The same content is replayed, other content refused. */
export interface Transfer extends Operated {
  readonly kind: 'deposit' | 'withdraw';
  readonly account: number;
  readonly amountCents: number;
  readonly reference: string;
}

export interface HouseTransfer extends Operated {
  readonly kind: 'depositHouse' | 'withdrawHouse';
  readonly amountCents: number;
  readonly reference: string;
}

/** `digest` is the SHA-256 of the secret, 64 hex digits; the secret itself never reaches the engine. */
export interface CreateKey extends Operated {
  readonly kind: 'createKey';
  readonly account: number;
  readonly digest: string;
  readonly scopesMask: number;
  readonly expiresAtMs: number | null;
}

export interface UpdateKey extends Operated {
  readonly kind: 'updateKey';
  readonly key: number;
  readonly enabled: boolean;
}

/** From this time on the key is refused. An expiry is only set or brought forward. */
export interface ExpireKey extends Operated {
  readonly kind: 'expireKey';
  readonly key: number;
  readonly expiresAtMs: number;
}

/** A new key of the same account with the same scopes takes over; until `overlapEndsMs` both are good. */
export interface RotateKey extends Operated, Pick<CreateKey, 'digest' | 'expiresAtMs'> {
  readonly kind: 'rotateKey';
  readonly key: number;
  readonly overlapEndsMs: number;
}

/** After so many seconds without a message of its streams, the orders that the key has resting are cancelled; 0 is never. */
export interface SetDeadman extends Timed {
  readonly kind: 'setDeadman';
  readonly key: number;
  readonly seconds: number;
}

export interface SetTrading extends Operated {
  readonly kind: 'setTrading';
  readonly enabled: boolean;
  readonly reason: string;
}

/** A suspended market takes no bets and opens no rounds; its open round runs to its end as usual. */
export interface SuspendMarket extends Operated {
  readonly kind: 'suspendMarket';
  readonly market: number;
  readonly suspended: boolean;
}

export interface VoidRound extends Operated, RoundName {
  readonly kind: 'voidRound';
  readonly reason: string;
}

/** Made beside the engine, which only keeps it. */
export interface MadeRoot extends RoundName, SignedRoot {}

/**
 * Puts the Merkle root over a locked round's bet hashes on record, before the result can be known, with the server's
 * signature. Rejected once the round is settled.
 */
export interface PublishRoot extends Timed, MadeRoot {
  readonly kind: 'publishRoot';
}

/**
 * Records the time to which an operator has moved a manual clock, or at which the server stops, so that the next start
 * begins there. Rejected unless it is after the last journaled time.
 */
export interface MoveClock extends Operated {
  readonly kind: 'moveClock';
}

type OfAccounts = CreateAccount | UpdateAccount | Transfer | HouseTransfer;
type OfKeys = CreateKey | UpdateKey | ExpireKey | RotateKey | SetDeadman;
type OfRounds = Advance | BoundaryPrice | OpenLate | Settle | VoidRound | PublishRoot;
type OfSettings = Configure | DeclareSetup | SetCalendar | SetTrading | SuspendMarket | MoveClock;
type OfLimits = CancelOrder | CancelOrders | FillOrders | ExpireOrders;

export type Command = PlaceOrder | OfLimits | OfAccounts | OfKeys | OfRounds | OfSettings | ConfirmPrice;

/** Commands that the sequencer accepts. It issues `advance` itself. */
export type SubmittedCommand = Exclude<Command, Advance>;

export type CommandKind = Command['kind'];
