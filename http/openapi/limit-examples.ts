/**
 * Answers of a server with the default rules, shown as examples in the API document. Written by
 * `test/http/openapi/examples-generate.ts`; a test holds them equal to what the handlers answer.
 */
import type { Json } from './schemas.js';

/** `data` of successes: limit orders. */
export const LIMIT_EXAMPLES = {
  pendingOrder: {
    bet: {
      id: 'bet_4',
      marketId: 'BTC_ONE_DAY',
      prediction: 'DOWN',
      amount: 10,
      oddsAtBet: 2.5,
      entryPercent: null,
      potentialPayout: 24.25,
      status: 'PENDING',
      betHash: null,
      placedAt: '2026-06-10T12:01:00.000Z',
      limitOdds: 2.5,
    },
    newBalance: 9998.01,
    limitOrdersFilled: null,
  },
  cancelledOrder: {
    id: 'bet_4',
    marketId: 'BTC_ONE_DAY',
    crypto: 'BTC',
    timeFrame: 'ONE_DAY',
    prediction: 'DOWN',
    amount: 10,
    oddsAtBet: 2.5,
    potentialPayout: 24.25,
    status: 'CANCELLED',
    result: null,
    payout: null,
    profit: null,
    isLimitOrder: true,
    limitOdds: 2.5,
    filledAt: null,
    placedAt: '2026-06-10T12:01:00.000Z',
    settledAt: '2026-06-10T12:01:00.000Z',
    entryPercent: null,
    betHash: null,
    round: {
      id: 'BTC_ONE_DAY_20614',
      roundNumber: 20614,
      status: 'LIVE',
      endTime: '2026-06-11T00:00:00.000Z',
    },
  },
} as const satisfies Readonly<Record<string, Json>>;
