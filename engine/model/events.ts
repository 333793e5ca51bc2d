/**
 * The effects of an accepted command. The market view, the account reads and the archive consume events; none of them
 * is a special case inside the engine. The sequence number is in the outcome.
 */
import { fail } from '../base/assert.js';
import type { ErrorCode } from './errors.js';
import type { BetPlaced, BetTerms, OrderFilled, OrderPending, OrderTerms } from './orders.js';
import type { PriceEstimate } from './prices.js';
import type { SignedRoot } from './proofs/proof-views.js';
import type { Setup } from './setup.js';

export type {
  BetPlaced,
  BetTerms,
  LimitFills,
  OrderFilled,
  OrderPending,
  OrderTerms,
} from './orders.js';

/** The facts that a bet's hash is made of. */
export type HashedBet = Pick<
  BetTerms,
  | 'timeMs'
  | 'bet'
  | 'market'
  | 'roundNumber'
  | 'side'
  | 'stakeCents'
  | 'oddsE4'
  | 'entryPercentE2'
  | 'payoutCents'
  | 'clientSeed'
>;

/** The archive keeps this of a settlement, besides the bet itself. */
export interface SettlementTerms {
  readonly type: 'betSettled';
  readonly timeMs: number;
  readonly bet: number;
  readonly account: number;
  readonly market: number;
  readonly roundNumber: number;
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

export interface RoundChanged {
  readonly type: 'roundUpcoming' | 'roundLocked' | 'roundEnded' | 'roundSettled';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
}

/** The house has seeded the round, which now has its open price and takes bets. */
export interface RoundOpened {
  readonly type: 'roundOpened';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly openPrice: number;
}

/** The result is an index into `ROUND_RESULTS`. The round's bets can be settled now. */
export interface RoundResolved {
  readonly type: 'roundResolved';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly result: number;
  readonly closePrice: number | null;
  readonly reason: string;
}

/** A round that was due did not open. Operators see the reason in the log and in `/status`. */
export interface RoundNotOpened {
  readonly type: 'roundNotOpened';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly reason: 'stale_price' | 'house_capital' | 'suspended' | 'market_hours' | 'not_active';
}

export interface BoundaryPriced {
  readonly type: 'boundaryPriced';
  readonly timeMs: number;
  readonly asset: number;
  readonly boundaryMs: number;
  readonly price: number | null;
  readonly estimate: PriceEstimate | null;
}

/**
 * The house has lost a limit's amount in a day: the events after this one suspend the markets that are not suspended
 * yet.
 */
export interface LossLimitReached {
  readonly type: 'lossLimitReached';
  readonly timeMs: number;
  /** Index into `LOSS_SCOPES`. */
  readonly scope: number;
  readonly lostCents: number;
  readonly limitCents: number;
}

/** For the record: an operator vouched for a price that was held back. */
export interface PriceConfirmed {
  readonly type: 'priceConfirmed';
  readonly timeMs: number;
  readonly asset: number;
  readonly price: number;
  readonly reason: string;
}

/** Money moved other than by a bet: positive into the account (0 is the house), negative out of it. */
export interface BalanceMoved {
  readonly type: 'balanceMoved';
  readonly timeMs: number;
  readonly account: number;
  readonly amountCents: number;
  readonly balanceCents: number;
  readonly reason: 'deposit' | 'withdrawal' | 'seed' | 'settlement';
  readonly reference: string;
}

export interface AccountChanged {
  readonly type: 'accountCreated' | 'accountUpdated';
  readonly timeMs: number;
  readonly account: number;
}

export interface KeyChanged {
  readonly type: 'keyCreated' | 'keyUpdated';
  readonly timeMs: number;
  readonly key: number;
  readonly account: number;
}

/** Rules, trading switch, calendar, a market's suspension or a manual clock changed. */
export interface SettingsChanged {
  readonly type: 'configured' | 'tradingChanged' | 'calendarChanged' | 'marketSuspended' | 'clockMoved';
  readonly timeMs: number;
  /** -1 unless a market was suspended or resumed. */
  readonly market: number;
}

export interface SetupDeclared extends Setup {
  readonly type: 'setupDeclared';
  readonly timeMs: number;
}

export interface RootPublished extends SignedRoot {
  readonly type: 'rootPublished';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
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

/** An event as a history shows it, whether it comes from the engine or from the archive. */
export type PastEvent = EngineEvent | SettlementTerms;

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
