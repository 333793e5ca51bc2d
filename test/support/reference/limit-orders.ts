/**
 * The reference model of limit orders that rest: a list, sorted and looked through from its start when the odds move.
 */
import { must } from '../../../engine/base/assert.js';
import type {
  CancelOrder,
  CancelOrders,
  ExpireOrders,
  FillOrders,
  PlaceOrder,
} from '../../../engine/model/commands.js';
import { END_CANCELLED, END_EXPIRED, LIVE, UP } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BetSettled, LimitFills, OrderFilled } from '../../../engine/model/events.js';
import { plainOrder } from '../engine/plain-order.js';
import { referenceOddsE4 } from './arithmetic.js';
import { exposureRefusal, priced } from './orders.js';
import { isAvailable, isQuoted, offeredPools, upSeedAt } from './quotes.js';
import { positions } from './reads.js';
import {
  accountOf,
  endBet,
  marketRulesOf,
  type ReferenceBet,
  type ReferenceRound,
  type ReferenceState,
  type Verdict,
} from './state.js';

export const FILLS_MAX = 32;

const byPriority = (one: ReferenceBet, other: ReferenceBet): number =>
  one.limitOddsE4 - other.limitOddsE4 || one.placed.bet - other.placed.bet;

const hasEnded = ({ validUntilMs }: ReferenceBet, timeMs: number): boolean =>
  validUntilMs !== null && timeMs > validUntilMs;

export function fill(
  state: ReferenceState,
  round: ReferenceRound,
  timeMs: number,
  fairShareE6: number,
  ordersMax: number,
): OrderFilled[] {
  const events: OrderFilled[] = [];
  while (events.length < ordersMax) {
    const next = nextFill(state, round, timeMs, fairShareE6);
    if (next === null) break;
    round.resting.splice(round.resting.indexOf(next), 1);
    const { limitOddsE4 } = next;
    const { bet, timeMs: placedAtMs } = next.placed;
    const now = priced(state, asOrder(next, timeMs, fairShareE6), round);
    if (isQuoted(round)) round.upSeedCents = upSeedAt(round, fairShareE6);
    round.bets.push(next);
    next.placed = { ...now, bet, timeMs: placedAtMs, limitOddsE4 };
    next.filledAtMs = timeMs;
    const { filled: _, ...facts } = now;
    const { balanceCents: newBalanceCents } = must(accountOf(state, now.account), 'account');
    events.push({ ...facts, type: 'orderFilled', bet, limitOddsE4, newBalanceCents, placedAtMs });
  }
  return events;
}

function nextFill(
  state: ReferenceState,
  round: ReferenceRound,
  timeMs: number,
  fairShareE6: number,
): ReferenceBet | null {
  if (round.resting.length === 0 || (isQuoted(round) && fairShareE6 < 0)) return null;
  const sorted = [...round.resting].sort(byPriority);
  const pools = offeredPools(round, fairShareE6);
  return (
    sorted.find((bet) => {
      if (hasEnded(bet, timeMs)) return false;
      const { side, stakeCents } = bet.placed;
      const ownCents = must(pools[side], 'pool') + stakeCents;
      if (referenceOddsE4(pools[0] + pools[1] + stakeCents, ownCents) < bet.limitOddsE4) return false;
      if (!isAvailable(round, bet.placed, fairShareE6)) return false;
      const now = priced(state, asOrder(bet, timeMs, fairShareE6), round);
      return exposureRefusal(round, now, fairShareE6) === null;
    }) ?? null
  );
}

const asOrder = ({ placed }: ReferenceBet, timeMs: number, fairShareE6: number): PlaceOrder => {
  const { account, market, side, stakeCents, clientSeed, clientOrderId } = placed;
  return plainOrder({ timeMs, account, market, side, stakeCents, fairShareE6, clientSeed, clientOrderId });
};

export function filledBy(fills: readonly OrderFilled[]): LimitFills {
  const up = fills.filter(({ side }) => side === UP);
  const down = fills.filter(({ side }) => side !== UP);
  const cents = (some: readonly OrderFilled[]) => some.reduce((sum, { stakeCents }) => sum + stakeCents, 0);
  return { upOrders: up.length, upCents: cents(up), downOrders: down.length, downCents: cents(down) };
}

export function fillOrders(state: ReferenceState, command: FillOrders): Verdict {
  const { market, fairShareE6, timeMs, ordersMax } = command;
  const round = fillableRound(state, market, timeMs);
  const events = round === null ? [] : fill(state, round, timeMs, fairShareE6, ordersMax);
  return events.length === 0 ? { refused: 'invalid_request' } : { events };
}

export function isFillable(state: ReferenceState, market: number, shareE6: number, timeMs: number): boolean {
  const round = marketRulesOf(state, market) === null ? null : fillableRound(state, market, timeMs);
  return round !== null && nextFill(state, round, timeMs, shareE6) !== null;
}

function fillableRound(state: ReferenceState, market: number, timeMs: number): ReferenceRound | null {
  const { current, suspendedSeq } = must(state.markets[market], 'market');
  if (current === null || suspendedSeq > 0 || !state.trading.enabled) return null;
  if (current.status !== LIVE || timeMs >= current.bettingClosesMs) return null;
  return current;
}

export function cancelOrder(
  state: ReferenceState,
  { account, bet, timeMs }: CancelOrder,
  gate: ErrorCode | null,
): Verdict {
  const order = accountOf(state, account)?.bets.find(({ placed }) => placed.bet === bet);
  const isKept = positions(state, account, 'orders', Number.POSITIVE_INFINITY).some(
    (view) => view.bet === bet,
  );
  if (order === undefined || !isKept) return { refused: 'order_not_found' };
  if (!order.round.resting.includes(order)) return { refused: 'order_not_pending' };
  if (gate !== null) return { refused: gate };
  return { events: [release(state, order, END_CANCELLED, timeMs)] };
}

export function cancelOrders(
  state: ReferenceState,
  { account, market, side, placedBy, ordersMax, timeMs }: CancelOrders,
  gate: ErrorCode | null,
): Verdict {
  const those = newestResting(state, account)
    .filter(({ placed }) => (market ?? placed.market) === placed.market)
    .filter(({ key }) => (placedBy ?? key) === key)
    .filter(({ placed }) => (side ?? placed.side) === placed.side)
    .slice(0, ordersMax);
  if (those.length === 0) return { refused: 'order_not_pending' };
  if (gate !== null) return { refused: gate };
  return { events: those.map((bet) => release(state, bet, END_CANCELLED, timeMs)) };
}

export const cancelAllOf = (state: ReferenceState, account: number, timeMs: number): BetSettled[] =>
  newestResting(state, account).map((bet) => release(state, bet, END_CANCELLED, timeMs));

const newestResting = (state: ReferenceState, account: number): ReferenceBet[] =>
  must(accountOf(state, account), 'account')
    .bets.filter((bet) => bet.round.resting.includes(bet))
    .reverse();

const waiting = (state: ReferenceState): ReferenceRound[] => [
  ...state.markets.flatMap(({ current }) => current ?? []),
  ...state.settling.filter(({ resolvedAtMs }) => resolvedAtMs === null),
];

export function expireOrders(state: ReferenceState, { timeMs, ordersMax }: ExpireOrders): Verdict {
  const events: BetSettled[] = [];
  for (const round of waiting(state)) {
    const isClosed = timeMs >= round.bettingClosesMs;
    const ended = inOrder(round).filter((bet) => isClosed || hasEnded(bet, timeMs));
    for (const bet of ended.slice(0, ordersMax - events.length))
      events.push(release(state, bet, END_EXPIRED, timeMs));
  }
  return events.length === 0 ? { refused: 'invalid_request' } : { events };
}

export const nextExpiryMs = (state: ReferenceState): number =>
  Math.min(
    Number.POSITIVE_INFINITY,
    ...waiting(state)
      .filter(({ resting }) => resting.length > 0)
      .flatMap(({ bettingClosesMs, resting }) => [
        bettingClosesMs,
        ...resting.flatMap(({ validUntilMs }) => (validUntilMs === null ? [] : [validUntilMs + 1])),
      ]),
  );

/** UP before DOWN. */
const inOrder = ({ resting }: ReferenceRound): ReferenceBet[] =>
  [...resting].sort((one, other) => one.placed.side - other.placed.side || byPriority(one, other));

export const releaseFirst = (
  state: ReferenceState,
  round: ReferenceRound,
  end: number,
  timeMs: number,
): BetSettled => release(state, must(inOrder(round)[0], 'an order that rests'), end, timeMs);

function release(state: ReferenceState, order: ReferenceBet, end: number, timeMs: number): BetSettled {
  order.round.resting.splice(order.round.resting.indexOf(order), 1);
  return endBet(state, order, end, null, timeMs);
}
