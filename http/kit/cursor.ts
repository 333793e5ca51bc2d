/**
 * Cursors: where the next page of a list begins, as text that clients hand back unread. They name a place in the list,
 * not a number of elements, so what is added meanwhile neither repeats nor hides any. A cursor is numbers in base 36:
 * the mark of its list, then the place. It carries all that the next page needs, so the server keeps nothing for it.
 */
import { createHash } from 'node:crypto';
import { type Given, parseLimit } from './params.js';
import { invalid } from './refused.js';

const SEARCH_LIMIT_DEFAULT = 100;
const SEARCH_LIMIT_MAX = 1_000;

export const BAD_CURSOR = invalid(
  'cursor must be the nextCursor of a page of this list, with the same filters',
);

const NUMBER = /^(0|[1-9a-z][0-9a-z]{0,10})$/;

type Filters = Readonly<Record<string, string | number | boolean | null>>;

/**
 * 32 bits, of a list and its filters: under others a place would lead on without a word, past entries that no page has
 * shown.
 */
export function markOf(list: string, filters: Filters): number {
  return createHash('sha256')
    .update(JSON.stringify([list, filters]))
    .digest()
    .readUInt32LE();
}

/** `place` is whole numbers from 0 on. */
export const cursorText = (mark: number, ...place: readonly number[]): string =>
  [mark, ...place].map((number) => number.toString(36)).join('-');

/** The place in a cursor of the list with this mark. Throws `BAD_CURSOR` for any other text. */
export function parseCursor(
  text: string,
  mark: number,
  countMin: number,
  countMax: number,
): readonly number[] {
  const [given, ...place] = text
    .split('-')
    .map((part) => (NUMBER.test(part) ? Number.parseInt(part, 36) : Number.NaN));
  const isPlace = place.length >= countMin && place.length <= countMax && place.every(Number.isSafeInteger);
  if (given !== mark || !isPlace) throw BAD_CURSOR;
  return place;
}

/** null for the first page. */
export function placeIn(given: Given, mark: number, count: number): readonly number[] | null {
  const text = given.get('cursor');
  return text === undefined ? null : parseCursor(text, mark, count, count);
}

/** A page of a list that is searched by number, in slices. */
export type Searched = Readonly<ReturnType<typeof searchOf>>;

export interface Slice<T> {
  readonly found: readonly T[];
  /** The last number looked at, in the last slice of a page that may not be the last; else null. */
  readonly next: number | null;
}

export function searchOf(mark: number, given: Given) {
  const limit = parseLimit(given.get('limit'), SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX);
  const place = placeIn(given, mark, 1);
  return { after: place?.[0] ?? 0, limit };
}

export function nextOf(slices: readonly Slice<unknown>[], mark: number): string | null {
  const next = slices.at(-1)?.next ?? null;
  return next === null ? null : cursorText(mark, next);
}
