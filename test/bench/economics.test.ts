/**
 * What the house earns, on a small scale: the four attacks that bled it while its seeds were fixed. Each wins beyond its
 * interval under the policy `fixed`, on the same rounds on which it must not under `fair`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../bench/client/random.js';
import { fairFlow, KNOWN_ATTACKS, RESTING } from '../../bench/economics/bettors.js';
import type { Strategy } from '../../bench/economics/market.js';
import { RestlessPath } from '../../bench/economics/prices.js';
import { type Figures, figuresOf, playAll, record, type Study } from '../../bench/economics/study.js';
import { must } from '../../engine/base/assert.js';

const STUDY: Study = {
  frame: 'ONE_MINUTE',
  rounds: 1_600,
  seed: 7,
  house: { policy: 'fair' },
};
const FIXED: Study = { ...STUDY, house: { policy: 'fixed' } };
const tapes = record(STUDY);

const figures = (study: Study, strategy: Strategy): Figures => figuresOf(playAll(study, tapes, strategy));
const shown = ({ profit, interval }: Figures): string => `${profit.toFixed(2)} ± ${interval.toFixed(2)}`;
const wins = ({ profit, interval }: Figures): boolean => profit + interval < 0;

for (const attack of KNOWN_ATTACKS) {
  test(`${attack.name}: wins where seeds are fixed, and does not where the house quotes`, () => {
    const fixed = figures(FIXED, attack);
    assert.ok(fixed.bets > 0 && wins(fixed), `the house's profit with fixed seeds is ${shown(fixed)}`);
    const fair = figures(STUDY, attack);
    assert.ok(!wins(fair), `the house's profit is ${shown(fair)}`);
  });
}

/** An order at each moment takes its time. */
const RESTING_ROUNDS = 400;
for (const resting of RESTING) {
  test(`${resting.name}: orders that rest are filled, and win nothing from a house that quotes`, () => {
    const fair = figuresOf(playAll(STUDY, tapes.slice(0, RESTING_ROUNDS), resting));
    assert.ok(fair.bets > 1 && !wins(fair), `the house's profit is ${shown(fair)}`);
  });
}

test('of a fair flow at most one order in a hundred is refused', () => {
  for (const flow of [20, 100, 500].map((bets) => fairFlow(bets, 7))) {
    const { refusedShare, bets } = figures(STUDY, flow);
    assert.ok(refusedShare <= 0.01 && bets > 19, `${flow.name}: ${refusedShare} are refused`);
  }
});

test('the same rounds give the same figures', () => {
  const attack = must(RESTING[1], 'an attack');
  const again = record({ ...STUDY, rounds: 50 });
  assert.deepEqual(again, tapes.slice(0, 50));
  assert.deepEqual(playAll(STUDY, again, attack), playAll(STUDY, tapes.slice(0, 50), attack));
});

test('probabilities of a path are those with which it ends above', () => {
  const leftTicks = 240;
  const path = new RestlessPath(3, 'BTC', 250);
  const bins = Array.from({ length: 5 }, () => ({ count: 0, expected: 0, variance: 0, above: 0 }));
  for (let i = 0; i < 6_000; i++) {
    const openPrice = path.next();
    for (let tick = 0; tick < leftTicks; tick++) path.next();
    const probability = path.probabilityUp(openPrice, leftTicks * 250);
    let last = openPrice;
    for (let tick = 0; tick < leftTicks; tick++) last = path.next();
    const bin = must(bins[Math.min(Math.floor(probability * 5), 4)], 'bin');
    bin.count++;
    bin.expected += probability;
    bin.variance += probability * (1 - probability);
    bin.above += last > openPrice ? 1 : last === openPrice ? 0.5 : 0;
  }
  for (const { count, expected, variance, above } of bins) {
    assert.ok(count > 300, `${count} rounds`);
    const deviations = (above - expected) / Math.sqrt(variance);
    assert.ok(Math.abs(deviations) < 4, `${above} of ${count} end above, ${expected} were expected`);
  }
});

test('an interval is that of the means of batches', () => {
  const result = (houseCents: number) => ({ houseCents, stakedCents: 1_00, bets: 1, refused: 0 });
  const alternating = figuresOf(Array.from({ length: 400 }, (_, i) => result(i % 2 === 0 ? 1_00 : -1_00)));
  assert.deepEqual([alternating.profit, alternating.interval], [0, 0], 'each batch has as many of both');
  const clustered = figuresOf(
    Array.from({ length: 400 }, (_, i) => result(Math.floor(i / 10) % 2 === 0 ? 1_00 : -1_00)),
  );
  const expected = 2.023 * Math.sqrt(40 / 39 / 40);
  assert.ok(Math.abs(clustered.interval - expected) < 1e-9, `${clustered.interval}, expected ${expected}`);
});

test('random numbers are the same for a seed and a name, and normal where they should be', () => {
  const draw = (seed: number, name: string): number[] => {
    const random = new Random(seed, name);
    return Array.from({ length: 5 }, () => random.next());
  };
  assert.deepEqual(draw(1, 'a'), draw(1, 'a'));
  assert.notDeepEqual(draw(1, 'a'), draw(2, 'a'));
  assert.notDeepEqual(draw(1, 'a'), draw(1, 'b'));
  const random = new Random(1, 'normal');
  const values = Array.from({ length: 100_000 }, () => random.normal());
  const moment = (power: number): number => values.reduce((sum, x) => sum + x ** power, 0) / values.length;
  assert.ok(Math.abs(moment(1)) < 0.02 && Math.abs(moment(2) - 1) < 0.03 && Math.abs(moment(4) - 3) < 0.15);
});
