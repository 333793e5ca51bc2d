/**
 * The effects of an accepted command. The market view, the account reads and the archive consume events; none of them
 * is a special case inside the engine. The sequence number is in the outcome.
 */
import { fail } from '../base/assert.js';
import type { RoundName, Timed } from './domain.js';
import type { ErrorCode } from './errors.js';
import type { PriceEstimate } from './prices.js';
import type { SignedRoot } from './proofs/proof-views.js';
import type { Setup } from './setup.js';

/** Resting orders that an order has filled, with the sums of their stakes. */
export interface LimitFills {
  readonly upOrders: number;
  readonly upCents: number;
  readonly downOrders: number;
  readonly downCents: number;
}

/** Everything in a 201 response, so that it can be replayed. */
export interface OrderTerms extends Timed, RoundName {
  /** `orderPending`: a limit order rests. Its odds are then those that it names, its payout the one at these odds. */
  readonly type: 'betPlaced' | 'orderPending';
  readonly bet: number;
  readonly account: number;
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

export interface BetPlaced extends OrderTerms {
  readonly type: 'betPlaced';
  /** The order's fair share, in millionths of UP; -1 if the round's seeds are fixed. */
  readonly fairShareE6: number;
}

/** A limit order rests, its stake reserved. Until it is filled it is no bet: it is in no pool and has no hash. */
export interface OrderPending extends OrderTerms {
  readonly type: 'orderPending';
  readonly fairShareE6: number;
  readonly validUntilMs: number;
}

/** A resting order has become a bet, at these odds. Its stake was taken from the balance when it was placed. */
export interface OrderFilled extends Omit<OrderTerms, 'type' | 'filled'> {
  readonly type: 'orderFilled';
  /** When the order was placed: the time in the bet's hash. */
  readonly placedAtMs: number;
  readonly fairShareE6: number;
}

/** The facts that a bet's hash is made of. */
export type HashedBet = Pick<
  OrderTerms,
  | keyof (Timed & RoundName)
  | 'bet'
  | 'side'
  | 'stakeCents'
  | 'oddsE4'
  | 'entryPercentE2'
  | 'payoutCents'
  | 'clientSeed'
>;

/** The archive keeps this of a settlement, besides the bet itself. */
export interface SettlementTerms extends Timed, RoundName {
  readonly type: 'betSettled';
  readonly bet: number;
  readonly account: number;
  /** Index into `BET_ENDS`. A resting order that was cancelled or has expired gets its stake back as the payout. */
  readonly result: number;
  readonly payoutCents: number;
  readonly newBalanceCents: number;
}

export interface BetSettled extends SettlementTerms {
  readonly side: number;
  readonly stakeCents: number;
  /** Whether it is a limit order that has rested: a round's are not settled in the order of their numbers. */
  readonly rested: boolean;
  readonly clientOrderId: string | null;
}

export interface RoundChanged extends Timed, RoundName {
  readonly type: 'roundUpcoming' | 'roundLocked' | 'roundEnded' | 'roundSettled';
}

/** The house has seeded the round, which now has its open price and takes bets. */
export interface RoundOpened extends Timed, RoundName {
  readonly type: 'roundOpened';
  readonly openPrice: number;
}

/** The result is an index into `ROUND_RESULTS`. The round's bets can be settled now. */
export interface RoundResolved extends Timed, RoundName {
  readonly type: 'roundResolved';
  readonly result: number;
  readonly closePrice: number | null;
  readonly reason: string;
}

/** A round that was due did not open. Operators see the reason in the log and in `/status`. */
export interface RoundNotOpened extends Timed, RoundName {
  readonly type: 'roundNotOpened';
  readonly reason: 'stale_price' | 'house_capital' | 'suspended' | 'market_hours' | 'not_active';
}

interface BoundaryPriced extends Timed {
  readonly type: 'boundaryPriced';
  readonly asset: number;
  readonly boundaryMs: number;
  readonly price: number | null;
  readonly estimate: PriceEstimate | null;
}

/**
 * The house has lost a limit's amount in a day: the events after this one suspend the markets that are not suspended
 * yet.
 */
interface LossLimitReached extends Timed {
  readonly type: 'lossLimitReached';
  /** Index into `LOSS_SCOPES`. */
  readonly scope: number;
  readonly lostCents: number;
  readonly limitCents: number;
}

/** For the record: an operator vouched for a price that was held back. */
interface PriceConfirmed extends Timed {
  readonly type: 'priceConfirmed';
  readonly asset: number;
  readonly price: number;
  readonly reason: string;
}

/** Money moved other than by a bet: positive into the account (0 is the house), negative out of it. */
export interface BalanceMoved extends Timed {
  readonly type: 'balanceMoved';
  readonly account: number;
  readonly amountCents: number;
  readonly balanceCents: number;
  readonly reason: 'deposit' | 'withdrawal' | 'seed' | 'settlement';
  readonly reference: string;
}

interface AccountChanged extends Timed {
  readonly type: 'accountCreated' | 'accountUpdated';
  readonly account: number;
}

export interface KeyChanged extends Timed {
  readonly type: 'keyCreated' | 'keyUpdated';
  readonly key: number;
  readonly account: number;
}

/** Rules, trading switch, calendar, a market's suspension or a manual clock changed. */
export interface SettingsChanged extends Timed {
  readonly type: 'configured' | 'tradingChanged' | 'calendarChanged' | 'marketSuspended' | 'clockMoved';
  /** -1 unless a market was suspended or resumed. */
  readonly market: number;
}

interface SetupDeclared extends Timed, Setup {
  readonly type: 'setupDeclared';
}

export interface RootPublished extends Timed, RoundName, SignedRoot {
  readonly type: 'rootPublished';
}

export type EngineEvent =
  | BetPlaced
  | OrderPending
  | OrderFilled
  | BetSettled
  | RoundChanged
  | RoundOpened
  | RoundResolved
  | RoundNotOpened
  | BoundaryPriced
  | PriceConfirmed
  | LossLimitReached
  | BalanceMoved
  | AccountChanged
  | KeyChanged
  | SettingsChanged
  | RootPublished
  | SetupDeclared;

/** The command took effect as number `seq`. It is durable once the journal has acknowledged that number. */
export interface Accepted {
  readonly status: 'accepted';
  readonly seq: number;
  readonly events: readonly EngineEvent[];
}

/**
 * An earlier command with the same Idempotency-Key or reference took effect as number `seq`, with `event`; this one
 * changed nothing. While `seq` is not durable, the response is `idempotency_in_progress`.
 */
export interface Replayed {
  readonly status: 'replayed';
  readonly seq: number;
  readonly event: OrderTerms | BalanceMoved;
}

/** The odds that refused an order: the side's published percent, and the odds with this order's stake in its pool. */
export interface CurrentOdds {
  readonly percentE2: number;
  readonly oddsE4: number;
}

export interface Rejected {
  readonly status: 'rejected';
  readonly code: ErrorCode;
  /** A sentence for people, or '' for the bare code. */
  readonly detail: string;
  /** Only if the odds refused an order that named its least odds. */
  readonly current?: CurrentOdds;
}

export type Outcome = Accepted | Replayed | Rejected;

type EventOf<T extends EngineEvent['type'], E = EngineEvent> = E extends { readonly type: infer U }
  ? T extends U
    ? E
    : never
  : never;

export function eventOf<T extends EngineEvent['type']>(events: readonly EngineEvent[], type: T): EventOf<T> {
  const isOfType = (event: EngineEvent): event is EngineEvent & EventOf<T> => event.type === type;
  const [first] = events;
  if (first !== undefined && isOfType(first)) return first;
  return events.find(isOfType) ?? fail(`event ${type} is missing`);
}
