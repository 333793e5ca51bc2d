/**
 * Rounds and the markets that they belong to (design, section 4).
 */
import { must } from '../base/assert.js';
import { ASSETS, LIVE, MARKETS_MAX, RESULT_NONE, SETTLED, timeFrameMs, UPCOMING } from '../model/domain.js';
import type { MarketRules, Rules } from '../model/rules.js';
import type { OpenPrice, RoundView } from '../model/views.js';

/** A round with the rules that were in force when it came into being. */
export class Round implements RoundView {
  readonly endTimeMs: number;
  readonly lockTimeMs: number;
  readonly bettingClosesMs: number;
  readonly seedCents: number;
  readonly feeBps: number;
  readonly minStakeCents: number;
  readonly maxStakeCents: number;
  readonly maxPriceAgeMs: number;
  readonly slippageE2: number;
  openPrice: number | null = null;
  closePrice: number | null = null;
  status = UPCOMING;
  result = RESULT_NONE;
  poolUpCents = 0;
  poolDownCents = 0;
  /** What each side would be paid if it won. */
  payoutUpCents = 0;
  payoutDownCents = 0;
  betCount = 0;
  volumeCents = 0;
  /** What was paid for the bets that are settled. */
  paidCents = 0;
  /** Bet rows in the order of placement; `nextToSettle` walks them once the round is resolved. */
  firstBet = 0;
  lastBet = 0;
  nextToSettle = 0;
  resolvedAtMs: number | null = null;
  voidReason = '';

  constructor(
    readonly market: number,
    readonly roundNumber: number,
    readonly startTimeMs: number,
    marketRules: Omit<MarketRules, 'marketId'>,
    rules: Pick<Rules, 'cutoffMs' | 'feeBps' | 'slippageE2'>,
  ) {
    this.endTimeMs = (roundNumber + 1) * timeFrameMs(market);
    this.lockTimeMs = this.endTimeMs - marketRules.lockLeadMs;
    this.bettingClosesMs = this.lockTimeMs - rules.cutoffMs;
    this.seedCents = marketRules.seedCents;
    this.feeBps = rules.feeBps;
    this.minStakeCents = marketRules.minStakeCents;
    this.maxStakeCents = marketRules.maxStakeCents;
    this.maxPriceAgeMs = marketRules.maxPriceAgeMs;
    this.slippageE2 = rules.slippageE2;
  }
}

/** One market: its round of now, and the rounds that are still in memory. */
export class Market {
  rules: MarketRules | null = null;
  suspended = false;
  /** UPCOMING, LIVE or LOCKED. */
  current: Round | null = null;
  /** Number of the last round that opened or was voided: a number is never used twice. */
  lastRoundNumber = -1;
  readonly rounds = new Map<number, Round>();
  readonly #settledNumbers: number[] = [];

  /** A settled round joins those that are kept; the oldest beyond `keptMax` leave memory. */
  keepSettled(round: Round, keptMax: number): void {
    this.#settledNumbers.push(round.roundNumber);
    while (this.#settledNumbers.length > keptMax) {
      this.rounds.delete(must(this.#settledNumbers.shift(), 'settled round'));
    }
  }

  /** Numbers of the settled rounds that are kept, in the order of their settlement. */
  get settledNumbers(): readonly number[] {
    return this.#settledNumbers;
  }

  /** When the current round next changes by time alone. */
  get nextDueMs(): number {
    if (this.current === null) return Number.POSITIVE_INFINITY;
    return this.current.status === LIVE ? this.current.lockTimeMs : this.current.endTimeMs;
  }
}

export class MarketTable {
  readonly markets: readonly Market[] = Array.from({ length: MARKETS_MAX }, () => new Market());
  /** Rounds that ended and have no price yet, oldest first. */
  readonly awaitingPrice: Round[] = [];
  /** Resolved rounds with bets left to settle, oldest first. */
  readonly settling: Round[] = [];
  readonly latestOpenPrices: (OpenPrice | null)[] = ASSETS.map(() => null);
  /** All money in the pots of unsettled rounds: seeds and stakes, less what a settlement has paid so far. */
  potsCents = 0;
  /** Stakes of all bets that are not settled. */
  openStakesCents = 0;
  nextDueMs = Number.POSITIVE_INFINITY;

  market(market: number): Market {
    return must(this.markets[market], 'market');
  }

  refreshNextDue(): void {
    this.nextDueMs = Number.POSITIVE_INFINITY;
    for (const market of this.markets) {
      if (market.nextDueMs < this.nextDueMs) this.nextDueMs = market.nextDueMs;
    }
  }

  /** Status of a bet's round, which is SETTLED once it has left memory. */
  statusOf(market: number, roundNumber: number): number {
    return this.market(market).rounds.get(roundNumber)?.status ?? SETTLED;
  }
}
