/** Lists of an account's bets, on the engine's thread. */
import type { Engine } from '../../engine/engine.js';
import { UP } from '../../engine/model/domain.js';
import type { BetView } from '../../engine/model/views.js';
import { cursorOf, readCursor } from '../rings/list-cursor.js';
import type { AccountReply, ListFields } from '../rings/questions.js';
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

export function openSums(open: readonly BetView[]): Omit<AccountReply, 'balanceCents' | 'activeKeys'> {
  const sumOf = (bets: readonly BetView[], field: 'stakeCents' | 'payoutCents'): number =>
    bets.reduce((sum, bet) => sum + bet[field], 0);
  const bets = open.filter(({ status }) => status !== 'PENDING');
  const pending = open.filter(({ status }) => status === 'PENDING');
  const ups = bets.filter(({ side }) => side === UP);
  const payoutUpCents = sumOf(ups, 'payoutCents');
  return {
    openBets: bets.length,
    openStakesCents: sumOf(bets, 'stakeCents'),
    payoutUpCents,
    payoutDownCents: sumOf(bets, 'payoutCents') - payoutUpCents,
    pendingOrders: pending.length,
    reservedCents: sumOf(pending, 'stakeCents'),
  };
}
