/**
 * Follows every round of the soak's markets in GET /markets, and checks its end in GET /rounds/{id}: it settles in
 * time, its result follows from its prices, its seed matches its commitment, it has exactly the bets that the soak
 * placed, and its price opens the next round.
 */
import { createHash } from 'node:crypto';
import type { Api } from './api.js';
import { cents, type Ledger, type Outcome } from './ledger.js';
import type { Violations } from './violations.js';

/** A round must be SETTLED this long after its end: 2 s of grace, and time for its bets. */
const SETTLED_WITHIN_MS = 8_000;
/** Betting closes 20 s before the lock; bettors stop a little earlier. */
const CLOSES_BEFORE_LOCK_MS = 20_300;
/** An open market always has a round, except while a late opening is allowed after a start. */
const VACANT_MS_MAX = 70_000;
const CLOSED_CLASSES = /^(GOLD|SILVER|EURUSD|GBPUSD|USDJPY|AUDUSD|USDCAD)_/;

interface Round {
  readonly id: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly status: string;
  readonly openPrice: number | null;
  readonly timeToLock: number;
}
interface Market {
  readonly id: string;
  readonly timeFrame: string;
  readonly currentRound: Round | null;
}
interface RoundDetail extends Round {
  readonly result?: Outcome;
  readonly closePrice: number | null;
  readonly voided: boolean;
  readonly totalBets: number;
  readonly totalVolume: number;
  readonly seedCommitment: string;
  readonly seed: string | null;
}

/** A known round that is not settled yet. */
interface Open {
  readonly marketId: string;
  readonly endMs: number;
  commitment: string | null;
}

export class RoundWatch {
  readonly #open = new Map<string, Open>();
  /** By market: the close price of the last round and when it ended. */
  readonly #closed = new Map<string, { readonly price: number; readonly endMs: number }>();
  readonly #seenMs = new Map<string, number>();
  readonly #results: Record<Outcome, number> = { UP: 0, DOWN: 0, DRAW: 0, VOID: 0 };
  readonly #startedMs = Date.now();
  #bettable: readonly string[] = [];
  #slowestMs = 0;

  constructor(
    private readonly api: Api,
    private readonly apiKey: string,
    private readonly ledger: Ledger,
    private readonly violations: Violations,
    /** Rounds of these time frames are watched and bet on. */
    private readonly timeFrames: readonly string[],
  ) {}

  /** A market that takes bets now, at random, or null. */
  openMarket(): string | null {
    return this.#bettable[Math.floor(Math.random() * this.#bettable.length)] ?? null;
  }
  get results(): Readonly<Record<Outcome, number>> {
    return this.#results;
  }
  get settled(): number {
    return Object.values(this.#results).reduce((sum, count) => sum + count, 0);
  }
  get unsettled(): readonly string[] {
    return [...this.#open.keys()];
  }
  /** Longest time from a round's end until it was seen SETTLED. */
  get slowestMs(): number {
    return this.#slowestMs;
  }
  /** Markets that had rounds. */
  get marketsSeen(): readonly string[] {
    return [...this.#seenMs.keys()].sort();
  }

  /** Checks the markets, and the rounds that have ended. To be called about once a second. */
  async look(): Promise<void> {
    const markets = (await this.api.read('/markets', this.apiKey)) as Market[];
    const watched = markets.filter(({ timeFrame }) => this.timeFrames.includes(timeFrame));
    this.#bettable = watched.flatMap(({ id, currentRound }) =>
      currentRound?.status === 'LIVE' && currentRound.timeToLock > CLOSES_BEFORE_LOCK_MS ? [id] : [],
    );
    for (const { id, currentRound } of watched) {
      if (currentRound !== null) await this.#see(id, currentRound);
      else this.#vacant(id);
    }
    const nowMs = Date.now();
    const ended = [...this.#open].filter(([, { endMs }]) => endMs < nowMs);
    for (const [id, open] of ended) await this.#seeEnd(id, open, nowMs);
  }

  async #see(marketId: string, round: Round): Promise<void> {
    this.#seenMs.set(marketId, Date.now());
    if (round.status === 'UPCOMING') return;
    const known = this.#open.get(round.id);
    if (known !== undefined) return;
    const open: Open = { marketId, endMs: Date.parse(round.endTime), commitment: null };
    this.#open.set(round.id, open);
    const before = this.#closed.get(marketId);
    if (before?.endMs === Date.parse(round.startTime) && before.price !== round.openPrice) {
      this.violations.report(
        'open price',
        `${round.id} opened at ${round.openPrice}, the last closed at ${before.price}`,
      );
    }
    const { seedCommitment, seed, status } = (await this.api.read(
      `/rounds/${round.id}`,
      this.apiKey,
    )) as RoundDetail;
    open.commitment = seedCommitment;
    if (seed !== null && status !== 'SETTLED')
      this.violations.report('seed', `${round.id} shows its seed while ${status}`);
  }

  /** FX and metals are closed at weekends by design; crypto never is. */
  #vacant(marketId: string): void {
    if (CLOSED_CLASSES.test(marketId)) return;
    const lastMs = this.#seenMs.get(marketId) ?? this.#startedMs;
    if (Date.now() - lastMs > VACANT_MS_MAX + (marketId.endsWith('FIVE_MINUTES') ? 300_000 : 0)) {
      this.violations.report('no round', `${marketId} has had none for ${Date.now() - lastMs} ms`);
      this.#seenMs.set(marketId, Date.now());
    }
  }

  async #seeEnd(id: string, open: Open, nowMs: number): Promise<void> {
    const round = (await this.api.read(`/rounds/${id}`, this.apiKey)) as RoundDetail;
    const sinceEndMs = nowMs - open.endMs;
    if (round.status !== 'SETTLED') {
      if (sinceEndMs > SETTLED_WITHIN_MS) {
        this.violations.report('not settled', `${id} is ${round.status} ${sinceEndMs} ms after its end`);
      }
      return;
    }
    this.#open.delete(id);
    this.#slowestMs = Math.max(this.#slowestMs, sinceEndMs);
    const outcome = round.voided ? 'VOID' : (round.result ?? 'VOID');
    this.#results[outcome]++;
    this.#check(id, round, outcome, open.commitment);
    if (round.closePrice !== null)
      this.#closed.set(open.marketId, { price: round.closePrice, endMs: open.endMs });
  }

  #check(id: string, round: RoundDetail, outcome: Outcome, commitment: string | null): void {
    const { openPrice, closePrice, seed, totalBets, totalVolume } = round;
    if (outcome === 'VOID') this.violations.report('voided', id);
    else if (openPrice === null || closePrice === null) this.violations.report('prices', `${id} has none`);
    else {
      const expected = closePrice === openPrice ? 'DRAW' : closePrice > openPrice ? 'UP' : 'DOWN';
      if (outcome !== expected)
        this.violations.report('result', `${id}: ${openPrice} to ${closePrice} is no ${outcome}`);
    }
    const digest = createHash('sha256')
      .update(Buffer.from(seed ?? '', 'hex'))
      .digest('hex');
    if (seed === null || digest !== commitment)
      this.violations.report('seed', `${id} does not fit its commitment`);
    const booked = this.ledger.decided(id, outcome);
    if (booked.bets !== totalBets || booked.stakeCents !== cents(totalVolume)) {
      this.violations.report(
        'bets',
        `${id} has ${totalBets} of ${totalVolume}; placed: ${JSON.stringify(booked)}`,
      );
    }
  }
}
