/**
 * Cursors between the pages of a list of bets, as numbers: a place, and the bets that a first page in the order of
 * changes has shown.
 */
import type { BetsPlace, Listed } from '../../engine/model/bet-pages.js';

const PLACE_NUMBERS = 3;

/** No numbers: there is no further page. */
export function cursorOf(next: BetsPlace | null, rest: Listed | null): readonly number[] {
  if (next === null) return [];
  const place = [next.beforeBet, next.nearBet, next.nearRow];
  if (rest === null) return place;
  return [...place, rest.seq, rest.openDownTo, rest.settledDownTo, ...rest.last];
}

/** `from` is null to begin with the newest. */
export function readCursor(cursor: readonly number[]) {
  const [beforeBet = 0, nearBet = 0, nearRow = 0, seq = 0, openDownTo = 0, settledDownTo = 0, ...last] =
    cursor;
  return {
    from: cursor.length === 0 ? null : { beforeBet, nearBet, nearRow },
    rest: cursor.length <= PLACE_NUMBERS ? null : { seq, openDownTo, settledDownTo, last },
  };
}
