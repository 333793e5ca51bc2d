/** The arithmetic of docs/bots/concepts.md in BigInt, from published numbers alone, as a distrustful client computes it. */
import assert from 'node:assert/strict';
import type { Market } from './spec.js';

/** Fails for more than two decimals. */
export function cents(dollars: number): bigint {
  return scaled(dollars, 2);
}

/** `value` times 10^decimals; fails for more decimals. */
export function scaled(value: number, decimals: number): bigint {
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(decimals).split('.');
  const digits = BigInt(whole + fraction);
  assert.equal(Number(digits) / 10 ** decimals, Math.abs(value), `${value} has at most ${decimals} decimals`);
  return value < 0 ? -digits : digits;
}

/** totalPool / sidePool in 1e-4, rounded down. */
const oddsE4 = (total: bigint, side: bigint): bigint => (total * 10_000n) / side;

/** UP's share in hundredths of a percent, rounded half up. */
const percentUpE2 = (up: bigint, total: bigint): bigint => (up * 20_000n + total) / (2n * total);

export function checkMarketArithmetic(market: Market): void {
  const up = cents(market.poolUp);
  const down = cents(market.poolDown);
  assert.equal(cents(market.totalPool), up + down, `${market.id}: totalPool`);
  if (up + down === 0n) return;
  assert.equal(scaled(market.oddsUp, 4), oddsE4(up + down, up), `${market.id}: oddsUp`);
  assert.equal(scaled(market.oddsDown, 4), oddsE4(up + down, down), `${market.id}: oddsDown`);
  assert.equal(scaled(market.percentUp, 2), percentUpE2(up, up + down), `${market.id}: percentUp`);
  const percentDownE2 = 10_000n - scaled(market.percentUp, 2);
  assert.equal(scaled(market.percentDown, 2), percentDownE2, `${market.id}: percentDown`);
}
