/**
 * Searches among what is numbered from 1: accounts, keys. Each slice of a turn looks at so many, whatever it finds, and a
 * page at so many altogether: it may have fewer than asked for, even none, and says where to go on.
 */
import type { Searched, Slice } from '../../kit/search-query.js';
import type { After } from './reply.js';

/** Looked at in one turn: as many as a page has unless more are asked for, so that a usual page shows one moment. */
export const SLICE_ROWS = 100;
/** Looked at for one page. */
export const PAGE_ROWS_MAX = 100_000;

/** `look` gives what is shown of a number, or null; `pack` makes one slice of several; `seq` tells what to wait for. */
export function* search<T, F>(
  { after, limit }: Searched,
  count: number,
  look: (number: number) => T | null,
  pack: (found: readonly T[]) => F,
  seq: () => After,
): Generator<Slice<F> | null, After, void> {
  const end = Math.min(count, after + PAGE_ROWS_MAX);
  let left = limit;
  for (let number = after + 1; number <= end && left > 0; ) {
    const found: T[] = [];
    const sliceEnd = Math.min(number + SLICE_ROWS, end + 1);
    for (; number < sliceEnd && found.length < left; number++) {
      const one = look(number);
      if (one !== null) found.push(one);
    }
    left -= found.length;
    const isLast = left === 0 || number > end;
    const next = isLast && number <= count ? number - 1 : null;
    yield found.length === 0 && next === null ? null : { found: pack(found), next };
  }
  return seq();
}
