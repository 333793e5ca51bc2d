/**
 * Sorts the retained bets by number. Freed rows are reused, so rows are in no order; by number, the lists of accounts
 * and rounds can be linked in one pass.
 */
import type { BetTable } from '../state/bets.js';

/** So few that their counts cost little beside a handful of bets: a digest of a small state is taken often. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Ascending by bet number. A radix sort keeps millions of bets fast. */
export function rowsByBet(bets: BetTable): Uint32Array {
  let rows = new Uint32Array(bets.retainedCount);
  let numbers = new Float64Array(bets.retainedCount);
  let count = 0;
  for (let row = 1; row < bets.rowsEnd; row += 1) {
    const bet = bets.chunk(row).bet.at(bets.index(row));
    if (bet === 0) continue;
    rows[count] = row;
    numbers[count] = bet;
    count += 1;
  }
  for (let unit = 1; unit <= bets.placedCount; unit *= DIGITS) {
    const starts = digitStarts(numbers, unit);
    const sortedRows = new Uint32Array(count);
    const sortedNumbers = new Float64Array(count);
    for (let at = 0; at < count; at += 1) {
      const number = numbers[at] as number;
      const digit = digitOf(number, unit);
      const place = starts[digit] as number;
      starts[digit] = place + 1;
      sortedRows[place] = rows[at] as number;
      sortedNumbers[place] = number;
    }
    rows = sortedRows;
    numbers = sortedNumbers;
  }
  return rows;
}

/** Start of each digit's range in the sorted order. */
function digitStarts(numbers: Float64Array, unit: number): Uint32Array {
  const starts = new Uint32Array(DIGITS + 1);
  for (const number of numbers) {
    const after = digitOf(number, unit) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let digit = 1; digit <= DIGITS; digit += 1) {
    starts[digit] = (starts[digit] as number) + (starts[digit - 1] as number);
  }
  return starts;
}

const digitOf = (number: number, unit: number): number => Math.floor(number / unit) % DIGITS;
