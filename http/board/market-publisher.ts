/**
 * Writes the board on the engine's thread.
 *
 * A market's round, its status, its open price, and the number and sum of its bets follow the events of durable
 * commands, so that nobody sees what a crash can undo. Pools are read from the live round and may be one batch ahead.
 * Transitions are published at once, everything else when `publish` is called.
 */
import { must } from '../../engine/base/assert.js';
import type { EngineReads } from '../../engine/engine.js';
import { ASSETS, assetOf, DOWN, LIVE, LOCKED, MARKETS_MAX, UP, UPCOMING } from '../../engine/model/domain.js';
import type { BetPlaced, EngineEvent, OrderFilled } from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import { availableCents } from '../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import * as M from './markets.js';
import type { SharedRows } from './shared-rows.js';

/** No part of the engine's state. */
export type LatestTick = (asset: number) => { readonly price: number; readonly timeMs: number } | null;

interface ShownRound {
  readonly round: RoundView;
  readonly status: number;
  durableBets: number;
  durableVolumeCents: number;
  /** Its pools were last worked out from these two. */
  quotedShareE6: number;
  quotedBets: number;
  /** `durableBets` as last published. */
  publishedBets: number;
}

const UNQUOTED = { quotedShareE6: Number.NaN, quotedBets: -1, publishedBets: -1 } as const;

class Row {
  readonly next: Float64Array;
  readonly #last: Float64Array;

  constructor(
    private readonly rows: SharedRows,
    private readonly row: number,
    fields: number,
  ) {
    this.next = new Float64Array(fields);
    this.#last = new Float64Array(fields).fill(Number.NEGATIVE_INFINITY);
  }

  /** Returns false, and writes nothing, if `next` equals the last values. */
  write(): boolean {
    const { next } = this;
    const last = this.#last;
    let isSame = true;
    for (let field = 0; field < next.length; field++) isSame &&= Object.is(next[field], last[field]);
    if (isSame) return false;
    last.set(next);
    this.rows.write(this.row, next);
    return true;
  }
}

export class MarketPublisher {
  readonly #shown: (ShownRound | null)[] = Array.from({ length: MARKETS_MAX }, () => null);
  readonly #markets: readonly Row[];
  readonly #assets: readonly Row[];
  /** With bets since the last call of `publish`; `#betPublished` of them are published already. */
  readonly #bet = new Set<number>();
  #betPublished = 0;

  /** The engine's state must be durable; `onEvents` and `onBets` keep the board up to date. */
  constructor(
    { markets, assets }: M.Board,
    private readonly engine: EngineReads,
    private readonly latestTick: LatestTick,
    private readonly fairShare: (market: number) => number,
  ) {
    this.#markets = this.#shown.map((_, market) => new Row(markets, market, M.MARKET_FIELDS));
    this.#assets = ASSETS.map((_, asset) => new Row(assets, asset, M.ASSET_FIELDS));
    for (let market = 0; market < MARKETS_MAX; market++) {
      const round = engine.currentRound(market);
      if (round === null) continue;
      const { status, betCount: durableBets, volumeCents: durableVolumeCents } = round;
      this.#shown[market] = { round, status, durableBets, durableVolumeCents, ...UNQUOTED };
    }
    for (const [asset, { next }] of this.#assets.entries()) {
      const open = engine.latestOpenPrice(asset);
      next[M.LAST_OPEN_PRICE] = open?.price ?? Number.NaN;
      next[M.LAST_OPEN_MS] = open?.timeMs ?? Number.NaN;
    }
    this.#publishAll();
  }

  /** The events must be of durable commands. */
  onEvents(events: readonly EngineEvent[]): void {
    for (const event of events) this.#onEvent(event);
  }

  /** Durable bets, after the events of their batch: the round of some may be over. */
  onBets(bets: readonly BetPlaced[]): void {
    for (const bet of bets) this.#count(bet);
  }

  #count({ market, roundNumber, stakeCents }: BetPlaced | OrderFilled): void {
    const shown = this.#shown[market];
    if (shown?.round.roundNumber !== roundNumber) return;
    shown.durableBets += 1;
    shown.durableVolumeCents += stakeCents;
    this.#bet.add(market);
  }

  /** Publishes each market with new bets once; its further bets wait for the next call of `publish`. */
  publishBets(): void {
    if (this.#bet.size === this.#betPublished) return;
    let at = 0;
    for (const market of this.#bet) if (at++ >= this.#betPublished) this.#publish(market);
    this.#betPublished = this.#bet.size;
  }

  /**
   * Publishes the changes by ticks and bets; any other comes with an event, and is published then. Returns true if
   * there was news. Called many times a second, mostly for nothing.
   */
  publish(): boolean {
    this.#bet.clear();
    this.#betPublished = 0;
    let isNews = this.#publishPrices();
    for (let market = 0; market < MARKETS_MAX; market++) {
      const shown = this.#shown[market] ?? null;
      if (shown === null || !this.#hasMoved(market, shown)) continue;
      this.#publish(market);
      isNews = true;
    }
    return isNews;
  }

  #publishAll(): void {
    this.#publishPrices();
    for (let market = 0; market < MARKETS_MAX; market++) this.#publish(market);
  }

  #publishPrices(): boolean {
    let isNews = false;
    for (let asset = 0; asset < ASSETS.length; asset++) {
      const row = must(this.#assets[asset], 'an asset');
      const tick = this.latestTick(asset);
      row.next[M.TICK_PRICE] = tick?.price ?? Number.NaN;
      row.next[M.TICK_MS] = tick?.timeMs ?? Number.NaN;
      isNews = row.write() || isNews;
    }
    return isNews;
  }

  #hasMoved(
    market: number,
    { round, quotedShareE6, quotedBets, durableBets, publishedBets }: ShownRound,
  ): boolean {
    if (round.betCount !== quotedBets || durableBets !== publishedBets) return true;
    return this.fairShare(market) !== quotedShareE6;
  }

  #onEvent(event: EngineEvent): void {
    switch (event.type) {
      case 'betPlaced':
      case 'orderFilled':
        this.#count(event);
        return;
      case 'roundUpcoming':
        this.#transition(event.market, event.roundNumber, UPCOMING);
        return;
      case 'roundOpened':
        this.#transition(event.market, event.roundNumber, LIVE);
        this.#showOpenPrice(this.engine.round(event.market, event.roundNumber));
        return;
      case 'roundLocked':
        this.#transition(event.market, event.roundNumber, LOCKED);
        return;
      case 'roundEnded':
      case 'roundNotOpened':
      case 'roundResolved':
        if (this.#shown[event.market]?.round.roundNumber === event.roundNumber)
          this.#show(event.market, null);
        return;
      case 'marketSuspended':
        this.#publish(event.market);
        return;
      case 'configured':
      case 'tradingChanged':
        this.#publishAll();
        return;
      default:
        return;
    }
  }

  #transition(market: number, roundNumber: number, status: number): void {
    const round = this.engine.round(market, roundNumber);
    // The round before has left the board at its end: what is shown is this one, or nothing.
    const { durableBets = 0, durableVolumeCents = 0 } = this.#shown[market] ?? {};
    const durable = { durableBets, durableVolumeCents };
    this.#show(market, round === null ? null : { round, status, ...durable, ...UNQUOTED });
  }

  #show(market: number, shown: ShownRound | null): void {
    this.#shown[market] = shown;
    this.#publish(market);
  }

  /** To be called once the opening is durable: the round's open price is the asset's latest. */
  #showOpenPrice(round: RoundView | null): void {
    if (round === null || round.openPrice === null) return;
    const row = must(this.#assets[assetOf(round.market)], 'the asset of a market');
    // Another market may have opened late before the price at this round's boundary was final.
    if (round.startTimeMs < (row.next[M.LAST_OPEN_MS] as number)) return;
    row.next[M.LAST_OPEN_PRICE] = round.openPrice;
    row.next[M.LAST_OPEN_MS] = round.startTimeMs;
    row.write();
  }

  #publish(market: number): void {
    const row = must(this.#markets[market], 'a market');
    const { next } = row;
    const rules = this.engine.marketRules(market);
    const shown = this.#shown[market] ?? null;
    next[M.IS_ACTIVE] = rules === null ? 0 : 1;
    const limits = shown?.round ?? rules;
    next[M.MIN_STAKE_CENTS] = limits?.minStakeCents ?? 0;
    next[M.MAX_STAKE_CENTS] = limits?.maxStakeCents ?? 0;
    next[M.ROUND_NUMBER] = shown?.round.roundNumber ?? -1;
    if (shown !== null) {
      const shareE6 = this.fairShare(market);
      fill(next, shown);
      quote(next, shown, shareE6);
      const isQuoted = shown.round.quote === null || shareE6 >= 0;
      const isOpen = rules !== null && this.engine.trading.enabled && !this.engine.isSuspended(market);
      next[M.TAKES_ORDERS] = isQuoted && isOpen ? 1 : 0;
      shown.publishedBets = shown.durableBets;
    }
    row.write();
  }
}

function fill(next: Float64Array, { round, status, durableBets, durableVolumeCents }: ShownRound): void {
  next[M.STATUS] = status;
  next[M.START_TIME_MS] = round.startTimeMs;
  next[M.LOCK_TIME_MS] = round.lockTimeMs;
  next[M.END_TIME_MS] = round.endTimeMs;
  next[M.BETTING_CLOSES_MS] = round.bettingClosesMs;
  next[M.OPEN_PRICE] = status === UPCOMING ? Number.NaN : (round.openPrice ?? Number.NaN);
  next[M.DURABLE_BETS] = durableBets;
  next[M.DURABLE_VOLUME_CENTS] = durableVolumeCents;
}

/** The pools as the house offers them, and the possible stakes: worked out anew only after a tick or a bet. */
function quote(next: Float64Array, shown: ShownRound, shareE6: number): void {
  const { round } = shown;
  if (shareE6 === shown.quotedShareE6 && round.betCount === shown.quotedBets) return;
  shown.quotedShareE6 = shareE6;
  shown.quotedBets = round.betCount;
  const totalCents = round.poolUpCents + round.poolDownCents;
  const upCents = quotedUpCents(round, shareE6);
  next[M.POOL_UP_CENTS] = upCents;
  next[M.POOL_DOWN_CENTS] = totalCents - upCents;
  next[M.AVAILABLE_UP_CENTS] = totalCents === 0 ? 0 : availableCents(round, UP, shareE6);
  next[M.AVAILABLE_DOWN_CENTS] = totalCents === 0 ? 0 : availableCents(round, DOWN, shareE6);
}
