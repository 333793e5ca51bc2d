/**
 * Pages of the past, shown as examples in the API document. Written by `test/http/openapi/examples-generate.ts`; a test
 * holds them equal to what the handlers answer.
 */

/** Bodies without `success`. */
export const PAST_EXAMPLES = {
  ledger: {
    data: [
      {
        id: '15-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'refund',
        reference: null,
        orderId: 'bet_4',
        amount: 10,
        balanceAfter: 10008.01,
      },
      {
        id: '14-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'reserve',
        reference: null,
        orderId: 'bet_4',
        amount: -10,
        balanceAfter: 9998.01,
      },
      {
        id: '13-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'stake',
        reference: null,
        orderId: 'bet_3',
        amount: -10,
        balanceAfter: 10008.01,
      },
    ],
    nextCursor: 'bGVkZ2VyIDEzIDA',
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
