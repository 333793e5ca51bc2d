/**
 * Integers as decimal text. Every order prints some fifteen, mostly different ones, and V8 is slow at printing
 * integers above 2^30, which it holds as doubles. Joining precomputed groups of four digits is faster.
 */
import { assert } from './assert.js';

const GROUP = 10_000;
const FIRST: readonly string[] = Array.from({ length: GROUP }, (_, n) => `${n}`);
const NEXT: readonly string[] = FIRST.map((text) => text.padStart(4, '0'));

const EIGHT_DIGITS = GROUP * GROUP;

export function integerText(value: number): string {
  if (value < GROUP) return FIRST[value] ?? refuse();
  if (value < EIGHT_DIGITS) return groups(value, FIRST);
  const high = Math.floor(value / EIGHT_DIGITS);
  const low = groups(value - high * EIGHT_DIGITS, NEXT);
  return integerText(high) + low;
}

/** For integers below 10^8. Dividing 32-bit integers is faster than dividing doubles. */
function groups(value: number, first: readonly string[]): string {
  const word = value | 0;
  if (word !== value) refuse();
  const high = (word / GROUP) | 0;
  return (first[high] ?? refuse()) + (NEXT[word - high * GROUP] ?? refuse());
}

function refuse(): never {
  assert(false, 'integerText takes integers from 0 on');
}
