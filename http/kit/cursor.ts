/**
 * Cursors: where the next page of a list begins, as text that clients hand back unread. They name a place in the list,
 * not a number of elements, so what is added meanwhile neither repeats nor hides any.
 */
import { invalid } from './refused.js';

export const BAD_CURSOR = invalid('cursor must be the nextCursor of an answer of this list, unchanged');

export function cursorText(list: string, ...place: readonly number[]): string {
  return Buffer.from(`${list} ${place.join(' ')}`, 'latin1').toString('base64url');
}

export function parseCursor(text: string | undefined, list: string, count: number): number[] | null {
  if (text === undefined) return null;
  const [, ...place] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const numbers = place.map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  const isCursor = numbers.length === count && !numbers.some(Number.isNaN);
  if (!isCursor || cursorText(list, ...numbers) !== text) throw BAD_CURSOR;
  return numbers;
}
