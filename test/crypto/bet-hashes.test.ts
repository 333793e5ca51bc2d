/** Lists, answers and roots take each bet's own hash, whichever bets came before, and whichever thread made it. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BetHashes, betHashesMemory, HASHES_KEPT } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/hashes.js';
import { RoundSeeds } from '../../engine/fairness.js';

const TERMS = { stakeCents: 1_250, oddsE4: 19_876, entryPercentE2: 5_031, payoutCents: 2_410 };
const betOf = (bet: number) => ({
  ...{ bet, market: 0, roundNumber: 29_333_333, side: 1, clientSeed: 'dé', timeMs: 1_760_000_000_000 },
  ...TERMS,
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
    const bet = betOf(number);
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
