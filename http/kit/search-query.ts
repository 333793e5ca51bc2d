/** Queries and cursors of lists that are searched by number, in slices: `limit` and `cursor`. */
import { cursorText, parseCursor } from './cursor.js';
import { parseLimit } from './params.js';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

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
  const limit = parseLimit(given.get('limit'), LIMIT_DEFAULT, LIMIT_MAX);
  const place = parseCursor(given.get('cursor'), list, 1);
  return { after: place?.[0] ?? 0, limit };
}

export function nextOf(slices: readonly Slice<unknown>[], list: string): string | null {
  const next = slices.at(-1)?.next ?? null;
  return next === null ? null : cursorText(list, next);
}
