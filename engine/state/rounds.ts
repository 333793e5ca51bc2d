/** Rounds and markets. */
import { must } from '../base/assert.js';
import {
  ASSETS,
  LIVE,
  MARKETS_MAX,
  NO_FAIR_SHARE,
  RESULT_NONE,
  SETTLED,
  timeFrameMs,
  UPCOMING,
} from '../model/domain.js';
import type { RoundChanged } from '../model/events.js';
import type { ProofView } from '../model/proofs/proof-views.js';
import type { MarketRules, Rules } from '../model/rules.js';
import type { OpenPrice, QuoteView, RoundView } from '../model/views.js';

type Proof = { -readonly [field in keyof ProofView]: ProofView[field] };

const newProof = (): Proof => ({
  open: null,
  close: null,
  firstShareE6: NO_FAIR_SHARE,
  lastShareE6: NO_FAIR_SHARE,
  leastShareE6: NO_FAIR_SHARE,
  greatestShareE6: NO_FAIR_SHARE,
  root: null,
});

type Quote = { -readonly [field in keyof QuoteView]: QuoteView[field] };

const endTimeMsOf = (market: number, roundNumber: number): number => (roundNumber + 1) * timeFrameMs(market);

interface RoundTerms
  extends Pick<
    RoundView,
    | 'lockTimeMs'
    | 'bettingClosesMs'
    | 'seedCents'
    | 'feeBps'
    | 'minStakeCents'
    | 'maxStakeCents'
    | 'maxPriceAgeMs'
  > {
  readonly slippageE2: number;
  readonly quote: Quote | null;
}

export function termsOf(
  market: number,
  roundNumber: number,
  ofMarket: MarketRules,
  rules: Rules,
): RoundTerms {
  const lockTimeMs = endTimeMsOf(market, roundNumber) - ofMarket.lockLeadMs;
  const { minStakeCents, maxStakeCents, maxPriceAgeMs } = ofMarket;
  const { policy, seedCents, shadeE6, clampE6 } = ofMarket.house;
  const { feeBps, slippageE2 } = rules;
  return {
    lockTimeMs,
    bettingClosesMs: lockTimeMs - rules.cutoffMs,
    seedCents,
    feeBps,
    minStakeCents,
    maxStakeCents,
    maxPriceAgeMs,
    slippageE2,
    quote: policy === 'fixed' ? null : { shadeE6, clampE6, seedUpCents: seedCents, edgeCents: 0 },
  };
}

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
  readonly quote: Quote | null;
  readonly proof: Proof = newProof();
  openPrice: number | null = null;
  closePrice: number | null = null;
  status = UPCOMING;
  result = RESULT_NONE;
  poolUpCents = 0;
  poolDownCents = 0;
  payoutUpCents = 0;
  payoutDownCents = 0;
  betCount = 0;
  volumeCents = 0;
  paidCents = 0;
  /** Bet rows by placement; `nextToSettle` walks them once the round is resolved. */
  firstBet = 0;
  lastBet = 0;
  nextToSettle = 0;
  resolvedAtMs: number | null = null;
  voidReason = '';

  constructor(
    readonly market: number,
    readonly roundNumber: number,
    readonly startTimeMs: number,
    terms: RoundTerms,
  ) {
    this.endTimeMs = endTimeMsOf(market, roundNumber);
    this.lockTimeMs = terms.lockTimeMs;
    this.bettingClosesMs = terms.bettingClosesMs;
    this.seedCents = terms.seedCents;
    this.feeBps = terms.feeBps;
    this.minStakeCents = terms.minStakeCents;
    this.maxStakeCents = terms.maxStakeCents;
    this.maxPriceAgeMs = terms.maxPriceAgeMs;
    this.slippageE2 = terms.slippageE2;
    this.quote = terms.quote;
  }

  changed(type: RoundChanged['type'], timeMs: number): RoundChanged {
    return { type, timeMs, market: this.market, roundNumber: this.roundNumber };
  }

  /** A round that takes bets on trial: with the pools of this one, and without its bets. */
  forTrial(): Round {
    const { market, roundNumber, startTimeMs, quote } = this;
    const trial = new Round(market, roundNumber, startTimeMs, {
      ...this,
      quote: quote === null ? null : { ...quote },
    });
    trial.poolUpCents = this.poolUpCents;
    trial.poolDownCents = this.poolDownCents;
    trial.payoutUpCents = this.payoutUpCents;
    trial.payoutDownCents = this.payoutDownCents;
    return trial;
  }

  /** Counts the fair share of a bet that joins the round; there is none where the seeds are fixed. */
  noteShare(shareE6: number): void {
    const { proof } = this;
    if (this.quote === null) return;
    if (proof.firstShareE6 === NO_FAIR_SHARE) {
      proof.firstShareE6 = shareE6;
      proof.leastShareE6 = shareE6;
      proof.greatestShareE6 = shareE6;
    }
    proof.lastShareE6 = shareE6;
    if (shareE6 < proof.leastShareE6) proof.leastShareE6 = shareE6;
    if (shareE6 > proof.greatestShareE6) proof.greatestShareE6 = shareE6;
  }
}

export class Market {
  rules: MarketRules | null = null;
  /** The last command that suspended the market; 0 while it is active. */
  suspendedSeq = 0;
  current: Round | null = null;
  /** Number of the last round that opened or was voided; numbers are never reused. */
  lastRoundNumber = -1;
  readonly rounds = new Map<number, Round>();
  readonly #settledNumbers: number[] = [];

  /** Keeps a settled round, and drops the oldest beyond `keptMax`. */
  keepSettled(round: Round, keptMax: number): void {
    this.#settledNumbers.push(round.roundNumber);
    while (this.#settledNumbers.length > keptMax) {
      this.rounds.delete(must(this.#settledNumbers.shift(), 'settled round'));
    }
  }

  get isSuspended(): boolean {
    return this.suspendedSeq > 0;
  }

  get settledNumbers(): readonly number[] {
    return this.#settledNumbers;
  }

  /** When time alone next changes the current round. */
  get nextDueMs(): number {
    if (this.current === null) return Number.POSITIVE_INFINITY;
    return this.current.status === LIVE ? this.current.lockTimeMs : this.current.endTimeMs;
  }
}

export class MarketTable {
  readonly markets: readonly Market[] = Array.from({ length: MARKETS_MAX }, () => new Market());
  readonly awaitingPrice: Round[] = [];
  /** Resolved, with bets left to settle; oldest first. */
  readonly settling: Round[] = [];
  readonly latestOpenPrices: (OpenPrice | null)[] = ASSETS.map(() => null);
  /** Money in the pots of unsettled rounds: seeds and stakes, less payouts so far. */
  potsCents = 0;
  openStakesCents = 0;
  nextDueMs = Number.POSITIVE_INFINITY;

  market(market: number): Market {
    return must(this.markets[market], 'market');
  }

  /** A boundary's price may be final only after another market has opened late: that one is the asset's latest round. */
  noteOpenPrice(asset: number, open: OpenPrice): void {
    const latestMs = this.latestOpenPrices[asset]?.timeMs ?? open.timeMs;
    if (open.timeMs >= latestMs) this.latestOpenPrices[asset] = open;
  }

  refreshNextDue(): void {
    this.nextDueMs = Number.POSITIVE_INFINITY;
    for (const market of this.markets) {
      if (market.nextDueMs < this.nextDueMs) this.nextDueMs = market.nextDueMs;
    }
  }

  /** SETTLED once the round has left memory. */
  statusOf(market: number, roundNumber: number): number {
    return this.market(market).rounds.get(roundNumber)?.status ?? SETTLED;
  }
}
