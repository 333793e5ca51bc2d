/**
 * Read access to the engine. A view is a plain copy or a read-only window on live state; outside `engine/`, state
 * changes only through commands.
 */
import type { PositionStatus, RoundName } from './domain.js';
import type { Rejected } from './events.js';
import type { ProofView } from './proofs/proof-views.js';

export interface QuoteView {
  readonly shadeE6: number;
  readonly clampE6: number;
  /** The seeds in UP's pool; DOWN's has the rest of 2S. */
  readonly seedUpCents: number;
  /** The house's average gain from the bets, at the fair shares at which they were placed; never below 0. */
  readonly edgeCents: number;
}

/** Both a round in memory and a settled one in the archive have them. */
export interface RoundFigures extends RoundName {
  readonly startTimeMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
  /** null while UPCOMING. */
  readonly openPrice: number | null;
  /** null until resolved, and for a voided round. */
  readonly closePrice: number | null;
  /** Index into `ROUND_RESULTS`. */
  readonly result: number;
  /** '' unless voided. */
  readonly voidReason: string;
  /** Stakes and the house's seeds, as these were split for the last bet. */
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  /** Number and sum of bets, without the seeds. */
  readonly betCount: number;
  readonly volumeCents: number;
  /** Half of the house's seeds: each side had as much when the round opened. */
  readonly seedCents: number;
  readonly feeBps: number;
}

/**
 * A round. While the round is in memory its object stays the same and its fields change with the engine. Readers that
 * must not see undurable state use events instead.
 */
export interface RoundView extends RoundFigures {
  /** Index into `ROUND_STATUSES`. */
  readonly status: number;
  /** Owed to each side if it wins. */
  readonly payoutUpCents: number;
  readonly payoutDownCents: number;
  /** null where the seeds are fixed. */
  readonly quote: QuoteView | null;
  readonly proof: ProofView;
  readonly minStakeCents: number;
  readonly maxStakeCents: number;
  /** Greatest age of the price at its end; an older one voids the round. */
  readonly maxPriceAgeMs: number;
  /** Bets are taken before this time: the lock less the cutoff. */
  readonly bettingClosesMs: number;
  /** null until resolved. */
  readonly resolvedAtMs: number | null;
}

export interface BetView {
  readonly bet: number;
  readonly market: number;
  readonly roundNumber: number;
  /** Index into `SIDES`. */
  readonly side: number;
  readonly stakeCents: number;
  readonly oddsE4: number;
  /** The least odds that a limit order takes, 1e-4; 0 for any other bet. */
  readonly limitOddsE4: number;
  /** Whether a limit order has rested; false for any other bet. */
  readonly rested: boolean;
  /** When a limit order became a bet; null for one that has not, and for any other bet. */
  readonly filledAtMs: number | null;
  /** The last millisecond in which a limit order that has rested may rest; null where only its round ends it, and for any other bet. */
  readonly validUntilMs: number | null;
  /**
   * null for an order that was not filled. In the archive also for a bet that was open where the archive begins, which
   * happens if the one before was lost.
   */
  readonly entryPercentE2: number | null;
  readonly clientSeed: string | null;
  readonly clientOrderId: string | null;
  /** The payout of a WIN; for an order that was not filled, at the odds that it names. */
  readonly payoutCents: number;
  readonly status: PositionStatus;
  /** Index into `BET_ENDS`; 0 while open. */
  readonly result: number;
  /** Amount paid, stake included; null while open, and where a limit order ended unfilled. */
  readonly paidCents: number | null;
  readonly placedAtMs: number;
  readonly settledAtMs: number | null;
  /** Status of the bet's round, an index into `ROUND_STATUSES`. */
  readonly roundStatus: number;
  readonly roundEndTimeMs: number;
}

export interface AccountView {
  readonly account: number;
  readonly name: string | null;
  /** Index into `TIERS`. */
  readonly tier: number;
  readonly balanceCents: number;
  readonly frozen: boolean;
  readonly openBets: number;
}

export interface SeenKey {
  /** Numbers of the order's command and of its bet; null if none is remembered. */
  readonly placed: { readonly seq: number; readonly bet: number } | null;
  /** Orders from this time on are all remembered. */
  readonly rememberedFromMs: number;
}

/** A bet's terms in the market's current round. */
export interface OfferView {
  readonly roundNumber: number;
  /** Before the stake joins the side's pool. */
  readonly percentE2: number;
  /** After it has joined. */
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  /** The payout of a WIN. */
  readonly payoutCents: number;
}

/** The answer to an order if it were placed. */
export interface OrderQuote {
  /** null if the order is refused before there are odds for it. */
  readonly offer: OfferView | null;
  /** By the first check that refuses the order; null if it would be placed. */
  readonly refusal: Rejected | null;
  /** Whether a limit order would rest; null where there are no odds for it, and for any other order. */
  readonly rests: boolean | null;
}

/** The answers to equal orders, one after the other. */
export interface PartsQuote {
  /** For each part. */
  readonly stakeCents: number;
  /** Parts that would be bets at once, and parts that would rest. */
  readonly placed: number;
  readonly resting: number;
  /** For the first part that would be refused; null if none would be. */
  readonly refusal: Rejected | null;
  /** Mean, rounded down, and least odds of the bets; null if there would be none. */
  readonly odds: { readonly meanE4: number; readonly leastE4: number } | null;
  /** For all of the bets, if they win. */
  readonly payoutCents: number;
}

export interface KeyView {
  readonly key: number;
  readonly account: number;
  readonly scopesMask: number;
  readonly enabled: boolean;
  readonly expiresAtMs: number | null;
  readonly createdAtMs: number;
  /** See `SetDeadman`. */
  readonly deadmanSeconds: number;
}

/** Sums over an account's open bets, and over its orders that rest. */
export interface OpenSums {
  /** Without orders that rest. */
  readonly openBets: number;
  readonly openStakesCents: number;
  readonly payoutUpCents: number;
  readonly payoutDownCents: number;
  readonly pendingOrders: number;
  readonly reservedCents: number;
}

export interface OpenPrice {
  readonly price: number;
  /** Start of the round that opened at this price. */
  readonly timeMs: number;
}

/** Invariant: house + accounts + openStakes + openSeeds + reservedStakes = deposits - withdrawals. */
export interface Totals {
  readonly houseCents: number;
  readonly accountsCents: number;
  /** Stakes of open bets. */
  readonly openStakesCents: number;
  /** The rest of the pools: seeds and, during a settlement, what the bets paid so far have left or taken. */
  readonly openSeedsCents: number;
  /** Stakes of resting limit orders, which are in no pot. */
  readonly reservedStakesCents: number;
  readonly depositsCents: number;
  readonly withdrawalsCents: number;
}
