/**
 * The API's vocabulary and its numbering inside the engine: an asset, time frame, tier or side is its index in the
 * lists below, and a market is `asset * TIME_FRAMES.length + timeFrame`. The lists are append-only, because indexes go
 * into the journal's digests and into snapshots. Only the API and the journal use names.
 */
import { fail } from '../base/assert.js';
import { integerText } from '../base/integer-text.js';

export const ASSETS = [
  'BTC',
  'ETH',
  'SOL',
  'BNB',
  'XRP',
  'GOLD',
  'SILVER',
  'EURUSD',
  'GBPUSD',
  'USDJPY',
  'AUDUSD',
  'USDCAD',
  'HYPE',
  'TON',
] as const;
export type Asset = (typeof ASSETS)[number];

/** Asset classes differ in market hours. */
export const ASSET_CLASSES = ['CRYPTO', 'METAL', 'FX'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

const METALS: readonly Asset[] = ['GOLD', 'SILVER'];
const CURRENCY_PAIRS: readonly Asset[] = ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD', 'USDCAD'];

export function assetClassOf(asset: Asset): AssetClass {
  if (METALS.includes(asset)) return 'METAL';
  return CURRENCY_PAIRS.includes(asset) ? 'FX' : 'CRYPTO';
}

export const TIME_FRAMES = [
  'ONE_MINUTE',
  'FIVE_MINUTES',
  'FIFTEEN_MINUTES',
  'FOUR_HOURS',
  'ONE_DAY',
] as const;
export type TimeFrame = (typeof TIME_FRAMES)[number];

const MINUTE_MS = 60_000;
/** Length of a round by time-frame index, in milliseconds. */
export const TIME_FRAME_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  240 * MINUTE_MS,
  1440 * MINUTE_MS,
];

export const SIDES = ['UP', 'DOWN'] as const;
export type Side = (typeof SIDES)[number];
export const UP = 0;
export const DOWN = 1;

/** A share of 1. Shares are whole numbers of millionths. */
export const WHOLE_E6 = 1_000_000;
/** The fair share of an order for which the host knows none: no fresh price, or no round that asks for one. */
export const NO_FAIR_SHARE = -1;
/** The same, where an order is refused for another reason (`NO_SHARE_CODES`). All are below 0. */
export const SHARE_PRICE_HELD = -2;
export const SHARE_SOURCE_CHANGED = -3;
export const SHARE_TOO_COARSE = -4;
export const SHARE_SUSPENDED = -5;

export const TIERS = ['BRONZE', 'SILVER', 'GOLD', 'PLATINUM', 'VIP'] as const;
export type Tier = (typeof TIERS)[number];
/** Lowest tier that may have write scopes. */
export const WRITE_TIER = 1;

export const SCOPES = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'] as const;
export type Scope = (typeof SCOPES)[number];
/** Bit i is `SCOPES[i]`. */
export const WRITE_SCOPES_MASK = 0b1100;
/** Disabled and expired keys included: gateways find keys in memory of a fixed size. */
export const KEYS_MAX = 1 << 22;

export function scopesMask(scopes: readonly Scope[]): number {
  return scopes.reduce((mask, scope) => mask | (1 << SCOPES.indexOf(scope)), 0);
}
export function scopesOf(mask: number): Scope[] {
  return SCOPES.filter((_, bit) => (mask & (1 << bit)) !== 0);
}

export const ROUND_STATUSES = ['UPCOMING', 'LIVE', 'LOCKED', 'SETTLING', 'SETTLED'] as const;
export type RoundStatus = (typeof ROUND_STATUSES)[number];
export const UPCOMING = 0;
export const LIVE = 1;
export const LOCKED = 2;
export const SETTLING = 3;
export const SETTLED = 4;

/** Result of a round: `NONE` while open. A voided round refunds every bet and shows no result. */
export const ROUND_RESULTS = ['NONE', 'UP', 'DOWN', 'DRAW', 'VOID'] as const;
export const RESULT_NONE = 0;
export const RESULT_UP = 1;
export const RESULT_DOWN = 2;
export const RESULT_DRAW = 3;
export const RESULT_VOID = 4;

/** Result of a bet. `CASHOUT` is reserved; nothing produces it. */
export const BET_RESULTS = ['NONE', 'WIN', 'LOSS', 'DRAW', 'REFUNDED', 'CASHOUT'] as const;
export type BetResult = Exclude<(typeof BET_RESULTS)[number], 'NONE'>;

/** How a bet ended, by index: a result, or the end of a limit order that never became a bet. */
export const BET_ENDS = [...BET_RESULTS, 'CANCELLED', 'EXPIRED'] as const;
export const END_CANCELLED = BET_ENDS.indexOf('CANCELLED');
export const END_EXPIRED = BET_ENDS.indexOf('EXPIRED');
/** Such an order got its stake back. */
export const isUnfilled = (end: number): boolean => end >= BET_RESULTS.length;

/** Odds in 1e-4 that a limit order may name. */
export const LIMIT_ODDS_E4_MIN = 10_100;
export const LIMIT_ODDS_E4_MAX = 10_000_000;
/** Rules allow no larger stake: its payout at the greatest limit is still an exact integer. */
export const STAKE_CENTS_MAX = 9_000_000_000_000;
export const NO_LIMIT = 0;
export const NO_END = 0;

export const POSITION_STATUSES = [
  'PENDING',
  'ACTIVE',
  'SETTLING',
  'SETTLED',
  'CANCELLED',
  'EXPIRED',
] as const;
export type PositionStatus = (typeof POSITION_STATUSES)[number];

/** `end` is an index into `BET_ENDS`. */
export function endStatus(end: number): PositionStatus {
  if (!isUnfilled(end)) return 'SETTLED';
  return end === END_CANCELLED ? 'CANCELLED' : 'EXPIRED';
}

export const MARKETS_MAX = ASSETS.length * TIME_FRAMES.length;

export const MARKET_IDS: readonly string[] = ASSETS.flatMap((asset) =>
  TIME_FRAMES.map((frame) => `${asset}_${frame}`),
);

const marketByIdText = new Map(MARKET_IDS.map((id, market) => [id, market]));

export function marketOf(id: string): number {
  return marketByIdText.get(id) ?? -1;
}
export const marketId = (market: number): string => textAt(MARKET_IDS, market);
export const assetOf = (market: number): number => Math.floor(market / TIME_FRAMES.length);
export const timeFrameOf = (market: number): number => market % TIME_FRAMES.length;
export const timeFrameMs = (market: number): number => TIME_FRAME_MS[timeFrameOf(market)] as number;

export function textAt<T extends string>(list: readonly T[], index: number): T {
  const text = list[index];
  return text ?? fail(`index ${index} is outside a list of ${list.length}`);
}

/*
 * Ids. Accounts, keys and bets are numbered from 1 in the order of their creation; 0 is "none" everywhere.
 * The text forms are what clients and operators see.
 */
const parseNumbered = (prefix: string, id: string): number => {
  const digits = id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : 0;
};
export const accountId = (account: number): string => `acc_${account}`;
export const parseAccountId = (id: string): number => parseNumbered('acc_', id);
export const keyId = (key: number): string => `key_${key}`;
export const parseKeyId = (id: string): number => parseNumbered('key_', id);
export const betId = (bet: number): string => `bet_${integerText(bet)}`;
export const parseBetId = (id: string): number => parseNumbered('bet_', id);
/** `<marketId>_<roundNumber>`: stable across restarts and never reused. */
export const roundId = (market: number, roundNumber: number): string => `${marketId(market)}_${roundNumber}`;

export interface RoundName {
  readonly market: number;
  readonly roundNumber: number;
}

export function parseRoundId(id: string): RoundName | null {
  const cut = id.lastIndexOf('_');
  const market = marketOf(id.slice(0, Math.max(cut, 0)));
  const digits = id.slice(cut + 1);
  if (market < 0 || !/^(0|[1-9]\d{0,9})$/.test(digits)) return null;
  return { market, roundNumber: Number(digits) };
}

/** Commands name accounts, keys and bets by number; markets, assets, sides and tiers by index. */
export interface Timed {
  /** Engine time of the command in milliseconds since 1970, never before the last journaled one. */
  readonly timeMs: number;
}

/** The operator port's record of an action. */
export interface By {
  readonly operator: string;
  /** '' if none was given. */
  readonly reason: string;
}

export interface Operated extends Timed {
  /** Absent where the server acts of itself. For the record only. */
  readonly by?: By;
}
