/**
 * The specification's resources as tables (section 2), written from its text and not from the server's types, so that
 * the two can be compared. A check fails with the path of the field; an unknown field is as wrong as a missing one.
 */
import assert from 'node:assert/strict';

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
];
/** Length of a round in milliseconds and time between its lock and its end (design, section 4). */
export const FRAMES: Readonly<Record<string, { readonly lengthMs: number; readonly lockLeadMs: number }>> = {
  ONE_MINUTE: { lengthMs: 60_000, lockLeadMs: 5_000 },
  FIVE_MINUTES: { lengthMs: 300_000, lockLeadMs: 15_000 },
  FIFTEEN_MINUTES: { lengthMs: 900_000, lockLeadMs: 30_000 },
  FOUR_HOURS: { lengthMs: 14_400_000, lockLeadMs: 60_000 },
  ONE_DAY: { lengthMs: 86_400_000, lockLeadMs: 300_000 },
};
export const TIME_FRAMES = Object.keys(FRAMES);
export const CUTOFF_MS = 20_000;
export const IDEMPOTENCY_MS = 600_000;
export const WINDOW_MS = 60_000;
export const RATE_LIMITS = { keyRead: 120, keyWrite: 30, account: 240, ip: 300 };
/** What the house puts on each side of a round, in dollars (design, section 2). */
export const SEED = 1_000;

export interface Round {
  readonly id: string;
  readonly roundNumber: number;
  readonly startTime: string;
  readonly lockTime: string;
  readonly endTime: string;
  readonly bettingClosesAt: string;
  readonly timeRemaining: number;
  readonly timeToLock: number;
  readonly timeToBettingClose: number;
  readonly openPrice: number | null;
  readonly currentPrice: number | null;
  readonly status: string;
  readonly totalBets: number;
  readonly totalVolume: number;
  readonly result?: string;
}
export interface Market {
  readonly id: string;
  readonly crypto: string;
  readonly timeFrame: string;
  readonly poolUp: number;
  readonly poolDown: number;
  readonly totalPool: number;
  readonly oddsUp: number;
  readonly oddsDown: number;
  readonly percentUp: number;
  readonly percentDown: number;
  readonly minBet: number;
  readonly maxBet: number;
  readonly availableUp: number;
  readonly availableDown: number;
  readonly currentRound: Round | null;
}
export interface Price {
  readonly crypto: string;
  readonly price: number;
  readonly source: string;
  readonly timestamp: string;
}
export interface Position {
  readonly id: string;
  readonly marketId: string | null;
  readonly crypto: string | null;
  readonly timeFrame: string | null;
  readonly prediction: string;
  readonly amount: number;
  readonly oddsAtBet: number;
  readonly potentialPayout: number;
  readonly status: string;
  readonly result: string | null;
  readonly payout: number | null;
  readonly profit: number | null;
  readonly isLimitOrder: boolean;
  readonly placedAt: string;
  readonly settledAt: string | null;
  readonly entryPercent: number | null;
  readonly betHash: string | null;
  readonly round: {
    readonly id: string;
    readonly roundNumber: number;
    readonly status: string;
    readonly endTime: string;
  };
}
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
export interface Bet {
  readonly id: string;
  readonly marketId: string;
  readonly prediction: string;
  readonly amount: number;
  readonly oddsAtBet: number;
  readonly entryPercent: number;
  readonly potentialPayout: number;
  readonly status: string;
  readonly betHash: string;
  readonly placedAt: string;
}
export interface OrderResult {
  readonly bet: Bet;
  readonly newBalance: number;
  readonly limitOrdersFilled: object | null;
}
/** GET /rounds/{id}: an extension, which adds to a Round and takes nothing away. */
export interface RoundDetail extends Round {
  readonly marketId: string;
  readonly crypto: string;
  readonly timeFrame: string;
  readonly poolUp: number;
  readonly poolDown: number;
  readonly totalPool: number;
  readonly fairPercentUp: number | null;
  readonly house: {
    readonly policy: string;
    readonly seed: number;
    readonly shade: number;
    readonly clamp: number;
  };
  readonly closePrice: number | null;
  readonly resolvedAt: string | null;
  readonly voided: boolean;
  readonly seedCommitment: string;
  readonly seed: string | null;
  readonly root: { readonly merkleRoot: string; readonly treeSize: number } | null;
}

export type Check = (value: unknown, where: string) => void;

const expects =
  (what: string, fits: (value: unknown) => boolean): Check =>
  (value, where) =>
    assert.ok(fits(value), `${where} is ${JSON.stringify(value)}; expected ${what}`);
const text = expects('a string', (value) => typeof value === 'string' && value !== '');
const number = expects('a finite number', (value) => Number.isFinite(value));
const integer = expects(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
const boolean = expects('true or false', (value) => typeof value === 'boolean');
const sha256 = expects('64 hex digits', (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value));
const dateTime = expects('an ISO 8601 date-time', (value) => {
  return (
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
  );
});
const oneOf = (...words: readonly string[]): Check =>
  expects(`one of ${words.join(', ')}`, (value) => typeof value === 'string' && words.includes(value));
const nullable =
  (check: Check): Check =>
  (value, where) => {
    if (value !== null) check(value, where);
  };
export const listOf =
  (check: Check): Check =>
  (value, where) => {
    assert.ok(Array.isArray(value), `${where} is not a list`);
    value.forEach((element: unknown, index) => {
      check(element, `${where}[${index}]`);
    });
  };
/** Exactly these fields; those in `optional` may be absent. */
export const object =
  (fields: Readonly<Record<string, Check>>, optional: readonly string[] = []): Check =>
  (value, where) => {
    assert.ok(
      typeof value === 'object' && value !== null && !Array.isArray(value),
      `${where} is not an object`,
    );
    const given = new Map<string, unknown>(Object.entries(value));
    const surprising = [...given.keys()].filter((name) => !(name in fields));
    const missing = Object.keys(fields).filter((name) => !given.has(name) && !optional.includes(name));
    assert.deepEqual({ surprising, missing }, { surprising: [], missing: [] }, where);
    for (const [name, check] of Object.entries(fields)) {
      if (given.has(name)) check(given.get(name), `${where}.${name}`);
    }
  };

const roundFields: Readonly<Record<string, Check>> = {
  id: text,
  roundNumber: integer,
  startTime: dateTime,
  lockTime: dateTime,
  endTime: dateTime,
  bettingClosesAt: dateTime,
  timeRemaining: integer,
  timeToLock: integer,
  timeToBettingClose: integer,
  openPrice: nullable(number),
  currentPrice: nullable(number),
  status: oneOf('UPCOMING', 'LIVE', 'LOCKED', 'SETTLING', 'SETTLED'),
  totalBets: integer,
  totalVolume: number,
  result: oneOf('UP', 'DOWN', 'DRAW'),
};
export const isRound = object(roundFields, ['result']);

export const isMarket = object({
  id: text,
  crypto: oneOf(...ASSETS),
  timeFrame: oneOf(...TIME_FRAMES),
  poolUp: number,
  poolDown: number,
  totalPool: number,
  oddsUp: number,
  oddsDown: number,
  percentUp: number,
  percentDown: number,
  minBet: number,
  maxBet: number,
  availableUp: number,
  availableDown: number,
  currentRound: nullable(isRound),
});

export const isPrice = object({
  crypto: oneOf(...ASSETS),
  price: number,
  source: oneOf('round_open'),
  timestamp: dateTime,
});

export const isPosition = object({
  id: text,
  marketId: nullable(text),
  crypto: nullable(oneOf(...ASSETS)),
  timeFrame: nullable(oneOf(...TIME_FRAMES)),
  prediction: oneOf('UP', 'DOWN'),
  amount: number,
  oddsAtBet: number,
  potentialPayout: number,
  status: oneOf('PENDING', 'ACTIVE', 'SETTLING', 'SETTLED', 'CANCELLED', 'EXPIRED'),
  result: nullable(oneOf('WIN', 'LOSS', 'DRAW', 'REFUNDED', 'CASHOUT')),
  payout: nullable(number),
  profit: nullable(number),
  isLimitOrder: boolean,
  placedAt: dateTime,
  settledAt: nullable(dateTime),
  entryPercent: nullable(number),
  betHash: nullable(text),
  round: object({
    id: text,
    roundNumber: integer,
    status: oneOf('UPCOMING', 'LIVE', 'LOCKED', 'SETTLING', 'SETTLED'),
    endTime: dateTime,
  }),
});

export const isOrderResult = object({
  bet: object({
    id: text,
    marketId: text,
    prediction: oneOf('UP', 'DOWN'),
    amount: number,
    oddsAtBet: number,
    entryPercent: number,
    potentialPayout: number,
    status: text,
    betHash: text,
    placedAt: dateTime,
  }),
  newBalance: number,
  limitOrdersFilled: nullable(object({})),
});

export const isRoundDetail = object(
  {
    ...roundFields,
    marketId: text,
    crypto: oneOf(...ASSETS),
    timeFrame: oneOf(...TIME_FRAMES),
    poolUp: number,
    poolDown: number,
    totalPool: number,
    fairPercentUp: nullable(number),
    house: object({ policy: oneOf('fair', 'fixed'), seed: number, shade: number, clamp: number }),
    closePrice: nullable(number),
    resolvedAt: nullable(dateTime),
    voided: boolean,
    seedCommitment: sha256,
    seed: nullable(sha256),
    root: nullable(
      object({ merkleRoot: sha256, treeSize: integer, keyId: text, signature: text, publishedAt: dateTime }),
    ),
  },
  ['result'],
);
