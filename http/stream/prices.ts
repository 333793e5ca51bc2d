/** The channel `prices`: the newest price of each asset, from the board. */
import { ASSETS } from '../../engine/model/domain.js';
import * as M from '../board/markets.js';
import type { Subscribe } from '../wire/stream-requests.js';
import {
  type Moment,
  priceStateText,
  stateText,
  subscribedText,
  type TimedPrice,
} from '../wire/stream-text.js';
import type { StreamChannel } from './channel.js';
import type { Connection } from './connection.js';
import { type FanOut, Group } from './fan-out.js';

export class PricesChannel implements StreamChannel {
  readonly #group = new Group();
  readonly #texts: string[] = ASSETS.map(() => '');
  readonly #sentAtMs = new Float64Array(ASSETS.length).fill(Number.NEGATIVE_INFINITY);
  readonly #row = new Float64Array(M.ASSET_FIELDS);
  #version = -1;
  #flushes = 0;

  constructor(
    private readonly board: M.Board,
    private readonly fanOut: FanOut,
    private readonly moment: () => Moment,
  ) {}

  get subscribers(): number {
    return this.#group.members.size;
  }

  subscribe(connection: Connection, { id }: Subscribe): void {
    // First, because a slow client's stream may end while it is sent the snapshot.
    this.#group.members.set(connection, this.#flushes);
    const moment = this.moment();
    connection.send(subscribedText(moment, { id, channel: 'prices', markets: null }));
    connection.send(stateText('prices', moment, true, this.#texts));
  }

  unsubscribe(connection: Connection): void {
    this.#group.members.delete(connection);
  }

  /** An asset is held back for `holdMs` after its last change. */
  sendChanges(nowMs: number, holdMs = 0): void {
    const { version } = this.board.assets;
    if (version === this.#version) return;
    const changed: string[] = [];
    let isHeld = false;
    for (let asset = 0; asset < ASSETS.length; asset++) {
      const text = this.#textOf(asset);
      if (text === this.#texts[asset]) continue;
      if (nowMs - (this.#sentAtMs[asset] as number) < holdMs) {
        isHeld = true;
        continue;
      }
      this.#texts[asset] = text;
      changed.push(text);
      if (this.subscribers > 0) this.#sentAtMs[asset] = nowMs;
    }
    if (!isHeld) this.#version = version;
    this.#flushes += 1;
    if (changed.length === 0) return;
    this.fanOut.send(this.#group, this.#flushes, stateText('prices', this.moment(), false, changed));
  }

  /** In milliseconds, by asset; null if it has no price. */
  ages(nowMs: number): readonly (number | null)[] {
    return ASSETS.map((_, asset) => {
      const tick = this.#read(asset, M.TICK_PRICE, M.TICK_MS);
      // A tick may be a little ahead of the clock.
      return tick === null ? null : Math.max(0, nowMs - tick.timeMs);
    });
  }

  #textOf(asset: number): string {
    const tick = this.#read(asset, M.TICK_PRICE, M.TICK_MS);
    return priceStateText(asset, tick, this.#read(asset, M.LAST_OPEN_PRICE, M.LAST_OPEN_MS));
  }

  #read(asset: number, priceField: number, timeField: number): TimedPrice {
    this.board.assets.read(asset, this.#row);
    const price = this.#row[priceField] as number;
    return Number.isNaN(price) ? null : { price, timeMs: this.#row[timeField] as number };
  }
}
