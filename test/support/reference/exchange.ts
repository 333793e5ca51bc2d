/**
 * A small exchange for tests by example: engine and reference model, a few markets, instants from the start of a day.
 */
import { equal } from 'node:assert/strict';
import { must } from '../../../engine/base/assert.js';
import type { Command, OrderGuards } from '../../../engine/model/commands.js';
import {
  assetOf,
  marketOf,
  NO_FAIR_SHARE,
  SIDES,
  type Side,
  TIERS,
  type Tier,
} from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BetPlaced, EngineEvent, Outcome } from '../../../engine/model/events.js';
import { defaultRules, type MarketRules, RULES_VERSION, type Rules } from '../../../engine/model/rules.js';
import type { BetView } from '../../../engine/model/views.js';
import { fixedHouse } from '../engine/house-rules.js';
import { plainOrder } from '../engine/plain-order.js';
import { everything } from './compare.js';
import { Pair } from './pair.js';

/** 2023-11-15T00:00:00Z, a Wednesday: the start of a window in every time frame. */
export const DAY_MS = 1_700_006_400_000;
export const MINUTE_MS = 60_000;
export const BTC_1M = marketOf('BTC_ONE_MINUTE');
export const BTC_5M = marketOf('BTC_FIVE_MINUTES');
export const BTC_15M = marketOf('BTC_FIFTEEN_MINUTES');
export const EURUSD_1M = marketOf('EURUSD_ONE_MINUTE');
export const EURUSD_5M = marketOf('EURUSD_FIVE_MINUTES');
export const HOUSE_CAPITAL_CENTS = 1_000_000_00;

export interface ExchangeOptions {
  /** Active markets; by default one minute of BTC alone. */
  readonly markets?: readonly number[];
  readonly rules?: Partial<Omit<Rules, 'markets'>>;
  readonly market?: Partial<MarketRules>;
  readonly houseCents?: number;
  readonly rulesVersion?: number;
}

const NO_GUARDS: OrderGuards = { roundNumber: -1, validUntilMs: Number.POSITIVE_INFINITY, minOddsE4: 0 };

export interface BetWish {
  readonly account: number;
  readonly side?: Side;
  readonly market?: number;
  readonly stakeCents?: number;
  readonly fairShareE6?: number;
  readonly expectedPercentE6?: number;
  /** Stands for an Idempotency-Key. */
  readonly key?: number;
  readonly body?: number;
  readonly clientSeed?: string;
  readonly gate?: ErrorCode;
  readonly guards?: Partial<OrderGuards>;
}

/** The seeds stay where they are unless `options.market` says otherwise. */
export function rulesFor(markets: readonly number[], options: ExchangeOptions = {}): Rules {
  const rules = defaultRules('00'.repeat(32));
  const active = rules.markets.filter(({ marketId }) => markets.includes(marketOf(marketId)));
  const own = { house: fixedHouse(), ...options.market };
  return { ...rules, ...options.rules, markets: active.map((one) => ({ ...one, ...own })) };
}

export class Exchange {
  readonly pair: Pair;
  readonly markets: readonly number[];
  /** The next command's time, from the start of the day. */
  atMs = 0;

  constructor(options: ExchangeOptions = {}) {
    this.markets = options.markets ?? [BTC_1M];
    this.pair = new Pair(this.markets, [1, options.rules?.historyBetsMax ?? 200]);
    this.configure(rulesFor(this.markets, options), options.rulesVersion);
    const amountCents = options.houseCents ?? HOUSE_CAPITAL_CENTS;
    this.accepted({ kind: 'depositHouse', timeMs: this.nowMs, amountCents, reference: 'capital' });
  }

  /** With a round of its first market that takes bets. */
  static opened(options: ExchangeOptions = {}): Exchange {
    const exchange = new Exchange(options);
    equal(exchange.openLate(exchange.markets[0] ?? BTC_1M, 100), 'accepted');
    return exchange;
  }

  static withAccount(tier: Tier, balanceCents: number, options: ExchangeOptions = {}) {
    const exchange = Exchange.opened(options);
    return { exchange, account: exchange.account(tier, balanceCents) };
  }

  get nowMs(): number {
    return DAY_MS + this.atMs;
  }
  get reads() {
    return this.pair.engine;
  }
  /** The bets in memory, most recently placed first. */
  orders(account: number, limit: number): readonly BetView[] {
    return this.reads.betsPage(account, everything(limit)).bets;
  }

  apply(command: Command, gate: ErrorCode | null = null, guards: OrderGuards | null = null): Outcome {
    return this.pair.apply(command, gate, guards);
  }

  accepted(command: Command): readonly EngineEvent[] {
    const outcome = this.apply(command);
    equal(outcome.status, 'accepted', JSON.stringify([command, outcome]));
    return 'events' in outcome ? outcome.events : [];
  }

  /** `accepted`, `replayed`, or the code of the refusal. */
  outcomeOf(command: Command): string {
    return nameOf(this.apply(command));
  }

  configure(rules: Rules, rulesVersion: number = RULES_VERSION): void {
    this.accepted({ kind: 'configure', timeMs: this.nowMs, rulesVersion, rules });
  }

  /** Takes the steps that have become due. */
  passTo(atMs: number): readonly EngineEvent[] {
    this.atMs = atMs;
    if (this.pair.engine.nextDueMs > this.nowMs) return [];
    return this.accepted({ kind: 'advance', timeMs: this.nowMs });
  }

  account(tier: Tier, balanceCents: number): number {
    const timeMs = this.nowMs;
    this.accepted({ kind: 'createAccount', timeMs, name: null, tier: TIERS.indexOf(tier), balanceCents });
    return this.pair.engine.accountCount;
  }

  balanceCents(account: number): number {
    return must(this.pair.engine.account(account), 'account').balanceCents;
  }

  openLate(market: number, price: number, ageMs = 0): string {
    const timeMs = this.nowMs;
    const asset = assetOf(market);
    const origin = { priceTimeMs: timeMs - ageMs, source: null, evidence: 'test' };
    return this.outcomeOf({ kind: 'openLate', timeMs, asset, price, ...origin });
  }

  /** `boundaryAtMs` is from the start of the day; the price is `ageMs` old then. */
  boundary(market: number, boundaryAtMs: number, price: number | null, ageMs = 0): readonly EngineEvent[] {
    const boundaryMs = DAY_MS + boundaryAtMs;
    const priceTimeMs = price === null ? null : boundaryMs - ageMs;
    const origin = { asset: assetOf(market), price, priceTimeMs, source: null, evidence: 'test' };
    return this.accepted({ kind: 'boundaryPrice', timeMs: this.nowMs, boundaryMs, ...origin });
  }

  /** On its boundary, from the start of the day. */
  ends(market: number, atMs: number, price: number | null, ageMs = 0): readonly EngineEvent[] {
    this.passTo(atMs);
    return this.boundary(market, atMs, price, ageMs);
  }

  settleAll(): readonly EngineEvent[] {
    return this.accepted({ kind: 'settle', timeMs: this.nowMs, betsMax: 100_000 });
  }

  bet(wish: BetWish): Outcome {
    const { account, side = 'UP', market = BTC_1M, stakeCents = 10_00, expectedPercentE6 = -1 } = wish;
    const { key, body = 1, fairShareE6 = NO_FAIR_SHARE } = wish;
    const idempotency = key === undefined ? null : { keyHigh: key, keyLow: key, body };
    const command: Command = plainOrder({
      timeMs: this.nowMs,
      account,
      market,
      side: SIDES.indexOf(side),
      stakeCents,
      fairShareE6,
      expectedPercentE6,
      idempotency,
      clientSeed: wish.clientSeed ?? null,
    });
    const guards = wish.guards === undefined ? null : { ...NO_GUARDS, ...wish.guards };
    return this.apply(command, wish.gate ?? null, guards);
  }

  betOutcome(wish: BetWish): string {
    return nameOf(this.bet(wish));
  }

  /** The bet must be accepted. */
  placed(wish: BetWish): BetPlaced {
    const outcome = this.bet(wish);
    const event = outcome.status === 'accepted' ? outcome.events[0] : undefined;
    if (event?.type !== 'betPlaced') throw new Error(`not placed: ${JSON.stringify(outcome)}`);
    return event;
  }

  voidCurrent(market: number): string {
    const roundNumber = this.pair.engine.currentRound(market)?.roundNumber ?? -1;
    return this.outcomeOf({ kind: 'voidRound', timeMs: this.nowMs, market, roundNumber, reason: 'test' });
  }
}

const nameOf = (outcome: Outcome): string => (outcome.status === 'rejected' ? outcome.code : outcome.status);

export const typesOf = (events: readonly EngineEvent[]): string[] => events.map(({ type }) => type);
