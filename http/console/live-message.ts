/** The messages of the console's stream, the same for every open page. */
import { ASSETS, type Asset, assetOf, MARKET_IDS, textAt } from '../../engine/model/domain.js';
import * as M from '../board/markets.js';
import type { Raised, RaisedAlarms } from '../metrics/alarms.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Pulse } from '../operator/queries/status.js';
import type { ShownMarket } from '../wire/market-text.js';

export interface MarketNow extends ShownMarket {
  readonly id: string;
  readonly asset: Asset;
  /** The number of the last command that suspended it; 0 while it is active. */
  readonly suspendedSequence: number;
  /** null if the asset has none. */
  readonly price: number | null;
}

export interface LiveMessage extends Pulse {
  /** Those that are active. */
  readonly markets: readonly MarketNow[];
  readonly alarms: readonly Raised[];
  /** Trouble that is an alarm if it lasts. */
  readonly waiting: readonly string[];
}

/** From a server that follows. */
export interface StandbyMessage {
  readonly timeMs: number;
  readonly replication: StandbyStatus;
}

export function liveMessage(
  board: M.Board,
  pulse: Pulse,
  { raised, waiting }: Pick<RaisedAlarms, 'raised' | 'waiting'>,
): LiveMessage {
  const [row, assetRow] = [new Float64Array(M.MARKET_FIELDS), new Float64Array(M.ASSET_FIELDS)];
  const markets = MARKET_IDS.flatMap((id, market): MarketNow[] => {
    board.markets.read(market, row);
    if (row[M.IS_ACTIVE] !== 1) return [];
    board.assets.read(assetOf(market), assetRow);
    const price = assetRow[M.TICK_PRICE] as number;
    return [
      {
        id,
        asset: textAt(ASSETS, assetOf(market)),
        suspendedSequence: pulse.suspended.find((one) => one.market === market)?.seq ?? 0,
        price: Number.isNaN(price) ? null : price,
        ...M.shownMarket(row),
      },
    ];
  });
  return { ...pulse, markets, alarms: raised, waiting };
}
