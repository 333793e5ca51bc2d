/** The messages of the console's stream, the same for every open page. */
import { ASSETS, assetOf, MARKET_IDS, textAt } from '../../engine/model/domain.js';
import * as M from '../board/markets.js';
import type { RaisedAlarms } from '../metrics/alarms.js';
import type { StandbyStatus } from '../metrics/replication.js';
import type { Pulse } from '../operator/queries/status.js';

export type LiveMessage = Readonly<ReturnType<typeof liveMessage>>;
export type MarketNow = LiveMessage['markets'][number];

/** The console adds it to each message. */
export interface PageTag {
  /** The entity tag of the page's script. */
  readonly script: string;
}

/** From a server that follows. */
export interface StandbyMessage {
  readonly timeMs: number;
  readonly replication: StandbyStatus;
}

/** Markets are those that are active; `waiting` is trouble that is an alarm if it lasts. */
export function liveMessage(
  board: M.Board,
  pulse: Pulse,
  { raised, waiting }: Pick<RaisedAlarms, 'raised' | 'waiting'>,
) {
  const [row, assetRow] = [new Float64Array(M.MARKET_FIELDS), new Float64Array(M.ASSET_FIELDS)];
  const markets = MARKET_IDS.flatMap((id, market) => {
    board.markets.read(market, row);
    if (row[M.IS_ACTIVE] !== 1) return [];
    board.assets.read(assetOf(market), assetRow);
    const price = assetRow[M.TICK_PRICE] as number;
    return [
      {
        id,
        asset: textAt(ASSETS, assetOf(market)),
        /** The number of the last command that suspended it; 0 while it is active. */
        suspendedSequence: pulse.suspended.find((one) => one.market === market)?.seq ?? 0,
        /** null if the asset has none. */
        price: Number.isNaN(price) ? null : price,
        ...M.shownMarket(row),
      },
    ];
  });
  return { ...pulse, markets, alarms: raised, waiting };
}
