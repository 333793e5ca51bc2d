/**
 * The public market data: bytes built from the board on request and cached for a short time. A transition of a round
 * invalidates them at once.
 */
import { constants, gzipSync } from 'node:zlib';
import { isoText } from '../../engine/base/iso-text.js';
import { ASSETS, assetOf, MARKETS_MAX, textAt } from '../../engine/model/domain.js';
import * as M from '../board/markets.js';
import { type Compress, TaggedBody } from '../kit/tagged-body.js';
import { marketText } from '../wire/market-text.js';
import { successText } from '../wire/wire.js';

export const MARKET_AGE_MS_MAX = 50;

/** The text is ASCII. */
const successBytes = (dataText: string): Uint8Array => Buffer.from(successText(dataText), 'latin1');

class MarketEntry {
  readonly cached = new CachedBody();
  readonly #row = new Float64Array(M.MARKET_FIELDS);
  /** The row's version when it was last read; -1 before that. */
  #version = -1;
  #moves = 0;
  /** The part of the row that changes with the round's steps alone. */
  #headRow = new Float64Array(M.STATUS + 1);

  constructor(
    private readonly board: M.Board,
    readonly market: number,
  ) {}

  /** Returns how often the market has moved on since the start. */
  look(): number {
    if (this.board.markets.versionOf(this.market) !== this.#version) this.#read();
    return this.#moves;
  }

  get isActive(): boolean {
    return this.#row[M.IS_ACTIVE] === 1;
  }

  json(tick: number | null, nowMs: number): string {
    return marketText(this.market, M.shownMarket(this.#row), tick, nowMs);
  }

  /** An exception leaves the version as it was: the next request reads the row again. */
  #read(): void {
    const version = this.board.markets.read(this.market, this.#row);
    const isSame = this.#headRow.every((value, field) => value === this.#row[field]);
    if (!isSame) {
      this.#headRow = this.#row.slice(0, M.STATUS + 1);
      this.#moves += 1;
      this.cached.invalidate();
    }
    this.#version = version;
  }
}

export class MarketView {
  readonly #entries: readonly MarketEntry[];
  readonly #list = new CachedBody();
  /** The sum over all markets, as of the list. */
  #moves = 0;
  readonly #assetRow = new Float64Array(M.ASSET_FIELDS);
  /** JSON of the prices, the body with it, and the version of the board that they are of. */
  #pricesText = '';
  #prices = publicBody(Buffer.alloc(0));
  #pricesVersion = -1;

  /**
   * Bytes may be so old although the board has newer facts: 0 on a clock that may stand still (a sandbox), where
   * nothing would ever grow older than that, and a tester who moved it by less would never see his bet in the pools.
   */
  constructor(
    private readonly board: M.Board,
    private readonly ageMsMax: number,
  ) {
    this.#entries = Array.from({ length: MARKETS_MAX }, (_, market) => new MarketEntry(board, market));
  }

  /** null if the market is not active. */
  market(market: number, nowMs: number): TaggedBody | null {
    const entry = this.#entries[market];
    // Before the row is read: the bytes do not contain writes that happen meanwhile.
    const version = this.#version();
    entry?.look();
    if (entry === undefined || !entry.isActive) return null;
    const fresh = entry.cached.get(nowMs, version, this.ageMsMax);
    if (fresh !== null) return fresh;
    return entry.cached.set(successBytes(entry.json(this.#tick(market), nowMs)), nowMs, version);
  }

  markets(nowMs: number): TaggedBody {
    const version = this.#version();
    const moves = this.#entries.reduce((sum, entry) => sum + entry.look(), 0);
    if (moves !== this.#moves) this.#list.invalidate();
    this.#moves = moves;
    const fresh = this.#list.get(nowMs, version, this.ageMsMax);
    if (fresh !== null) return fresh;
    const active = this.#entries.filter(({ isActive }) => isActive);
    const texts = active.map((entry) => entry.json(this.#tick(entry.market), nowMs));
    return this.#list.set(successBytes(`[${texts.join(',')}]`), nowMs, version);
  }

  /** The price at which each asset's latest round opened; left out where it never had one. */
  prices(): TaggedBody {
    const { assets } = this.board;
    if (assets.version === this.#pricesVersion) return this.#prices;
    const { version } = assets;
    const texts = ASSETS.map((_, asset) => this.#priceText(asset));
    const text = successText(`[${texts.filter((price) => price !== '').join(',')}]`);
    // Every tick changes the version, but these prices only with a round.
    if (text !== this.#pricesText) this.#prices = publicBody(Buffer.from(text));
    this.#pricesText = text;
    this.#pricesVersion = version;
    return this.#prices;
  }

  #version(): number {
    return this.board.markets.version + this.board.assets.version;
  }

  #priceText(asset: number): string {
    this.board.assets.read(asset, this.#assetRow);
    const price = this.#assetRow[M.LAST_OPEN_PRICE] as number;
    if (Number.isNaN(price)) return '';
    const openedAt = isoText(this.#assetRow[M.LAST_OPEN_MS] as number);
    return `{"crypto":"${textAt(ASSETS, asset)}","price":${price},"source":"round_open","timestamp":"${openedAt}"}`;
  }

  #tick(market: number): number | null {
    this.board.assets.read(assetOf(market), this.#assetRow);
    const price = this.#assetRow[M.TICK_PRICE] as number;
    return Number.isNaN(price) ? null : price;
  }
}

const HEADERS = {
  content: '\r\nContent-Type: application/json',
  // A key's owner may keep the answer, and asks each time whether it still holds.
  caching: '\r\nCache-Control: private, no-cache',
};

/** At once, because the data may be others by the time a thread were ready. */
const compress: Compress = (bytes, done) => done(gzipSync(bytes, { level: constants.Z_BEST_SPEED }));

const publicBody = (bytes: Uint8Array): TaggedBody => new TaggedBody(bytes, HEADERS, compress);

class CachedBody {
  #body: TaggedBody | null = null;
  #madeAtMs = Number.NEGATIVE_INFINITY;
  #version = -1;

  /** Within the millisecond in which the body was built, the version decides. */
  get(nowMs: number, version: number, ageMsMax: number): TaggedBody | null {
    const ageMs = nowMs - this.#madeAtMs;
    const isFresh = ageMs > 0 ? ageMs < ageMsMax : ageMs === 0 && this.#version === version;
    return isFresh ? this.#body : null;
  }

  set(bytes: Uint8Array, nowMs: number, version: number): TaggedBody {
    const body = publicBody(bytes);
    this.#body = body;
    this.#madeAtMs = nowMs;
    this.#version = version;
    return body;
  }

  invalidate(): void {
    this.#madeAtMs = Number.NEGATIVE_INFINITY;
  }
}
