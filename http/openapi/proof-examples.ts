/**
 * Proofs, shown as examples in the API document. Written by `test/http/openapi/examples-generate.ts`; a test holds them
 * equal to what the handlers answer.
 */
import type { Json } from './schemas.js';

/** `data` of successes. */
export const PROOF_EXAMPLES = {
  roundProof: {
    id: 'BTC_ONE_MINUTE_29684880',
    marketId: 'BTC_ONE_MINUTE',
    crypto: 'BTC',
    timeFrame: 'ONE_MINUTE',
    roundNumber: 29684880,
    startTime: '2026-06-10T12:00:00.000Z',
    lockTime: '2026-06-10T12:00:55.000Z',
    endTime: '2026-06-10T12:01:00.000Z',
    seedCommitment: 'f0c0f5822a92ecb85fd710110f3b6f315855054cb29addab691e212bda088a9b',
    seed: '96aaeacd12281adee3f2b1a78c3c30f84abf710af5f246372c2200e1bd80b7fd',
    open: { price: 64985.25, time: '2026-06-10T12:00:00.000Z', source: null, evidence: 'test', rule: 'late' },
    close: {
      price: 65010.5,
      time: '2026-06-10T12:01:00.000Z',
      source: null,
      evidence: 'test',
      rule: 'boundary',
    },
    result: 'UP',
    voidReason: null,
    poolUp: 926.3,
    poolDown: 1098.7,
    totalPool: 2025,
    houseSeeds: 2000,
    fairPercentUp: { first: 44.9127, last: 44.9127, lowest: 44.9127, highest: 44.9127 },
    fee: 0.03,
    rounding:
      'odds are totalPool / sidePool, rounded down to four decimals; payouts are rounded down to the cent',
    totalBets: 1,
    totalVolume: 25,
    root: {
      merkleRoot: 'b3ca8c20bac1aefd2fc2283a148e0773186b60f039026da9680027f3785bf5b5',
      treeSize: 1,
      publishedAt: '2026-06-10T12:00:55.000Z',
      keyId: '21fe31dfa154a261',
      signature:
        'c570c0d036db44e96024e6a3ef134288c46949191ac72847a1bfe292e18bc9a0307533ae2d7835c87d075097718d90ddc8cc6e40de8acc78f02b0cd57815f807',
    },
    rootInTime: true,
    resolvedAt: '2026-06-10T12:01:00.000Z',
    settledAt: '2026-06-10T12:01:00.000Z',
    statement: {
      text: 'tote-settlement-1\nround: BTC_ONE_MINUTE_29684880\nstartTime: 2026-06-10T12:00:00.000Z\nlockTime: 2026-06-10T12:00:55.000Z\nendTime: 2026-06-10T12:01:00.000Z\nseedCommitment: f0c0f5822a92ecb85fd710110f3b6f315855054cb29addab691e212bda088a9b\nseed: 96aaeacd12281adee3f2b1a78c3c30f84abf710af5f246372c2200e1bd80b7fd\nopenPrice: 64985.25\nopenPriceTime: 2026-06-10T12:00:00.000Z\nopenSource: -\nopenEvidenceSha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\nclosePrice: 65010.5\nclosePriceTime: 2026-06-10T12:01:00.000Z\ncloseSource: -\ncloseEvidenceSha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\nresult: UP\nvoidReasonSha256: -\npoolUpCents: 92630\npoolDownCents: 109870\nhouseSeedsCents: 200000\nfeeBps: 300\nbets: 1\nvolumeCents: 2500\nmerkleRoot: b3ca8c20bac1aefd2fc2283a148e0773186b60f039026da9680027f3785bf5b5\nresolvedAt: 2026-06-10T12:01:00.000Z\nsettledAt: 2026-06-10T12:01:00.000Z\n',
      keyId: '21fe31dfa154a261',
      signature:
        'fe962bfab00ecbb313dc26ba7df23614f72fbd523c625c2f7c978de5b80403ede9fb98bfe02d2c7c30c55d64fe4f4fc46a6f786fc48a92df5fcfacd9d02bd407',
    },
  },
  orderProof: {
    orderId: 'bet_1',
    roundId: 'BTC_ONE_MINUTE_29684880',
    betHash: '036ef7adbc81ca7b066bdea5cda2a56fe4b30c10a71fbc3154963b280130a4de',
    leafIndex: 0,
    path: [],
    seedCommitment: 'f0c0f5822a92ecb85fd710110f3b6f315855054cb29addab691e212bda088a9b',
    root: {
      merkleRoot: 'b3ca8c20bac1aefd2fc2283a148e0773186b60f039026da9680027f3785bf5b5',
      treeSize: 1,
      publishedAt: '2026-06-10T12:00:55.000Z',
      keyId: '21fe31dfa154a261',
      signature:
        'c570c0d036db44e96024e6a3ef134288c46949191ac72847a1bfe292e18bc9a0307533ae2d7835c87d075097718d90ddc8cc6e40de8acc78f02b0cd57815f807',
    },
  },
  keys: [
    {
      keyId: '21fe31dfa154a261',
      algorithm: 'Ed25519',
      publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      createdAt: '2026-06-01T00:00:00.000Z',
      retiredAt: null,
    },
  ],
} as const satisfies Readonly<Record<string, Json>>;
