/**
 * The public market data as cached bytes (design, section 4; specification, sections 2 and 4).
 *
 * A market's round, its status, open price, and the number and sum of its bets follow the events of durable commands,
 * so nobody sees a change that a crash can undo. Pools and odds are read from the live round and may be one batch
 * ahead. Bytes are built on request and cached for 50 ms; a transition invalidates them at once.
 */
import { ASSETS, assetOf, LIVE, LOCKED, MARKETS_MAX, textAt, UPCOMING } from '../../engine/model/domain.js';
import type { BetPlaced, EngineEvent } from '../../engine/model/events.js';
import type { MarketRules } from '../../engine/model/rules.js';
import type { EngineReads, RoundView } from '../../engine/model/views.js';
import { marketHead, marketText, type ShownRound, shownRound } from '../wire/market-text.js';
import { isoText, successText } from '../wire/wire.js';
import { CachedBytes } from './cached-bytes.js';

/** Bytes older than this are built again. */
export const MARKET_AGE_MS_MAX = 50;

/** The latest accepted price of an asset, or null. It is not part of the engine's state. */
export type LatestTick = (asset: number) => number | null;

const [HEAD = '', END = ''] = successText('|').split('|');
const [SUCCESS, FINISH] = [Buffer.from(HEAD), Buffer.from(END)];
const [OPENING, COMMA, CLOSING] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/** Puts the success envelope around JSON in pieces. */
const successBytes = (pieces: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([SUCCESS, ...pieces, FINISH]);

/** The public view of one market. */
class MarketEntry {
  readonly head: string;
  readonly ready = new CachedBytes();
  #shown: ShownRound | null = null;
  #json: Uint8Array | null = null;
  /** The inputs of `#json`. */
  #rules: MarketRules | null = null;
  #tick: number | null = null;
  #nowMs = 0;
  #durableBets = 0;
  #poolUpCents = 0;
  #poolDownCents = 0;

  constructor(readonly market: number) {
    this.head = marketHead(market);
  }

  get shown(): ShownRound | null {
    return this.#shown;
  }

  show(shown: ShownRound | null): void {
    this.#shown = shown;
    this.#json = null;
    this.ready.invalidate();
  }

  /**
   * The JSON of the market, cached while its inputs are unchanged: most markets do not change while others take bets.
   */
  json(rules: MarketRules, tick: number | null, nowMs: number): Uint8Array {
    const isSame = nowMs === this.#nowMs && tick === this.#tick && rules === this.#rules;
    if (this.#json !== null && isSame && this.#isRoundSame()) return this.#json;
    this.#json = Buffer.from(marketText(this.head, this.#shown, rules, tick, nowMs), 'latin1');
    this.#rules = rules;
    this.#tick = tick;
    this.#nowMs = nowMs;
    const round = this.#shown?.round;
    this.#durableBets = this.#shown?.durable.bets ?? 0;
    this.#poolUpCents = round?.poolUpCents ?? 0;
    this.#poolDownCents = round?.poolDownCents ?? 0;
    return this.#json;
  }

  #isRoundSame(): boolean {
    if (this.#shown === null) return true;
    const { round, durable } = this.#shown;
    const { poolUpCents, poolDownCents } = round;
    return (
      durable.bets === this.#durableBets &&
      poolUpCents === this.#poolUpCents &&
      poolDownCents === this.#poolDownCents
    );
  }
}

export class MarketView {
  readonly #engine: EngineReads;
  readonly #latestTick: LatestTick;
  readonly #ageMsMax: number;
  readonly #entries: readonly MarketEntry[] = Array.from(
    { length: MARKETS_MAX },
    (_, m) => new MarketEntry(m),
  );
  readonly #list = new CachedBytes();
  /** JSON of each asset's price; '' if the asset never had a round. */
  readonly #prices: string[] = ASSETS.map(() => '');
  #pricesBytes: Uint8Array | null = null;

  readonly #ticks: (number | null)[] = ASSETS.map(() => null);
  #tickChanges = 0;
  #durableBets = 0;
  /** Grows with every command, durable bet and price, so an equal version means equal data. */
  readonly #version = (): number => {
    for (let asset = 0; asset < this.#ticks.length; asset++) {
      const tick = this.#latestTick(asset);
      if (tick === this.#ticks[asset]) continue;
      this.#ticks[asset] = tick;
      this.#tickChanges++;
    }
    return this.#engine.seq + this.#durableBets + this.#tickChanges;
  };

  /**
   * Starts from the engine's state, all of which must be durable, and then follows `onEvents`. `ageMsMax` is 0 for a
   * manual clock (a sandbox): bytes might never reach 50 ms of age there, and a bet would not show in the pools.
   */
  constructor(engine: EngineReads, latestTick: LatestTick, ageMsMax = MARKET_AGE_MS_MAX) {
    this.#engine = engine;
    this.#latestTick = latestTick;
    this.#ageMsMax = ageMsMax;
    for (const entry of this.#entries) {
      const round = engine.currentRound(entry.market);
      if (round === null) continue;
      entry.show(shownRound(round, round.status, { bets: round.betCount, volumeCents: round.volumeCents }));
    }
    for (let asset = 0; asset < ASSETS.length; asset++) {
      const open = engine.latestOpenPrice(asset);
      if (open !== null) this.#setPrice(asset, open.price, open.timeMs);
    }
  }

  /** Applies the events of a durable command. */
  onEvents(events: readonly EngineEvent[]): void {
    for (const event of events) this.#onEvent(event);
  }

  /** Applies durable bets, after the events of their batch. Some may belong to a round that has ended. */
  onBets(bets: readonly BetPlaced[]): void {
    this.#durableBets += bets.length;
    for (const { market, roundNumber, stakeCents } of bets) {
      const { shown } = this.#entry(market);
      if (shown?.round.roundNumber !== roundNumber) continue;
      shown.durable.bets += 1;
      shown.durable.volumeCents += stakeCents;
    }
  }

  #onEvent(event: EngineEvent): void {
    switch (event.type) {
      case 'roundUpcoming':
        this.#transition(event.market, event.roundNumber, UPCOMING);
        return;
      case 'roundOpened':
        this.#transition(event.market, event.roundNumber, LIVE);
        this.#showPrice(this.#engine.round(event.market, event.roundNumber));
        return;
      case 'roundLocked':
        this.#transition(event.market, event.roundNumber, LOCKED);
        return;
      case 'roundEnded':
      case 'roundNotOpened':
      case 'roundResolved':
        this.#remove(event.market, event.roundNumber);
        return;
      case 'configured':
        for (const entry of this.#entries) entry.ready.invalidate();
        this.#list.invalidate();
        return;
      default:
        return;
    }
  }

  /** `{success, data: Market}` of an active market, or null. */
  market(market: number, nowMs: number): Uint8Array | null {
    const rules = market < 0 ? null : this.#engine.marketRules(market);
    if (rules === null) return null;
    const entry = this.#entry(market);
    if (entry.ready.isFresh(nowMs, this.#version, this.#ageMsMax)) return entry.ready.bytes;
    const tick = this.#latestTick(assetOf(market));
    return entry.ready.set(successBytes([entry.json(rules, tick, nowMs)]), nowMs, this.#version());
  }

  /** `{success, data: Market[]}` of all active markets. */
  markets(nowMs: number): Uint8Array {
    if (this.#list.isFresh(nowMs, this.#version, this.#ageMsMax)) return this.#list.bytes;
    const pieces: Uint8Array[] = [OPENING];
    for (const entry of this.#entries) {
      const rules = this.#engine.marketRules(entry.market);
      if (rules === null) continue;
      if (pieces.length > 1) pieces.push(COMMA);
      pieces.push(entry.json(rules, this.#latestTick(assetOf(entry.market)), nowMs));
    }
    pieces.push(CLOSING);
    return this.#list.set(successBytes(pieces), nowMs, this.#version());
  }

  /**
   * `{success, data: Price[]}`. Prices change only when a round opens, so these bytes are cached until then; the
   * specification would allow 2 s.
   */
  prices(): Uint8Array {
    this.#pricesBytes ??= Buffer.from(
      successText(`[${this.#prices.filter((text) => text !== '').join(',')}]`),
    );
    return this.#pricesBytes;
  }

  #entry(market: number): MarketEntry {
    return this.#entries[market] as MarketEntry;
  }

  #transition(market: number, roundNumber: number, status: number): void {
    const entry = this.#entry(market);
    const round = this.#engine.round(market, roundNumber);
    const before = entry.shown?.round.roundNumber === roundNumber ? entry.shown : null;
    const durable = before?.durable ?? { bets: 0, volumeCents: 0 };
    this.#show(entry, round === null ? null : shownRound(round, status, durable));
  }

  #remove(market: number, roundNumber: number): void {
    const entry = this.#entry(market);
    if (entry.shown?.round.roundNumber === roundNumber) this.#show(entry, null);
  }

  #show(entry: MarketEntry, shown: ShownRound | null): void {
    entry.show(shown);
    this.#list.invalidate();
  }

  /** Called when a round's opening is durable: its open price is the asset's latest. */
  #showPrice(round: RoundView | null): void {
    if (round === null || round.openPrice === null) return;
    this.#setPrice(assetOf(round.market), round.openPrice, round.startTimeMs);
  }

  #setPrice(asset: number, price: number, timeMs: number): void {
    const crypto = textAt(ASSETS, asset);
    this.#prices[asset] =
      `{"crypto":"${crypto}","price":${price},"source":"round_open","timestamp":"${isoText(timeMs)}"}`;
    this.#pricesBytes = null;
  }
}
