/** Lists of an account's bets, on the engine's thread. */
import type { Engine } from '../../engine/engine.js';
import { cursorOf, readCursor } from '../rings/list-cursor.js';
import type { ListFields } from '../rings/questions.js';
import type { BetsReply } from '../rings/replies.js';

export function listOf(engine: Engine, account: number, list: ListFields): BetsReply {
  if (list.isByChange) {
    const { bets, next, rest } = engine.changesPage(account, list.limit);
    return { bets, next: cursorOf(next, rest) };
  }
  const { from, rest } = readCursor(list.cursor);
  const { bets, next } = engine.betsPage(account, { ...list, from, rest });
  return { bets, next: cursorOf(next, rest) };
}
