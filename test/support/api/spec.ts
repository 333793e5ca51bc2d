/** Constants of the API and the default rules, and the resources as tests of a real server speak of them. */
import type { OrderResult as AnyOrderResult, PlacedBet } from '../../../http/wire/types.js';

export type { Market, Position, RoundDetail } from '../../../http/wire/types.js';

/** `lockLeadMs` is the time between a round's lock and its end. */
export const FRAMES: Readonly<Record<string, { readonly lengthMs: number; readonly lockLeadMs: number }>> = {
  ONE_MINUTE: { lengthMs: 60_000, lockLeadMs: 5_000 },
  FIVE_MINUTES: { lengthMs: 300_000, lockLeadMs: 15_000 },
  FIFTEEN_MINUTES: { lengthMs: 900_000, lockLeadMs: 30_000 },
  FOUR_HOURS: { lengthMs: 14_400_000, lockLeadMs: 60_000 },
  ONE_DAY: { lengthMs: 86_400_000, lockLeadMs: 300_000 },
};
export const IDEMPOTENCY_MS = 600_000;
export const RATE_LIMITS = { keyRead: 120, keyWrite: 30, keyCancel: 120, account: 240, ip: 300 };

export interface OrderRequest {
  readonly marketId: string;
  readonly prediction: string;
  readonly amount: number;
  readonly expectedPercent?: number;
  readonly clientSeed?: string;
  readonly roundId?: string;
  readonly validUntil?: string;
  readonly minOdds?: number;
}
/** A bet that does not rest. */
export interface Bet extends PlacedBet {
  entryPercent: number;
}
export interface OrderResult extends AnyOrderResult {
  bet: Bet;
}
