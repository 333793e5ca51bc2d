/**
 * Conversion between snapshot cells and the engine's values. Storage may have damaged a cell, so a value of the wrong
 * type or range is an assertion failure.
 */
import { assert, fail } from '../base/assert.js';
import type { Cell } from './form.js';

type Read = Cell | undefined;

export function integerOf(cell: Read): number {
  if (typeof cell !== 'number' || !Number.isSafeInteger(cell)) fail(`${cell} is not an integer`);
  return cell;
}

/** An integer from 0 on. */
export function countOf(cell: Read): number {
  const count = integerOf(cell);
  if (count < 0) fail(`${cell} is below 0`);
  return count;
}

export function integerOrNullOf(cell: Read): number | null {
  return cell === null ? null : integerOf(cell);
}

export function flagOf(cell: Read): boolean {
  assert(cell === 0 || cell === 1, `${cell} is neither 0 nor 1`);
  return cell === 1;
}
export const flagCell = (flag: boolean): number => (flag ? 1 : 0);

export function priceOf(cell: Read): number {
  if (typeof cell !== 'number' || !(cell > 0)) fail(`${cell} is not a price`);
  return cell;
}

export function priceOrNullOf(cell: Read): number | null {
  return cell === null ? null : priceOf(cell);
}

/**
 * Encodes text for UTF-8. A lone surrogate, which JSON can put into a name or a seed, becomes `\udXXX`, and a
 * backslash two.
 */
export function textCell(text: string): string {
  return text.replace(/\\|\p{Surrogate}/gu, (found) =>
    found === '\\' ? '\\\\' : `\\u${found.charCodeAt(0).toString(16)}`,
  );
}
export const textOrNullCell = (text: string | null): string | null => (text === null ? null : textCell(text));

export function textOf(cell: Read): string {
  if (typeof cell !== 'string') fail(`${cell} is not a text`);
  if (!cell.includes('\\')) return cell;
  return cell.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (_, half: string | undefined) =>
    half === undefined ? '\\' : String.fromCharCode(Number.parseInt(half, 16)),
  );
}

export function textOrNullOf(cell: Read): string | null {
  return cell === null ? null : textOf(cell);
}

/** Reads a name in `list` as its index. */
export function enumReader(list: readonly string[]): (cell: Read) => number {
  const indexes = new Map<Read, number>(list.map((word, index) => [word, index]));
  return (cell) => indexes.get(cell) ?? fail(`${cell} is not one of ${list.slice(0, 5).join(', ')}`);
}
