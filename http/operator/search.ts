/** Queries and cursors of lists that the engine's thread searches (`desk/search.ts`). */
import { parseAccountId } from '../../engine/model/domain.js';
import { cursorText, parseCursor } from '../kit/cursor.js';
import { parseLimit } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import type { Searched, Slice } from './desk/search.js';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

type Given = ReadonlyMap<string, string>;

/** `limit` and `cursor`; `list` is the list's name in its cursors. */
export function searchOf(given: Given, list: string): Searched | Refused {
  const limit = parseLimit(given.get('limit'), LIMIT_DEFAULT, LIMIT_MAX);
  if (limit instanceof Refused) return limit;
  const place = parseCursor(given.get('cursor'), list, 1);
  if (place instanceof Refused) return place;
  return { after: place?.[0] ?? 0, limit };
}

/** Where the next page begins. */
export function nextOf(slices: readonly Slice<unknown>[], list: string): string | null {
  const next = slices.at(-1)?.next ?? null;
  return next === null ? null : cursorText(list, next);
}

/** `accountId`; null if there is none. */
export function parseOptionalAccount(given: Given): number | null | Refused {
  const id = given.get('accountId');
  if (id === undefined) return null;
  const account = parseAccountId(id);
  return account === 0 ? invalid('accountId must be the id of an account') : account;
}
