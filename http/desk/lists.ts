/** Lists of an account's bets, on the engine's thread: pages, and the cursors between them as numbers. */
import type { Engine } from '../../engine/engine.js';
import type { BetsPlace, Listed } from '../../engine/model/bet-pages.js';
import type { BetsReply } from '../rings/replies.js';
import type { ListFacts } from '../rings/requests.js';

/** A cursor has a place, and what a first page in the order of changes has shown. */
const PLACE_NUMBERS = 3;

export function listOf(engine: Engine, account: number, list: ListFacts): BetsReply {
  if (list.isByChange) {
    const { bets, next, rest } = engine.changesPage(account, list.limit);
    return { bets, next: cursorOf(next, rest) };
  }
  const { from, rest } = readCursor(list.cursor);
  const { bets, next } = engine.betsPage(account, { ...list, from, rest });
  return { bets, next: cursorOf(next, rest) };
}

function cursorOf(next: BetsPlace | null, rest: Listed | null): readonly number[] {
  if (next === null) return [];
  const place = [next.beforeBet, next.nearBet, next.nearRow];
  if (rest === null) return place;
  return [...place, rest.seq, rest.openDownTo, rest.settledDownTo, ...rest.last];
}

function readCursor(cursor: readonly number[]): { from: BetsPlace | null; rest: Listed | null } {
  const [beforeBet = 0, nearBet = 0, nearRow = 0, seq = 0, openDownTo = 0, settledDownTo = 0, ...last] =
    cursor;
  return {
    from: cursor.length === 0 ? null : { beforeBet, nearBet, nearRow },
    rest: cursor.length <= PLACE_NUMBERS ? null : { seq, openDownTo, settledDownTo, last },
  };
}
