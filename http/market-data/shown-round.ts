/** The part of a market's current round that clients may see, from its row on the board. */
import * as M from '../board/markets.js';
import type { ShownRound } from '../wire/market-text.js';

/** null where there is no round. */
export function roundOf(row: Float64Array): ShownRound | null {
  const field = (at: number): number => row[at] as number;
  if (field(M.ROUND_NUMBER) < 0) return null;
  const openPrice = field(M.OPEN_PRICE);
  return {
    roundNumber: field(M.ROUND_NUMBER),
    status: field(M.STATUS),
    startTimeMs: field(M.START_TIME_MS),
    lockTimeMs: field(M.LOCK_TIME_MS),
    endTimeMs: field(M.END_TIME_MS),
    bettingClosesMs: field(M.BETTING_CLOSES_MS),
    openPrice: Number.isNaN(openPrice) ? null : openPrice,
    poolUpCents: field(M.POOL_UP_CENTS),
    poolDownCents: field(M.POOL_DOWN_CENTS),
    bets: field(M.DURABLE_BETS),
    volumeCents: field(M.DURABLE_VOLUME_CENTS),
    availableUpCents: field(M.AVAILABLE_UP_CENTS),
    availableDownCents: field(M.AVAILABLE_DOWN_CENTS),
    takesOrders: field(M.TAKES_ORDERS) === 1,
  };
}
