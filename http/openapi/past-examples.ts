/**
 * Pages of the past, shown as examples in the API document. Written by `test/http/openapi/examples-generate.ts`; a test
 * holds them equal to what the handlers answer.
 */

/** Bodies without `success`. */
export const PAST_EXAMPLES = {
  ledger: {
    data: [
      {
        id: '13-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'stake',
        reference: null,
        orderId: 'bet_3',
        amount: -10,
        balanceAfter: 10008.01,
      },
      {
        id: '12-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'payout',
        reference: null,
        orderId: 'bet_1',
        amount: 53.01,
        balanceAfter: 10018.01,
      },
      {
        id: '9-0',
        time: '2026-06-10T12:00:13.187Z',
        type: 'stake',
        reference: null,
        orderId: 'bet_2',
        amount: -10,
        balanceAfter: 9965,
      },
    ],
    nextCursor: 'bGVkZ2VyIDkgMA',
  },
  rounds: {
    data: [
      {
        id: 'BTC_ONE_MINUTE_29684880',
        marketId: 'BTC_ONE_MINUTE',
        crypto: 'BTC',
        timeFrame: 'ONE_MINUTE',
        roundNumber: 29684880,
        startTime: '2026-06-10T12:00:00.000Z',
        lockTime: '2026-06-10T12:00:55.000Z',
        endTime: '2026-06-10T12:01:00.000Z',
        openPrice: 64985.25,
        closePrice: 65010.5,
        poolUp: 926.3,
        poolDown: 1098.7,
        totalBets: 1,
        totalVolume: 25,
        result: 'UP',
        voidReason: null,
        settledAt: '2026-06-10T12:01:00.000Z',
      },
    ],
    nextCursor: null,
  },
  marketRounds: {
    data: [
      {
        id: 'BTC_ONE_MINUTE_29684880',
        marketId: 'BTC_ONE_MINUTE',
        crypto: 'BTC',
        timeFrame: 'ONE_MINUTE',
        roundNumber: 29684880,
        startTime: '2026-06-10T12:00:00.000Z',
        lockTime: '2026-06-10T12:00:55.000Z',
        endTime: '2026-06-10T12:01:00.000Z',
        openPrice: 64985.25,
        closePrice: 65010.5,
        poolUp: 926.3,
        poolDown: 1098.7,
        totalBets: 1,
        totalVolume: 25,
        result: 'UP',
        voidReason: null,
        settledAt: '2026-06-10T12:01:00.000Z',
      },
    ],
    nextCursor: null,
  },
} as const;
