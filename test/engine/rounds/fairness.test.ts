/** The provably-fair hash: its documented form, and that nothing about a bet can be altered unnoticed. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import { roundId } from '../../../engine/model/domain.js';
import type { BetPlaced } from '../../../engine/model/events.js';
import { orderResultText } from '../../../http/wire/account-text.js';
import type { OrderResult } from '../../../http/wire/types.js';
import { type BetEvidence, betFault } from '../../support/engine/bet-fault.js';

const MASTER_SECRET = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const ROUND_NUMBER = 29_333_333;

function placed(change: Partial<BetPlaced> = {}): BetPlaced {
  return {
    type: 'betPlaced',
    timeMs: ROUND_NUMBER * 60_000 + 12_345,
    bet: 42,
    account: 7,
    market: 0,
    roundNumber: ROUND_NUMBER,
    side: 0,
    stakeCents: 1_250,
    oddsE4: 19_876,
    entryPercentE2: 5_031,
    payoutCents: 2_410,
    newBalanceCents: 998_750,
    limitOddsE4: 0,
    filled: null,
    clientSeed: 'dé',
    clientOrderId: null,
    fairShareE6: -1,
    ...change,
  };
}

function evidence(seeds: RoundSeeds, event: BetPlaced): BetEvidence {
  const answer: OrderResult = JSON.parse(orderResultText(event, seeds.betHash(event)));
  return {
    bet: answer.bet,
    clientSeed: event.clientSeed,
    roundId: roundId(event.market, event.roundNumber),
    seed: seeds.seed(event.market, event.roundNumber),
    seedCommitment: seeds.commitment(event.market, event.roundNumber),
  };
}

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
  assert.equal(seeds.betHash(placed()), hashOf(`${text}3:dé`));
  assert.equal(seeds.betHash(placed({ clientSeed: '' })), hashOf(`${text}0:`));
  assert.equal(seeds.betHash(placed({ clientSeed: null })), hashOf(text));
});

test('a bet verifies from published data alone', () => {
  const seeds = new RoundSeeds(MASTER_SECRET, FAIRNESS_TOOLS);
  for (const event of [
    placed(),
    placed({ clientSeed: null }),
    placed({ clientSeed: '🎲'.repeat(32) }),
    placed({ clientSeed: 'half a pair: \ud83c, \udfb2\ud83c' }),
    placed({ side: 1, stakeCents: 7, oddsE4: 10_001, entryPercentE2: 9_999, payoutCents: 6 }),
    placed({ market: 4, roundNumber: 20_370 }),
  ]) {
    const timeMs = event.market === 4 ? 20_370 * 86_400_000 + 5 : event.timeMs;
    const held = evidence(seeds, { ...event, timeMs });
    assert.equal(betFault(held), null);
    assert.equal(seeds.betHash({ ...event, timeMs }), held.bet.betHash);
  }
});

test('each round, market and secret has its own seed, whatever the order of requests', () => {
  const seeds = new RoundSeeds(MASTER_SECRET, FAIRNESS_TOOLS);
  const hashes = [
    placed({ roundNumber: ROUND_NUMBER + 1 }),
    placed(),
    placed({ market: 1 }),
    placed({ market: 1, roundNumber: ROUND_NUMBER + 1 }),
  ];
  const first = hashes.map((event) => seeds.betHash(event));
  assert.equal(new Set(first).size, first.length);
  const reversed = hashes.toReversed().map((event) => seeds.betHash(event));
  assert.deepEqual(reversed, first.toReversed());
  assert.notEqual(new RoundSeeds(Buffer.alloc(32, 9), FAIRNESS_TOOLS).betHash(placed()), first[1]);
});
