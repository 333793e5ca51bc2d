/**
 * Pages of the past, shown as examples in the API document. Written by `test/http/openapi/examples-generate.ts`; a test
 * holds them equal to what the handlers answer.
 */

/** Bodies without `success`. */
export const PAST_EXAMPLES = {
  ledger: {
    data: [
      {
        id: '17-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'refund',
        reference: null,
        orderId: 'bet_4',
        amount: 10,
        balanceAfter: 10008.01,
      },
      {
        id: '16-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'reserve',
        reference: null,
        orderId: 'bet_4',
        amount: -10,
        balanceAfter: 9998.01,
      },
      {
        id: '15-0',
        time: '2026-06-10T12:01:00.000Z',
        type: 'stake',
        reference: null,
        orderId: 'bet_3',
        amount: -10,
        balanceAfter: 10008.01,
      },
    ],
    nextCursor: 'bGVkZ2VyIDE1IDA',
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
        root: {
          merkleRoot: 'b3ca8c20bac1aefd2fc2283a148e0773186b60f039026da9680027f3785bf5b5',
          treeSize: 1,
          publishedAt: '2026-06-10T12:00:55.000Z',
          keyId: '21fe31dfa154a261',
          signature:
            'c570c0d036db44e96024e6a3ef134288c46949191ac72847a1bfe292e18bc9a0307533ae2d7835c87d075097718d90ddc8cc6e40de8acc78f02b0cd57815f807',
        },
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
        root: {
          merkleRoot: 'b3ca8c20bac1aefd2fc2283a148e0773186b60f039026da9680027f3785bf5b5',
          treeSize: 1,
          publishedAt: '2026-06-10T12:00:55.000Z',
          keyId: '21fe31dfa154a261',
          signature:
            'c570c0d036db44e96024e6a3ef134288c46949191ac72847a1bfe292e18bc9a0307533ae2d7835c87d075097718d90ddc8cc6e40de8acc78f02b0cd57815f807',
        },
      },
    ],
    nextCursor: null,
  },
} as const;
