/** Markets as the stream's rows have them. */
import {
  ASSETS,
  assetOf,
  MARKET_IDS,
  marketId,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
} from '../../../../engine/model/domain.js';
import * as M from '../../../board/markets.js';
import type { LiveMessage, Row } from '../../live-message.js';
import { oddsText } from './format.js';

export interface RoundNow {
  readonly id: string;
  readonly number: number;
  readonly status: RoundStatus;
  readonly startMs: number;
  readonly lockMs: number;
  readonly endMs: number;
  readonly bettingClosesMs: number;
  readonly openPrice: number | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly bets: number;
  readonly volumeCents: number;
}

export interface MarketNow {
  readonly market: number;
  readonly id: string;
  readonly asset: string;
  readonly isSuspended: boolean;
  readonly price: number | null;
  readonly minStakeCents: number;
  readonly maxStakeCents: number;
  readonly round: RoundNow | null;
}

export const marketsOf = (message: LiveMessage): MarketNow[] =>
  MARKET_IDS.flatMap((_, market) => marketNow(message, market) ?? []);

/** null for a market that is not active. */
export function marketNow(message: LiveMessage, market: number): MarketNow | null {
  const row = message.markets[market];
  if (row === undefined || row[M.IS_ACTIVE] !== 1) return null;
  const asset = assetOf(market);
  return {
    market,
    id: marketId(market),
    asset: ASSETS[asset] ?? '',
    isSuspended: message.suspended.includes(market),
    price: message.prices[asset] ?? null,
    minStakeCents: row[M.MIN_STAKE_CENTS] ?? 0,
    maxStakeCents: row[M.MAX_STAKE_CENTS] ?? 0,
    round: roundNow(row, market),
  };
}

function roundNow(row: Row, market: number): RoundNow | null {
  const field = (at: number): number => row[at] ?? 0;
  const number = field(M.ROUND_NUMBER);
  if (number < 0) return null;
  return {
    id: roundId(market, number),
    number,
    status: ROUND_STATUSES[field(M.STATUS)] ?? 'UPCOMING',
    startMs: field(M.START_TIME_MS),
    lockMs: field(M.LOCK_TIME_MS),
    endMs: field(M.END_TIME_MS),
    bettingClosesMs: field(M.BETTING_CLOSES_MS),
    openPrice: row[M.OPEN_PRICE] ?? null,
    poolUpCents: field(M.POOL_UP_CENTS),
    poolDownCents: field(M.POOL_DOWN_CENTS),
    bets: field(M.DURABLE_BETS),
    volumeCents: field(M.DURABLE_VOLUME_CENTS),
  };
}

/** The pool has both sides; a dash for an empty one. */
export const oddsOf = ({ poolUpCents, poolDownCents }: RoundNow, pool: number): string =>
  pool === 0 ? '–' : oddsText((poolUpCents + poolDownCents) / pool);

/** From 0 to 100. */
export function percentUp({ poolUpCents, poolDownCents }: RoundNow): number {
  const total = poolUpCents + poolDownCents;
  return total === 0 ? 50 : (poolUpCents / total) * 100;
}
