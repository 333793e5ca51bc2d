/**
 * The prices of each asset in the last hour, for a plot. The board has only the latest ones, so this thread notes them every
 * five seconds, and a price that has not changed since then is noted once.
 */
import { must } from '../../../engine/base/assert.js';
import { ASSETS, type Asset } from '../../../engine/model/domain.js';
import { ASSET_FIELDS, type Board, TICK_MS, TICK_PRICE } from '../../board/markets.js';
import { HOUR_MS } from './earnings.js';

export const NOTE_EVERY_MS = 5_000;
/** An hour. */
export const NOTES_MAX = 720;

/** Columns of the same length, oldest first. */
export interface PriceNotes {
  /** When the prices were of, in milliseconds since 1970. */
  readonly timesMs: readonly number[];
  readonly prices: readonly number[];
}
/** Columns of the same length, oldest first. */
export interface PriceHistoryResource extends PriceNotes {
  readonly crypto: Asset;
}

export class PriceHistory {
  readonly #row = new Float64Array(ASSET_FIELDS);
  readonly #notes = ASSETS.map(() => ({ timesMs: [] as number[], prices: [] as number[] }));

  constructor(private readonly board: Board) {}

  /** To be called every five seconds. */
  note(): void {
    for (const [asset, { timesMs, prices }] of this.#notes.entries()) {
      this.board.assets.read(asset, this.#row);
      const [timeMs, price] = [this.#row[TICK_MS] as number, this.#row[TICK_PRICE] as number];
      if (Number.isNaN(price) || timeMs === timesMs.at(-1)) continue;
      timesMs.push(timeMs);
      prices.push(price);
      // Those from before a pause, such as a weekend, may be older. A manual clock may hardly move.
      const young = timesMs.findIndex((notedMs) => notedMs > timeMs - HOUR_MS);
      const from = Math.max(young, timesMs.length - NOTES_MAX);
      for (const column of [timesMs, prices]) column.splice(0, from);
    }
  }

  of(asset: number): PriceNotes {
    return must(this.#notes[asset], 'notes of the asset');
  }
}
