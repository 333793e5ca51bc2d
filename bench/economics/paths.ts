/**
 * How a real price reaches the house: as it is, in steps, seldom, late, with breaks. Each path also has the beliefs of
 * two bettors. The public sees the prices that the house shows, and knows how they come about; the informed one sees
 * the real price besides, at once. Both know how volatile it is. A belief is the probability that UP wins a round that
 * is no draw; NaN: stay away.
 */
import { assert, must } from '../../engine/base/assert.js';
import { AGREEMENT_MS } from '../../engine/host/ticks/jumps.js';
import type { PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { readMessage } from '../../feeds/coinbase/messages.js';
import { FailoverFeed, STALE_MS } from '../../feeds/failover-feed.js';
import type { LiveFeed } from '../../feeds/live/live-feed.js';
import { Random } from '../client/random.js';
import type { Walk } from './prices.js';

export interface Moment {
  readonly openPrice: number;
  readonly nowMs: number;
  readonly endMs: number;
  readonly tick: PriceTick;
}

/** Events of a path happen once in each round whose number is a multiple of `every`. */
interface Schedule {
  readonly asset: number;
  readonly frameMs: number;
  /** From the beginning of a round to the end of betting. */
  readonly bettingMs: number;
  readonly every: number;
}

type Sink = (tick: PriceTick) => TickVerdict;

export class FinePath {
  protected nowMs = 0;
  protected readonly random: Random;
  protected sink: Sink | null = null;

  constructor(
    readonly walk: Walk,
    protected readonly schedule: Schedule,
    seed: number,
  ) {
    this.random = new Random(seed, 'path');
  }

  start(sink: Sink): void {
    this.sink = sink;
  }

  /** Moves the market on by a tick, and tells the house the prices that arrive then. */
  advance(nowMs: number): void {
    this.nowMs = nowMs;
    this.walk.move(nowMs);
    const { frameMs, every } = this.schedule;
    if (nowMs % (frameMs * every) === 0) this.happen();
    this.deliver();
  }

  protected happen(): void {}

  protected deliver(): void {
    this.offer(this.walk.price);
  }

  protected offer(price: number, timeMs = this.nowMs, spread = 0): void {
    const { asset } = this.schedule;
    must(this.sink, 'the house')({ asset, price, spread, timeMs, source: 'study', origin: '' });
  }

  publicly({ openPrice, endMs, tick }: Moment): number {
    return this.walk.above(Math.log(tick.price / openPrice), endMs - tick.timeMs);
  }

  informed({ openPrice, endMs, nowMs }: Moment): number {
    return this.walk.above(Math.log(this.walk.price / openPrice), endMs - nowMs);
  }

  /** A time to begin at, so as to be over when betting ends. */
  protected someTimeMs(tookMs: number): number {
    const { tickMs } = this.walk;
    return this.nowMs + tickMs * this.random.below((this.schedule.bettingMs - tookMs) / tickMs);
  }
}

export type PathArguments = ConstructorParameters<typeof FinePath>;

const CELLS = 16;
/** A tick's change by cells; it never goes further than 20 steps. */
const KERNEL = new Float64Array(20 * CELLS);

/** Prices in steps. The public follows, by weighted cells, where in its step the real price may be. */
export class CoarsePath extends FinePath {
  #weights = new Float64Array(CELLS).fill(1 / CELLS);
  #step = 0;

  constructor(
    private readonly increment: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override deliver(): void {
    const step = Math.round(this.walk.price / this.increment);
    this.#follow(step - this.#step);
    this.#step = step;
    this.offer(step * this.increment);
  }

  /** Spreads the weights by a tick's change, and keeps those in the step that is seen. */
  #follow(steps: number): void {
    const spread = (this.walk.tickDeviation * this.walk.price * CELLS) / this.increment;
    const reach = Math.min(Math.ceil(4 * spread), KERNEL.length - 1);
    for (let away = 0; away <= reach; away++) KERNEL[away] = Math.exp(-0.5 * (away / spread) ** 2);
    const moved = new Float64Array(CELLS);
    let sum = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      const place = cell + steps * CELLS;
      const last = Math.min(CELLS - 1, place + reach);
      let weight = 0;
      for (let from = Math.max(0, place - reach); from <= last; from++)
        weight += (this.#weights[from] as number) * (KERNEL[Math.abs(place - from)] as number);
      moved[cell] = weight;
      sum += weight;
    }
    for (let cell = 0; cell < CELLS; cell++)
      moved[cell] = sum > 0 ? (moved[cell] as number) / sum : 1 / CELLS;
    this.#weights = moved;
  }

  override publicly({ openPrice, endMs, nowMs }: Moment): number {
    let [up, down] = [0, 0];
    for (const [cell, weight] of this.#weights.entries()) {
      const price = (this.#step + (cell + 0.5) / CELLS - 0.5) * this.increment;
      const chance = this.#chances(price, openPrice, endMs - nowMs);
      up += weight * chance.up;
      down += weight * chance.down;
    }
    return up / (up + down);
  }

  override informed({ openPrice, endMs, nowMs }: Moment): number {
    const { up, down } = this.#chances(this.walk.price, openPrice, endMs - nowMs);
    return up / (up + down);
  }

  #chances(price: number, openPrice: number, leftMs: number): { up: number; down: number } {
    const half = this.increment / 2;
    const up = this.walk.above(Math.log(price / (openPrice + half)), leftMs);
    return { up, down: 1 - this.walk.above(Math.log(price / (openPrice - half)), leftMs) };
  }
}

/** A source that changes once in a while, and is pushed as often as any. */
export class RarePath extends FinePath {
  #price = 0;

  constructor(
    private readonly periodMs: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override deliver(): void {
    if (this.nowMs % this.periodMs === 0 || this.#price === 0) this.#price = this.walk.price;
    this.offer(this.#price);
  }

  #changedMs(timeMs: number): number {
    return Math.floor(timeMs / this.periodMs) * this.periodMs;
  }

  override publicly({ openPrice, endMs, nowMs }: Moment): number {
    return this.walk.above(
      Math.log(this.#price / openPrice),
      this.#changedMs(endMs) - this.#changedMs(nowMs),
    );
  }

  override informed({ openPrice, endMs, nowMs }: Moment): number {
    const lastMs = this.#changedMs(endMs);
    const price = lastMs > nowMs ? this.walk.price : this.#price;
    return this.walk.above(Math.log(price / openPrice), lastMs - nowMs);
  }
}

/** Trades at the bid or at the ask, in the form of an exchange's feed. */
export class TradesPath extends FinePath {
  #id = 0;

  constructor(
    private readonly halfSpread: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override deliver(): void {
    const { price } = this.walk;
    const [bid, ask] = [1 - this.halfSpread, 1 + this.halfSpread].map((factor) =>
      (price * factor).toFixed(12),
    );
    const message = readMessage(
      JSON.stringify({
        ...{ type: 'ticker', product_id: 'BTC-USD', trade_id: ++this.#id, best_bid: bid, best_ask: ask },
        ...{ price: this.random.next() < 0.5 ? bid : ask, time: new Date(this.nowMs).toISOString() },
      }),
    );
    assert(message.kind === 'book', 'the message is understood');
    this.offer(message.price, message.timeMs, message.spread);
  }
}

/** Some ticks arrive, late, with their own time. */
export class LatePath extends FinePath {
  readonly #underWay: { readonly price: number; readonly timeMs: number }[] = [];

  constructor(
    private readonly lateMs: number,
    private readonly everyMs: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override deliver(): void {
    const { nowMs } = this;
    if (nowMs % this.everyMs === 0) this.#underWay.push({ price: this.walk.price, timeMs: nowMs });
    while ((this.#underWay[0]?.timeMs ?? nowMs) <= nowMs - this.lateMs) {
      const { price, timeMs } = must(this.#underWay.shift(), 'a tick');
      this.offer(price, timeMs);
    }
  }
}

/** Once in a round no ticks come for a while. */
export class StallPath extends FinePath {
  #beginMs = 0;

  constructor(
    private readonly stallMs: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override happen(): void {
    this.#beginMs = this.someTimeMs(this.stallMs);
  }

  protected override deliver(): void {
    if (this.nowMs < this.#beginMs || this.nowMs >= this.#beginMs + this.stallMs) this.offer(this.walk.price);
  }
}

const JUMP = 0.02;

/** Once in a round the price jumps further than the house believes at once. */
export class JumpPath extends FinePath {
  #jumpMs = 0;

  protected override happen(): void {
    this.#jumpMs = this.someTimeMs(AGREEMENT_MS);
  }

  protected override deliver(): void {
    if (this.nowMs === this.#jumpMs) this.walk.logPrice += this.random.next() < 0.5 ? JUMP : -JUMP;
    this.offer(this.walk.price);
  }

  override informed(moment: Moment): number {
    // The rest of the round is too short for the house to learn of it.
    const isHidden = moment.endMs - this.#jumpMs <= AGREEMENT_MS && this.#jumpMs <= moment.nowMs;
    return isHidden ? Number.NaN : super.informed(moment);
  }
}

/** The house hears an exponentially weighted mean. Two of them tell the real price. */
export class SmoothedPath extends FinePath {
  #logPrice = this.walk.logPrice;

  constructor(
    private readonly tauMs: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  protected override deliver(): void {
    this.#logPrice += (this.walk.logPrice - this.#logPrice) * -Math.expm1(-this.walk.tickMs / this.tauMs);
    this.offer(Math.exp(this.#logPrice));
  }

  override informed({ openPrice, endMs, nowMs }: Moment): number {
    const { logPrice } = this.walk;
    const [leftMs, tauMs] = [endMs - nowMs, this.tauMs];
    const kept = Math.exp(-leftMs / tauMs);
    const effectiveMs = leftMs - 2 * tauMs * (1 - kept) + (tauMs / 2) * (1 - kept * kept);
    const distance = logPrice + (this.#logPrice - logPrice) * kept - Math.log(openPrice);
    return this.walk.above(distance, Math.max(effectiveMs, 1));
  }

  override publicly(moment: Moment): number {
    return this.informed(moment);
  }
}

const AWAY_MS = 60_000;
const BACK_AFTER_MS = 30_000;

/** Two sources that differ a little. The first fails for a minute in a round, and the second takes over. */
export class FailoverPath extends FinePath {
  readonly #sinks: Sink[] = [];
  #feed: FailoverFeed | null = null;
  #awayMs = 0;
  #lastLogPrice = 0;

  constructor(
    private readonly basis: number,
    given: PathArguments,
  ) {
    super(...given);
  }

  override start(sink: Sink): void {
    this.#sinks.length = 0;
    this.#feed = new FailoverFeed({
      feeds: ['first', 'second'].map((name) => this.#source(name)),
      feedBefore: () => null,
      nowMs: () => this.nowMs,
      onSwitch: () => undefined,
    });
    this.#feed.start(sink);
  }

  #source(name: string): LiveFeed {
    return {
      name,
      newestMs: 0,
      covers: () => true,
      latenessMs: () => null,
      view: () => ({
        name,
        connection: { state: 'connected', attempts: 1, lastEnd: null },
        excluded: {},
        updates: {},
        latenessMs: {},
        malformed: 0,
      }),
      start: (sink) => this.#sinks.push((tick) => sink({ ...tick, source: name })),
      poll: () => undefined,
      stop: () => undefined,
    };
  }

  protected override happen(): void {
    this.#awayMs =
      this.nowMs + this.walk.tickMs * this.random.below(this.schedule.bettingMs / this.walk.tickMs);
  }

  protected override deliver(): void {
    const isAway = this.nowMs >= this.#awayMs && this.nowMs < this.#awayMs + AWAY_MS;
    if (!isAway) this.#lastLogPrice = this.walk.logPrice;
    for (const [place, sink] of this.#sinks.entries()) {
      this.sink = sink;
      if (place === 1) this.offer(this.walk.price * (1 + this.basis));
      else if (!isAway) this.offer(this.walk.price);
    }
  }

  /** By the source that prices the end of the round, as far as the failure that has begun decides. */
  override informed({ openPrice, endMs, nowMs }: Moment): number {
    const sinceMs = endMs - this.#awayMs;
    const hasBegun = this.#awayMs <= nowMs;
    if (hasBegun && sinceMs > 0 && sinceMs <= STALE_MS)
      return this.#lastLogPrice > Math.log(openPrice) ? 1 : 0;
    const isSecond = hasBegun && sinceMs > STALE_MS && sinceMs < AWAY_MS + BACK_AFTER_MS;
    const distance = this.walk.logPrice - Math.log(openPrice) + (isSecond ? Math.log1p(this.basis) : 0);
    return this.walk.above(distance, endMs - nowMs);
  }
}
