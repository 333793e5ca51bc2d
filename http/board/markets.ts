/**
 * The public data of markets and prices, in memory that all threads read: a row of numbers for each market and each
 * asset, and the journal's position. The engine's thread writes it (`market-publisher.ts`, `http/desk/connect.ts`), and
 * gateways build their answers from it.
 */
import { ASSETS, MARKETS_MAX } from '../../engine/model/domain.js';
import type { ShownMarket, ShownRound } from '../wire/market-text.js';
import { factsMemory, SharedRows } from './shared-rows.js';

/**
 * Rounds are driven, and the board is published, so often. A turn costs the engine's thread as much as dozens of
 * orders.
 */
export const PUBLISH_EVERY_MS = 20;

/** Fields of a market's row. Without a round, `ROUND_NUMBER` is -1 and the fields after it have no meaning. */
export const IS_ACTIVE = 0;
/** The limits of the round in which a bet would land; new rules hold for rounds that become UPCOMING after them. */
export const MIN_STAKE_CENTS = 1;
export const MAX_STAKE_CENTS = 2;
export const ROUND_NUMBER = 3;
/** The durable status: an index into `ROUND_STATUSES`. */
export const STATUS = 4;
export const START_TIME_MS = 5;
export const LOCK_TIME_MS = 6;
export const END_TIME_MS = 7;
export const BETTING_CLOSES_MS = 8;
/** NaN while UPCOMING. */
export const OPEN_PRICE = 9;
/** Pools follow the latest tick and may be one batch ahead of the journal; number and sum of bets are durable. */
export const POOL_UP_CENTS = 10;
export const POOL_DOWN_CENTS = 11;
export const DURABLE_BETS = 12;
export const DURABLE_VOLUME_CENTS = 13;
/** In a LIVE round: with a higher stake, a bet on the side is more than the round can bear. */
export const AVAILABLE_UP_CENTS = 14;
export const AVAILABLE_DOWN_CENTS = 15;
/** In a LIVE round: 1 unless an operator has stopped orders in the market or everywhere, or the house has no quote. */
export const TAKES_ORDERS = 16;
export const MARKET_FIELDS = 17;

/** Fields of an asset's row; NaN for none. */
export const TICK_PRICE = 0;
/** The open price and opening of the asset's latest round. */
export const LAST_OPEN_PRICE = 1;
export const LAST_OPEN_MS = 2;
export const TICK_MS = 3;
export const ASSET_FIELDS = 4;

/** The only field of the journal's only row: the number of the last durable command. */
export const DURABLE_SEQ = 0;
const JOURNAL_FIELDS = 1;

export type BoardMemory = ReturnType<typeof boardMemory>;
export const boardMemory = () => ({
  markets: factsMemory(MARKETS_MAX, MARKET_FIELDS),
  assets: factsMemory(ASSETS.length, ASSET_FIELDS),
  journal: factsMemory(1, JOURNAL_FIELDS),
});

export type Board = Readonly<ReturnType<typeof boardOf>>;
export const boardOf = ({ markets, assets, journal }: BoardMemory) => ({
  markets: new SharedRows(markets, MARKETS_MAX, MARKET_FIELDS),
  assets: new SharedRows(assets, ASSETS.length, ASSET_FIELDS),
  journal: new SharedRows(journal, 1, JOURNAL_FIELDS),
});

/** The part of a market's row that clients may see. */
export const shownMarket = (row: Float64Array): ShownMarket => ({
  minStakeCents: row[MIN_STAKE_CENTS] as number,
  maxStakeCents: row[MAX_STAKE_CENTS] as number,
  round: shownRound(row),
});

/** null where there is no round. */
export function shownRound(row: Float64Array): ShownRound | null {
  const field = (at: number): number => row[at] as number;
  if (field(ROUND_NUMBER) < 0) return null;
  const openPrice = field(OPEN_PRICE);
  return {
    roundNumber: field(ROUND_NUMBER),
    status: field(STATUS),
    startTimeMs: field(START_TIME_MS),
    lockTimeMs: field(LOCK_TIME_MS),
    endTimeMs: field(END_TIME_MS),
    bettingClosesMs: field(BETTING_CLOSES_MS),
    openPrice: Number.isNaN(openPrice) ? null : openPrice,
    poolUpCents: field(POOL_UP_CENTS),
    poolDownCents: field(POOL_DOWN_CENTS),
    bets: field(DURABLE_BETS),
    volumeCents: field(DURABLE_VOLUME_CENTS),
    availableUpCents: field(AVAILABLE_UP_CENTS),
    availableDownCents: field(AVAILABLE_DOWN_CENTS),
    takesOrders: field(TAKES_ORDERS) === 1,
  };
}
