/** Answers of the operator API that have no type of their own elsewhere: handlers put them together from a few facts. */

import type { RulesDifference } from '../../../config/preview.js';
import type { Asset } from '../../../engine/model/domain.js';
import type { KeyResource } from '../resources/accounts.js';
import type { Earnings } from '../resources/house.js';

export interface CreatedKey extends KeyResource {
  /** Shown here and never again. */
  readonly secret: string;
}

export interface RotatedKey extends CreatedKey {
  /** The key whose place it takes, with its expiry. */
  readonly replaces: KeyResource;
}

export interface TradingState {
  readonly enabled: boolean;
  /** What clients read in the 503 of their orders. */
  readonly reason: string;
}

export interface MarketState {
  readonly id: string;
  readonly suspended: boolean;
}

export interface VoidedRound {
  readonly id: string;
  readonly voided: boolean;
  readonly reason: string;
}

export interface ConfirmedPrice {
  readonly crypto: Asset;
  readonly price: number;
  readonly reason: string;
}

export interface TakenPrices {
  readonly taken: number;
  /** By its place in the request. */
  readonly refused: readonly { readonly index: number; readonly crypto: Asset; readonly reason: string }[];
}

export interface ClockTime {
  readonly time: string;
}

export interface RulesChange extends RulesDifference {
  /** false for a preview. */
  readonly applied: boolean;
  /** To be sent with the same changes to put them in force. */
  readonly tag: string;
}

export interface HouseProfit {
  readonly by: 'hour' | 'day';
  readonly from: string;
  readonly to: string;
  readonly total: Earnings;
  readonly parts: readonly EarningsOfPart[];
}

export interface EarningsOfPart extends Earnings {
  readonly start: string;
  readonly end: string;
}

export interface Healthy {
  readonly status: 'ok';
}
