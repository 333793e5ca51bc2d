/** Lists, answers and roots take each bet's own hash, whichever bets came before, and whichever thread made it. */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { BetHashes, betHashesMemory, HASHES_KEPT } from '../../crypto/bet-hashes.js';
import { FAIRNESS_TOOLS } from '../../crypto/fairness-tools.js';
import { RoundSeeds } from '../../engine/fairness.js';

const TERMS = { stakeCents: 1_250, oddsE4: 19_876, entryPercentE2: 5_031, payoutCents: 2_410 };
const betOf = (bet: number) => ({
  ...{ bet, market: 0, roundNumber: 29_333_333, side: 1, clientSeed: 'dé', timeMs: 1_760_000_000_000 },
  ...TERMS,
});

test('a hash is that of the bet, also where bets share a place, and is made once while it is kept', () => {
  let hashed = 0;
  const seedsWith = (onHash: () => void): RoundSeeds =>
    new RoundSeeds(Buffer.alloc(32, 7), {
      ...FAIRNESS_TOOLS,
      sha256: (data) => {
        onHash();
        return FAIRNESS_TOOLS.sha256(data);
      },
      sha256Into: (data, into, at) => {
        onHash();
        FAIRNESS_TOOLS.sha256Into(data, into, at);
      },
    });
  const plain = seedsWith(() => undefined);
  const counting = seedsWith(() => {
    hashed += 1;
  });
  const memory = betHashesMemory();
  const [one, other] = [new BetHashes(counting, memory), new BetHashes(counting, memory)];
  const expect = (bet: number, total: number): void => {
    const bytes = new Uint8Array(32);
    other.into(betOf(bet), bytes);
    equal(Buffer.from(bytes).toString('hex'), plain.betHash(betOf(bet)));
    equal(one.of(betOf(bet)), plain.betHash(betOf(bet)));
    equal(other.of(betOf(bet)), plain.betHash(betOf(bet)));
    equal(hashed, total);
  };
  // The first time, `into` makes one that it does not keep.
  for (const [bet, total] of [
    [1, 2],
    [2, 4],
    [1, 4],
    [2, 4],
  ] as const)
    expect(bet, total);
  for (const [bet, total] of [
    [1 + HASHES_KEPT, 6],
    [1, 8],
    [2 ** 32, 11],
    [2 ** 32 - 1, 14],
  ] as const)
    expect(bet, total);
});
