/**
 * Concurrent bettors. Each sends one order after the other at its own pace, sometimes repeats one, and reads its
 * positions. Every answer is checked.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { Latencies } from '../client/latencies.js';
import type { Bettor } from '../tote/bettors.js';
import type { Answer, Api } from './api.js';
import { cents, type Ledger, type PlacedBet, roundIdAt, type Side } from './ledger.js';
import type { RoundWatch } from './rounds.js';
import type { Violations } from './violations.js';

/** Refusals that a bot must expect: the round moved on, or its sides are out of balance. */
const EXPECTED_REFUSALS = ['betting_closed', 'round_not_live', 'round_exposure_limit'];
const REPLAYED_SHARE = 0.02;
const STAKE_CENTS_MAX = 2_000;
const STAKE_CENTS_MIN = 100;
/** A bettor reads its positions after this many orders. */
const ORDERS_A_LOOK = 40;
const PAUSE_MS = 250;

interface Position {
  readonly id: string;
  readonly marketId: string;
  readonly prediction: Side;
  readonly amount: number;
  readonly potentialPayout: number;
  readonly placedAt: string;
  readonly status: string;
  readonly result: string | null;
  readonly payout: number | null;
  readonly round: { readonly status: string };
}

export interface LoadOptions {
  readonly api: Api;
  readonly bettors: readonly Bettor[];
  readonly ledger: Ledger;
  readonly rounds: RoundWatch;
  readonly violations: Violations;
  /** For all bettors together. */
  readonly ordersPerSecond: number;
}

export class Load {
  readonly latencies = new Latencies();
  readonly refusals = new Map<string, number>();
  replays = 0;
  looks = 0;
  #stopped = false;
  #orders = 0;

  constructor(private readonly options: LoadOptions) {}

  stop(): void {
    this.#stopped = true;
  }

  /** Resolves once every bettor has had its last answer. */
  async run(): Promise<void> {
    await Promise.all(this.options.bettors.map((_, account) => this.#bettor(account)));
  }

  async #bettor(account: number): Promise<void> {
    const { bettors, ordersPerSecond, violations } = this.options;
    const gapMs = (1_000 * bettors.length) / ordersPerSecond;
    let plannedMs = performance.now() + Math.random() * gapMs;
    for (let orders = 1; !this.#stopped; orders++) {
      await pause(Math.max(0, plannedMs - performance.now()));
      plannedMs = Math.max(plannedMs + gapMs, performance.now());
      try {
        await this.#order(account);
        if (orders % ORDERS_A_LOOK === 0) await this.#look(account);
      } catch (error) {
        violations.report('request failed', String(error));
        await pause(PAUSE_MS);
      }
    }
  }

  async #order(account: number): Promise<void> {
    const marketId = this.options.rounds.openMarket();
    if (marketId === null) return pause(PAUSE_MS);
    const order = {
      marketId,
      prediction: Math.random() < 0.5 ? 'UP' : 'DOWN',
      amount: (STAKE_CENTS_MIN + Math.floor(Math.random() * (STAKE_CENTS_MAX - STAKE_CENTS_MIN))) / 100,
    };
    const call = {
      method: 'POST' as const,
      path: '/v1/orders',
      apiKey: must(this.options.bettors[account], 'bettor').apiKey,
      body: JSON.stringify(order),
      idempotencyKey: `soak-${++this.#orders}`,
    };
    const sentMs = performance.now();
    const answer = await this.options.api.call(call);
    this.latencies.record(performance.now() - sentMs);
    if (answer.status !== 201) return this.#refused(answer);
    const { bet } = (JSON.parse(answer.text) as { data: { bet: PlacedBet } }).data;
    this.options.ledger.placed(account, bet);
    if (Math.random() >= REPLAYED_SHARE) return;
    const again = await this.options.api.call(call);
    this.replays++;
    if (again.status !== 201 || !again.isReplay || again.text !== answer.text) {
      this.options.violations.report('replay differs', `${answer.text} then ${again.status} ${again.text}`);
    }
  }

  #refused({ status, text }: Answer): void {
    const { error } = JSON.parse(text) as { error: string };
    const [code = ''] = error.split(':');
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    if (!EXPECTED_REFUSALS.includes(code))
      this.options.violations.report('order refused', `${status} ${text}`);
  }

  /** Settled positions must have the result and the payout that follow from the result of their round. */
  async #look(account: number): Promise<void> {
    const { apiKey } = must(this.options.bettors[account], 'bettor');
    const positions = (await this.options.api.read('/positions?status=all&limit=200', apiKey)) as Position[];
    this.looks++;
    for (const position of positions) this.#check(position);
  }

  #check(position: Position): void {
    const roundId = roundIdAt(position.marketId, Date.parse(position.placedAt));
    const outcome = this.options.ledger.outcome(roundId);
    if (outcome === null) return;
    const { amount, potentialPayout, prediction, status, result, payout } = position;
    const expected = {
      VOID: { result: 'REFUNDED', payout: amount },
      DRAW: { result: 'DRAW', payout: amount },
      [prediction]: { result: 'WIN', payout: potentialPayout },
    }[outcome] ?? { result: 'LOSS', payout: 0 };
    if (status === 'SETTLED' && result === expected.result && cents(payout ?? -1) === cents(expected.payout))
      return;
    this.options.violations.report('position', `${roundId} came to ${outcome}: ${JSON.stringify(position)}`);
  }
}
