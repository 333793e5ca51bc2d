/** The arithmetic of docs/bots/concepts.md from published numbers alone, as a distrustful client computes it. */
import assert from 'node:assert/strict';
import { referenceOddsE4, referencePercentE2 } from '../reference/arithmetic.js';
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

export function checkMarketArithmetic(market: Market): void {
  const [up, down] = [Number(cents(market.poolUp)), Number(cents(market.poolDown))];
  const is = (
    field: 'oddsUp' | 'oddsDown' | 'percentUp' | 'percentDown',
    decimals: number,
    expected: number,
  ) => assert.equal(Number(scaled(market[field], decimals)), expected, `${market.id}: ${field}`);
  assert.equal(Number(cents(market.totalPool)), up + down, `${market.id}: totalPool`);
  if (up + down === 0) return;
  is('oddsUp', 4, referenceOddsE4(up + down, up));
  is('oddsDown', 4, referenceOddsE4(up + down, down));
  is('percentUp', 2, referencePercentE2(0, up, down));
  is('percentDown', 2, referencePercentE2(1, up, down));
}
