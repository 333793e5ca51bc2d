/** The channel `markets`: the newest state of markets, from the board. */
import { MARKETS_MAX } from '../../engine/model/domain.js';
import * as M from '../board/markets.js';
import type { Subscribe } from '../wire/stream-requests.js';
import { type Moment, marketStateText, stateText, subscribedText } from '../wire/stream-text.js';
import { MarketGroups, type StreamChannel } from './channel.js';
import type { Connection } from './connection.js';
import type { FanOut } from './fan-out.js';

/** The JSON is made anew when the market's row on the board has changed, or its betting has closed. */
class MarketPart {
  text = '';
  #version = -1;
  readonly #row = new Float64Array(M.MARKET_FIELDS);
  #closesMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly board: M.Board,
    private readonly market: number,
  ) {}

  update(nowMs: number): boolean {
    const { markets } = this.board;
    if (markets.versionOf(this.market) === this.#version && nowMs < this.#closesMs) return false;
    const version = markets.read(this.market, this.#row);
    const round = M.shownRound(this.#row);
    const text = marketStateText(this.market, round, nowMs);
    this.#closesMs =
      round === null || nowMs >= round.bettingClosesMs ? Number.POSITIVE_INFINITY : round.bettingClosesMs;
    this.#version = version;
    if (text === this.text) return false;
    this.text = text;
    return true;
  }
}

export class MarketsChannel implements StreamChannel {
  readonly #parts: readonly MarketPart[];
  readonly #groups = new MarketGroups();
  /** By market: a number of a flush. */
  readonly #changedIn: number[] = Array.from({ length: MARKETS_MAX }, () => 0);
  readonly #sentAtMs = new Float64Array(MARKETS_MAX).fill(Number.NEGATIVE_INFINITY);
  #flushes = 0;

  constructor(
    board: M.Board,
    private readonly fanOut: FanOut,
    private readonly moment: () => Moment,
  ) {
    this.#parts = this.#changedIn.map((_, market) => new MarketPart(board, market));
  }

  get subscribers(): number {
    return this.#groups.size;
  }

  subscribe(connection: Connection, { id, markets }: Subscribe): void {
    const group = this.#groups.find(markets);
    // First, because a slow client's stream may end while it is sent the snapshot.
    this.#groups.join(connection, group, this.#flushes);
    const moment = this.moment();
    const asked = markets ?? null;
    connection.send(subscribedText(moment, { id, channel: 'markets', markets: asked }));
    const parts = group.markets.map((market) => this.#parts[market]?.text ?? '');
    connection.send(stateText('markets', moment, true, parts));
  }

  unsubscribe(connection: Connection): void {
    this.#groups.leave(connection);
  }

  /** A market is held back for `holdMs` after its last change. */
  sendChanges(nowMs: number, holdMs = 0): void {
    const moment = this.moment();
    this.#flushes += 1;
    let isChanged = false;
    for (const [market, part] of this.#parts.entries()) {
      if (nowMs - (this.#sentAtMs[market] as number) < holdMs || !part.update(moment.timeMs)) continue;
      this.#changedIn[market] = this.#flushes;
      isChanged = true;
    }
    if (!isChanged) return;
    for (const group of this.#groups.values()) {
      const changed = group.markets.filter((market) => this.#changedIn[market] === this.#flushes);
      if (changed.length === 0) continue;
      for (const market of changed) this.#sentAtMs[market] = nowMs;
      const parts = changed.map((market) => this.#parts[market]?.text ?? '');
      this.fanOut.send(group, this.#flushes, stateText('markets', moment, false, parts));
    }
  }
}
