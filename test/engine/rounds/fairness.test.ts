/** The provably-fair hash: its documented form, and a seed for each round. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { RoundSeeds } from '../../../engine/fairness.js';

const MASTER_SECRET = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const ROUND_NUMBER = 29_333_333;

const BET = {
  timeMs: ROUND_NUMBER * 60_000 + 12_345,
  bet: 42,
  market: 0,
  roundNumber: ROUND_NUMBER,
  side: 0,
  stakeCents: 1_250,
  oddsE4: 19_876,
  entryPercentE2: 5_031,
  payoutCents: 2_410,
  clientSeed: 'dé',
};

test('the hash has the documented form', () => {
  const seeds = new RoundSeeds(MASTER_SECRET, FAIRNESS_TOOLS);
  const seed = createHmac('sha256', MASTER_SECRET).update('BTC_ONE_MINUTE_29333333').digest('hex');
  assert.equal(seeds.seed(0, ROUND_NUMBER), seed);
  const commitment = seeds.commitment(0, ROUND_NUMBER);
  assert.equal(commitment, createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex'));
  const text =
    `10:tote-bet-164:${seed}23:BTC_ONE_MINUTE_293333336:bet_422:UP4:12505:198764:50314:2410` +
    '24:2025-10-09T08:53:12.345Z';
  const hashOf = (form: string) => createHash('sha256').update(form).digest('hex');
  assert.equal(seeds.betHash(BET), hashOf(`${text}3:dé`));
  assert.equal(seeds.betHash({ ...BET, clientSeed: '' }), hashOf(`${text}0:`));
  assert.equal(seeds.betHash({ ...BET, clientSeed: null }), hashOf(text));
});

test('each round, market and secret has its own seed, whatever the order of requests', () => {
  const seeds = new RoundSeeds(MASTER_SECRET, FAIRNESS_TOOLS);
  const hashes = [
    { ...BET, roundNumber: ROUND_NUMBER + 1 },
    BET,
    { ...BET, market: 1 },
    { ...BET, market: 1, roundNumber: ROUND_NUMBER + 1 },
  ];
  const first = hashes.map((event) => seeds.betHash(event));
  assert.equal(new Set(first).size, first.length);
  const reversed = hashes.toReversed().map((event) => seeds.betHash(event));
  assert.deepEqual(reversed, first.toReversed());
  assert.notEqual(new RoundSeeds(Buffer.alloc(32, 9), FAIRNESS_TOOLS).betHash(BET), first[1]);
});
