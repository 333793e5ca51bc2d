/**
 * Cursors: where the next page of a list begins, as text that clients hand back unread. They name a place in the list,
 * not a number of elements, so what is added meanwhile neither repeats nor hides any.
 */
import { parseLimit } from './params.js';
import { invalid } from './refused.js';

const SEARCH_LIMIT_DEFAULT = 100;
const SEARCH_LIMIT_MAX = 1_000;

export const BAD_CURSOR = invalid(
  'cursor must be the nextCursor of a page of this list, with the same filters',
);

/** The list with its filters, as they were given: under others its cursor is refused. */
export function filtered(list: string, given: ReadonlyMap<string, string>): string {
  const filters = [...given].filter(([name]) => name !== 'cursor' && name !== 'limit').sort();
  return [list, ...filters.flat()].map(encodeURIComponent).join('/');
}

/** No space in `list`. */
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

/** A page of a list that is searched by number, in slices. */
export interface Searched {
  readonly after: number;
  readonly limit: number;
}

export interface Slice<T> {
  readonly found: readonly T[];
  /** The last number looked at, in the last slice of a page that may not be the last; else null. */
  readonly next: number | null;
}

export function searchOf(given: ReadonlyMap<string, string>, list: string): Searched {
  const limit = parseLimit(given.get('limit'), SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX);
  const place = parseCursor(given.get('cursor'), list, 1);
  return { after: place?.[0] ?? 0, limit };
}

export function nextOf(slices: readonly Slice<unknown>[], list: string): string | null {
  const next = slices.at(-1)?.next ?? null;
  return next === null ? null : cursorText(list, next);
}
