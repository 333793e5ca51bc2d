/** Lists of an account's bets, on the engine's thread. */
import type { Engine } from '../../engine/engine.js';
import { cursorOf, readCursor } from '../link/list-cursor.js';
import type { BetsReply } from '../link/orders.js';
import type { ListFields } from '../link/questions.js';

export function listOf(engine: Engine, account: number, list: ListFields): BetsReply {
  if (list.isByChange) {
    const { bets, next, rest } = engine.changesPage(account, list.limit);
    return { bets, next: cursorOf(next, rest) };
  }
  const { from, rest } = readCursor(list.cursor);
  const { bets, next } = engine.betsPage(account, { ...list, from, rest });
  return { bets, next: cursorOf(next, rest) };
}
