/**
 * The messages of the console's stream, the same for every open page. Their facts are those of the operator API and the
 * market data, in cents, milliseconds and indices, as the engine and the board count.
 */
import { ASSETS, MARKETS_MAX } from '../../engine/model/domain.js';
import { ASSET_FIELDS, type Board, MARKET_FIELDS, TICK_PRICE } from '../board/markets.js';
import type { Raised } from '../metrics/alarms.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Pulse } from '../operator/queries/status.js';

/** null where the board has NaN. */
export type Row = readonly (number | null)[];

export interface LiveMessage extends Pulse {
  /** By market, the fields in the board's order. */
  readonly markets: readonly Row[];
  /** By asset. */
  readonly prices: Row;
  readonly alarms: readonly Raised[];
}

/** From a server that follows. */
export interface StandbyMessage {
  readonly timeMs: number;
  readonly replication: StandbyStatus;
}

export class LiveMessages {
  readonly #marketRow = new Float64Array(MARKET_FIELDS);
  readonly #assetRow = new Float64Array(ASSET_FIELDS);

  constructor(private readonly board: Board) {}

  textOf(pulse: Pulse, alarms: readonly Raised[]): string {
    const markets = Array.from({ length: MARKETS_MAX }, (_, market) => this.#market(market));
    const prices = ASSETS.map((_, asset) => this.price(asset));
    const message: LiveMessage = { ...pulse, markets, prices, alarms };
    return JSON.stringify(message);
  }

  /** NaN if the asset has no price. */
  price(asset: number): number {
    this.board.assets.read(asset, this.#assetRow);
    return this.#assetRow[TICK_PRICE] as number;
  }

  #market(market: number): Row {
    this.board.markets.read(market, this.#marketRow);
    return [...this.#marketRow];
  }
}
