/** What the package exports. */
export type { ServerClock } from './base/clock.js';
export { type ClientCode, type CurrentOdds, type ErrorCode, ToteError } from './base/errors.js';
export {
  addDollars,
  payoutDollars,
  shareOfDollars,
  subtractDollars,
  toCents,
  toDollars,
} from './base/money.js';
export type { Surroundings } from './base/timing.js';
export type {
  BetResult,
  Crypto,
  Limits,
  Market,
  OrderRequest,
  OrderResult,
  Position,
  Prediction,
  Price,
  Round,
  RoundDetail,
  Scope,
  ServerCode,
  ServerTime,
  Tier,
  TimeFrame,
} from './base/types.js';
export { type ClientOptions, type OrderOptions, ToteClient, type WatchOptions } from './client.js';
export type { components, operations, paths } from './generated/api.js';
export type { CallOptions } from './rest/caller.js';
export { RETRIED_CODES } from './rest/retry.js';
