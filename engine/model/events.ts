/**
 * What an accepted command did. Outcomes carry events; the market view, the account reads, and later the
 * stream, the archive and the ledger are readers of events, never special cases inside the engine (design,
 * section 10). The sequence number stands in the outcome.
 */
import type { ErrorCode } from './errors.js';

/** Everything that a 201 says, so that a replay can say it again (specification, OrderResult). */
export interface BetPlaced {
  readonly type: 'betPlaced';
  readonly timeMs: number;
  readonly bet: number;
  readonly account: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly side: number;
  readonly stakeCents: number;
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  readonly newBalanceCents: number;
  readonly clientSeed: string | null;
}

export interface BetSettled {
  readonly type: 'betSettled';
  readonly timeMs: number;
  readonly bet: number;
  readonly account: number;
  readonly market: number;
  readonly roundNumber: number;
  /** Index into `BET_RESULTS`. */
  readonly result: number;
  readonly payoutCents: number;
  readonly newBalanceCents: number;
}

/** A round entered the state that the type names. */
export interface RoundChanged {
  readonly type: 'roundUpcoming' | 'roundLocked' | 'roundEnded' | 'roundSettled';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
}

/** The house has seeded the round and it takes bets: from here on it has its open price. */
export interface RoundOpened {
  readonly type: 'roundOpened';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly openPrice: number;
}

/** The round's result is decided (index into `ROUND_RESULTS`); its bets are settled from here on. */
export interface RoundResolved {
  readonly type: 'roundResolved';
  readonly timeMs: number;
  readonly market: number;
  readonly roundNumber: number;
  readonly result: number;
  readonly closePrice: number | null;
  readonly reason: string;
}

/** A round that was due did not open. Operators see why in the log and in `/status`. */
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
}

/** Money that moved other than by a bet: positive into the account (0 is the house), negative out of it. */
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

/** Rules, trading switch, calendar or a market's suspension changed. */
export interface SettingsChanged {
  readonly type: 'configured' | 'tradingChanged' | 'calendarChanged' | 'marketSuspended';
  readonly timeMs: number;
  /** The market that was suspended or resumed, else -1. */
  readonly market: number;
}

export type EngineEvent =
  | BetPlaced
  | BetSettled
  | RoundChanged
  | RoundOpened
  | RoundResolved
  | RoundNotOpened
  | BoundaryPriced
  | BalanceMoved
  | AccountChanged
  | KeyChanged
  | SettingsChanged;

/** The command took effect as number `seq`; it is durable once the journal says so. */
export interface Accepted {
  readonly status: 'accepted';
  readonly seq: number;
  readonly events: readonly EngineEvent[];
}

/**
 * An earlier command with the same Idempotency-Key or reference took effect as number `seq`. Nothing happened
 * now; `event` is what happened then. While `seq` is not durable the answer is `idempotency_in_progress`.
 */
export interface Replayed {
  readonly status: 'replayed';
  readonly seq: number;
  readonly event: BetPlaced | BalanceMoved;
}

/** The command changed nothing. */
export interface Rejected {
  readonly status: 'rejected';
  readonly code: ErrorCode;
  /** A sentence for people, or '' where the code alone is the specified text. */
  readonly detail: string;
}

export type Outcome = Accepted | Replayed | Rejected;
