/**
 * The house's quote: the split of its seeds, the bound of a round's debts, and both as a bettor sees them. The
 * arithmetic is held to the reference model's over the whole range of amounts.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { must } from '../../../engine/base/assert.js';
import { AMOUNT_CENTS_MAX, mulDivCeil, percentUpE2 } from '../../../engine/base/money.js';
import { DOWN, SIDES, UP, WHOLE_E6 } from '../../../engine/model/domain.js';
import { availableCents, type ExposedRound, edgeCents } from '../../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../../engine/quotes/split.js';
import { fairHouse } from '../../support/engine/house-rules.js';
import { forAll, forMany } from '../../support/for-all.js';
import { type BetWish, BTC_1M, Exchange } from '../../support/reference/exchange.js';
import { edgeOf, offeredShareE6 } from '../../support/reference/quotes.js';

const cents = fc.oneof(
  fc.nat(10_000_00),
  fc.maxSafeNat().map((nat) => nat % (AMOUNT_CENTS_MAX / 8)),
);
const share = fc.nat(WHOLE_E6);

const anyRound: fc.Arbitrary<ExposedRound> = fc
  .record({
    stakesUpCents: cents,
    stakesDownCents: cents,
    owedShare: fc.tuple(share, share),
    seedCents: fc.oneof(fc.constantFrom(1, 2, 1_000_00), fc.integer({ min: 1, max: AMOUNT_CENTS_MAX / 8 })),
    seedUpShare: share,
    edgeCents: fc.oneof(fc.constant(0), cents),
    shadeE6: fc.constantFrom(0, 1, 100_000, 250_000, WHOLE_E6),
    clampE6: fc.constantFrom(0, 20_000),
  })
  .map(({ stakesUpCents, stakesDownCents, owedShare, seedCents, seedUpShare, edgeCents: edge, ...rule }) => {
    const seedUpCents = Math.min(
      Math.max(Math.floor(2 * seedCents * (seedUpShare / WHOLE_E6)), 1),
      2 * seedCents - 1,
    );
    const totalCents = stakesUpCents + stakesDownCents + 2 * seedCents;
    const [payoutUpCents, payoutDownCents] = owedShare.map((part) =>
      Math.floor(totalCents * (part / WHOLE_E6)),
    );
    return {
      poolUpCents: stakesUpCents + seedUpCents,
      poolDownCents: stakesDownCents + 2 * seedCents - seedUpCents,
      payoutUpCents: must(payoutUpCents, 'payout'),
      payoutDownCents: must(payoutDownCents, 'payout'),
      seedCents,
      quote: { ...rule, seedUpCents, edgeCents: edge },
      feeBps: 300,
      minStakeCents: 1_00,
      maxStakeCents: 10_000_00,
    };
  });

test('the split keeps the total and a cent of seeds on each side, and does not depend on the last one', () => {
  forAll(anyRound, share, share, (round, fairShareE6, otherShareE6) => {
    const upCents = quotedUpCents(round, fairShareE6);
    const quote = must(round.quote, 'quote');
    const stakesUpCents = round.poolUpCents - quote.seedUpCents;
    ok(upCents >= stakesUpCents + 1 && upCents < stakesUpCents + 2 * round.seedCents);
    const otherCents = quotedUpCents(round, otherShareE6);
    const moved: ExposedRound = {
      ...round,
      poolUpCents: otherCents,
      poolDownCents: round.poolDownCents + round.poolUpCents - otherCents,
      quote: { ...quote, seedUpCents: quote.seedUpCents + otherCents - round.poolUpCents },
    };
    equal(quotedUpCents(moved, fairShareE6), upCents);
  });
});

test('a higher fair share never offers UP at a lower one, nor does owing more on UP', () => {
  forAll(anyRound, share, share, cents, (round, oneE6, otherE6, moreCents) => {
    const [low, high] = [Math.min(oneE6, otherE6), Math.max(oneE6, otherE6)];
    ok(quotedUpCents(round, low) <= quotedUpCents(round, high));
    const owing = { ...round, payoutUpCents: round.payoutUpCents + moreCents };
    ok(quotedUpCents(round, low) <= quotedUpCents(owing, low));
  });
});

test('the seeds reach the shaded and clamped share to the cent, or stop at their end', () => {
  forAll(anyRound, share, (round, fairShareE6) => {
    const { shadeE6, clampE6, seedUpCents, edgeCents: edge } = must(round.quote, 'quote');
    const seedsCents = BigInt(2 * round.seedCents);
    const total = BigInt(round.poolUpCents + round.poolDownCents);
    const target = offeredShareE6({
      fairShareE6,
      owedUp: BigInt(round.payoutUpCents),
      owedDown: BigInt(round.payoutDownCents),
      edge: BigInt(edge),
      feeBps: round.feeBps,
      house: { seedCents: round.seedCents, shadeE6, clampE6 },
    });
    const upCents = BigInt(quotedUpCents(round, fairShareE6));
    const seeds = upCents - BigInt(round.poolUpCents - seedUpCents);
    const isAtMost = upCents * BigInt(WHOLE_E6) <= target * total;
    const isNearest = (upCents + 1n) * BigInt(WHOLE_E6) > target * total;
    ok((isAtMost || seeds === 1n) && (isNearest || seeds === seedsCents - 1n));
  });
});

test('quotients rounded up and edges are exact over the whole range', () => {
  forAll(cents, share, (amountCents, shareE6) => {
    const product = BigInt(amountCents) * BigInt(shareE6);
    equal(BigInt(mulDivCeil(amountCents, shareE6, WHOLE_E6)), (product + 999_999n) / 1_000_000n);
    for (const side of [UP, DOWN])
      equal(BigInt(edgeCents(side, 5_00, amountCents, shareE6)), edgeOf(side, 5_00, amountCents, shareE6));
  });
});

function quoting(house = fairHouse()) {
  const { exchange, account } = Exchange.withAccount('VIP', 1_000_000_00, { market: { house } });
  return { exchange, account, bet: (wish: Partial<BetWish>) => exchange.betOutcome({ account, ...wish }) };
}

const roundOf = (exchange: Exchange) => must(exchange.reads.currentRound(BTC_1M), 'round');

test('a bet gets the odds of the fair share less the fee on both sides, whatever the bet before it found', () => {
  const { exchange, account } = quoting(fairHouse({ shadeE6: 0 }));
  const late = { account, side: 'UP', stakeCents: 1_00, fairShareE6: 900_000 } as const;
  // 0.5 + 0.97 * 0.4: 1,776 of the 2,000 USD of seeds are on UP now.
  const up = exchange.placed(late);
  deepEqual([up.entryPercentE2, up.oddsE4, up.payoutCents], [88_81, 11_260, 1_09]);
  const down = exchange.placed({ ...late, side: 'DOWN', fairShareE6: 100_000 });
  deepEqual([down.entryPercentE2, down.oddsE4], [88_81, 11_260]);
  deepEqual([roundOf(exchange).poolUpCents + roundOf(exchange).poolDownCents], [2_002_00]);
});

test('the side to which more is owed is offered at a higher share', () => {
  const { exchange, account } = quoting(fairHouse({ shadeE6: 100_000 }));
  const stake = { account, side: 'UP', stakeCents: 100_00, fairShareE6: 500_000 } as const;
  const { payoutCents } = exchange.placed(stake);
  const upCents = quotedUpCents(roundOf(exchange), 500_000);
  // A tenth of a share for each 2,000 USD that is owed more.
  equal(percentUpE2(upCents, 2_100_00), 50_00 + Math.round(payoutCents / 10 / 20));
});

test('the other side is offered no cheaper than the edge of the round bears', () => {
  const { exchange, account, bet } = quoting(fairHouse({ shadeE6: WHOLE_E6 }));
  exchange.placed({ account, side: 'UP', stakeCents: 100_00, fairShareE6: 500_000 });
  const { poolUpCents, poolDownCents, quote } = roundOf(exchange);
  const edge = must(quote, 'quote').edgeCents;
  const downCents = poolUpCents + poolDownCents - quotedUpCents(roundOf(exchange), 500_000);
  const least = (0.97 * 0.5 * 1_100_00) / (1_100_00 + edge);
  ok(edge > 0 && Math.abs(downCents / 2_100_00 - least) < 1e-5);
  equal(bet({ side: 'DOWN', stakeCents: 1_100_00, fairShareE6: 500_000 }), 'accepted');
});

test('expectedPercent is held against the share that is offered to this order', () => {
  const { bet } = quoting();
  const late = { side: 'UP', fairShareE6: 900_000 } as const;
  equal(bet({ ...late, expectedPercentE6: 75_000_000 }), 'accepted');
  equal(bet({ ...late, expectedPercentE6: 50_000_000 }), 'odds_changed');
  equal(bet({ fairShareE6: 640_000, expectedPercentE6: 50_000_000 }), 'accepted');
});

test('without a fresh price there is no quote and no bet, but a placed one is answered again', () => {
  const { exchange, bet } = quoting();
  equal(bet({ fairShareE6: 500_000, key: 1 }), 'accepted');
  equal(quotedUpCents(roundOf(exchange), -1), roundOf(exchange).poolUpCents, 'shown as it stands');
  deepEqual([bet({ fairShareE6: -1 }), bet({ fairShareE6: -1, key: 1 })], ['stale_price', 'replayed']);
  equal(bet({ fairShareE6: -1, stakeCents: 0 }), 'stale_price', 'before the stake is looked at');
});

test('what is available is taken, and two cents more are not', () => {
  const { exchange, account, bet } = quoting();
  // One side is bought far beyond the reach of the seeds, and the other for the excess.
  equal(bet({ side: 'UP', stakeCents: 10_000_00, fairShareE6: 500_000 }), 'accepted');
  const wish = { account, side: 'DOWN', fairShareE6: 500_000 } as const;
  while (bet({ ...wish, stakeCents: 400_00 }) === 'accepted');
  const stakeCents = availableCents(roundOf(exchange), DOWN, 500_000);
  ok(stakeCents >= 1_00 && stakeCents < 400_00);
  const leastOf = (minStakeCents: number) =>
    availableCents({ ...roundOf(exchange), minStakeCents }, DOWN, 500_000);
  deepEqual([leastOf(stakeCents), leastOf(stakeCents + 1)], [stakeCents, 0]);
  const refused = exchange.bet({ ...wish, stakeCents: stakeCents + 2 });
  ok(refused.status === 'rejected' && refused.code === 'round_exposure_limit');
  equal(refused.detail.split('; ')[1], `up to ${stakeCents / 100} USD can be bet on DOWN now`);
  equal(bet({ ...wish, stakeCents }), 'accepted');
});

test('without a fee, a side at just its fair share bears any stake', () => {
  const house = fairHouse({ shadeE6: 0, clampE6: 0 });
  const round = roundOf(Exchange.opened({ market: { house }, rules: { feeBps: 0 } }));
  // A whole number of cents of the 2,000 USD.
  for (let shareE6 = 0; shareE6 < WHOLE_E6; shareE6 += 35) {
    equal(availableCents(round, UP, shareE6), 10_000_00);
    equal(availableCents(round, DOWN, WHOLE_E6 - shareE6), 10_000_00);
  }
});

test('what is available is taken, wherever a round stands', () => {
  const stakes = fc.integer({ min: 1_00, max: 5_000_00 });
  const wish = fc.record({ side: fc.constantFrom('UP', 'DOWN'), stakeCents: stakes, fairShareE6: share });
  forMany({ numRuns: 60 }, fc.array(wish, { maxLength: 30, size: 'max' }), share, (wishes, fairShareE6) => {
    const { exchange, bet } = quoting(fairHouse({ seedCents: 100_00 }));
    for (const one of wishes) bet(one);
    for (const [index, side] of SIDES.entries()) {
      const stakeCents = availableCents(roundOf(exchange), index, fairShareE6);
      if (stakeCents > 0) equal(bet({ side, stakeCents, fairShareE6 }), 'accepted');
    }
  });
});
