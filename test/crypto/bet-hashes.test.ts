/**
 * The provably-fair hash of a bet: its documented form, a seed for each round; and that lists, answers and roots take
 * each bet's own, whichever bets came before, and whichever thread made it.
 */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { BetHashes, betHashesMemory, HASHES_KEPT } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/hashes.js';
import { RoundSeeds } from '../../engine/fairness.js';

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
  equal(seeds.seed(0, ROUND_NUMBER), seed);
  const commitment = seeds.commitment(0, ROUND_NUMBER);
  equal(commitment, createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex'));
  const text =
    `10:tote-bet-164:${seed}23:BTC_ONE_MINUTE_293333336:bet_422:UP4:12505:198764:50314:2410` +
    '24:2025-10-09T08:53:12.345Z';
  const hashOf = (form: string) => createHash('sha256').update(form).digest('hex');
  equal(seeds.betHash(BET), hashOf(`${text}3:dé`));
  for (const clientSeed of ['', '🎲'.repeat(32), 'half a pair: \ud83c, \udfb2\ud83c'])
    equal(
      seeds.betHash({ ...BET, clientSeed }),
      hashOf(`${text}${Buffer.byteLength(clientSeed)}:${clientSeed}`),
    );
  equal(seeds.betHash({ ...BET, clientSeed: null }), hashOf(text));
  equal(seeds.betHash({ ...BET, clientSeed: null, side: 1 }), hashOf(text.replace('2:UP', '4:DOWN')));
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
  equal(new Set(first).size, first.length);
  const reversed = hashes.toReversed().map((event) => seeds.betHash(event));
  deepEqual(reversed, first.toReversed());
  notEqual(new RoundSeeds(Buffer.alloc(32, 9), FAIRNESS_TOOLS).betHash(BET), first[1]);
});

test('a hash is that of the bet, also where bets share a place, and is made once while it is kept', () => {
  let hashed = 0;
  const count = <Result>(result: Result): Result => {
    hashed += 1;
    return result;
  };
  const plain = new RoundSeeds(Buffer.alloc(32, 7), FAIRNESS_TOOLS);
  const counting = new RoundSeeds(Buffer.alloc(32, 7), {
    ...FAIRNESS_TOOLS,
    sha256: (data) => count(FAIRNESS_TOOLS.sha256(data)),
    sha256Into: (...of) => count(FAIRNESS_TOOLS.sha256Into(...of)),
  });
  const memory = betHashesMemory();
  const [one, other] = [new BetHashes(counting, memory), new BetHashes(counting, memory)];
  const hashedFor = (number: number): number => {
    const before = hashed;
    const bet = { ...BET, bet: number };
    const bytes = Buffer.alloc(33);
    other.into(bet, bytes, 1);
    equal(bytes.toString('hex', 1), plain.betHash(bet));
    for (const hashes of [one, other]) equal(hashes.of(bet), plain.betHash(bet));
    return hashed - before;
  };
  // `into` makes the first one and does not keep it.
  const numbers = [1, 2, 1, 2, 1 + HASHES_KEPT, 1, 2 ** 32, 2 ** 32 - 1];
  deepEqual(numbers.map(hashedFor), [2, 2, 0, 0, 2, 2, 2, 2]);
});
