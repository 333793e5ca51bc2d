/** The walk behind simulated prices: only its key foretells them. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { readConfig } from '../../config/config.js';
import { resolveSetup } from '../../config/setup.js';
import { chooseFeed } from '../../feeds/choose-feed.js';
import { MarketHours } from '../../feeds/market-hours.js';
import { RandomWalk, WALK_STEPS_MAX } from '../../feeds/random-walk.js';

const NOON_MS = Date.UTC(2026, 5, 10, 12);

function priceAt(masterSecret: Uint8Array): number {
  const prices: number[] = [];
  const { config } = resolveSetup(readConfig({}), null);
  const clock = { nowMs: () => NOON_MS, monotonicMs: () => 0 };
  const given = { hours: new MarketHours(), log: { write: () => undefined }, feedBefore: () => null };
  const { feed } = chooseFeed(config, { ...given, masterSecret, fromMs: NOON_MS, clock });
  feed.start(({ asset, price }) => {
    if (asset === 0) prices.push(price);
    return { taken: true };
  });
  feed.poll(NOON_MS);
  return prices.at(-1) ?? Number.NaN;
}

const secretWithBit = (bit: number): Buffer => {
  const secret = Buffer.alloc(32, 0xa5);
  secret.writeUInt8(secret.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return secret;
};

test('every bit of the secret affects the price: none of 256 neighbours has the same', () => {
  const prices = Array.from({ length: 256 }, (_, bit) => priceAt(secretWithBit(bit)));
  assert.ok(prices.every((price) => price > 0));
  assert.ok(new Set(prices).size >= 255, 'but for one pair at most, within a cent by chance');
  assert.equal(priceAt(secretWithBit(0)), prices[0], 'the same secret gives the same price');
});

/** The construction by the letter: the whole descent for each step, nothing remembered. */
function heightOf(key: Uint8Array, name: string, step: number): number {
  const normal = (place: number): number => {
    const digest = createHmac('sha256', key).update(`${name} ${place}`).digest();
    const [a, b] = [digest.readUIntBE(0, 6) / 2 ** 48, digest.readUIntBE(6, 6) / 2 ** 48];
    return Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
  };
  const side = step < 0 ? -1 : 1;
  const bridge = (low: number, lowHeight: number, high: number, highHeight: number): number => {
    if (Math.abs(step) === low) return lowHeight;
    if (Math.abs(step) === high) return highHeight;
    const middle = (low + high) / 2;
    const height = (lowHeight + highHeight) / 2 + Math.sqrt((high - low) / 4) * normal(side * middle);
    return Math.abs(step) < middle
      ? bridge(low, lowHeight, middle, height)
      : bridge(middle, height, high, highHeight);
  };
  return bridge(0, 0, WALK_STEPS_MAX, 2 ** 20 * normal(side * WALK_STEPS_MAX));
}

test('heights do not depend on earlier reads, on either side of the origin', () => {
  const key = Buffer.alloc(32, 3);
  const walk = new RandomWalk(key, 'BTC');
  const steps = [5, 6, 7, 8, 1_000_000, 7, 0, -7, -1, 1, 2 ** 39, 2 ** 40, 12_345_678_901, -(2 ** 40), 6];
  for (const step of steps) assert.equal(walk.at(step), heightOf(key, 'BTC', step), String(step));
  assert.notEqual(new RandomWalk(key, 'ETH').at(5), walk.at(5), 'each name has its own');
});
