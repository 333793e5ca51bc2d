/**
 * Resolving rounds and paying them out. Resolved rounds wait in a queue, and their bets are credited in journaled
 * slices, so that a round with many bets does not block orders. The rest of the pot goes to the house.
 */
import { assert, must } from '../base/assert.js';
import type { Settle } from '../model/commands.js';
import {
  BET_RESULTS,
  DOWN,
  END_CANCELLED,
  END_EXPIRED,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  roundId,
  SETTLED,
  SETTLING,
  UP,
} from '../model/domain.js';
import type { EngineEvent } from '../model/events.js';
import { houseResultCents } from '../quotes/exposure.js';
import type { Round } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';
import { endBet } from './bets.js';
import { releaseLimit } from './limit-orders.js';
import { countResult } from './loss-limits.js';
import { movedByHouse } from './opening.js';

/** A round without bets and resting orders is settled at once; any other joins the queue. */
export function resolveRound(
  state: State,
  round: Round,
  result: number,
  closePrice: number | null,
  reason: string,
  timeMs: number,
  events: EngineEvent[],
): void {
  assert(round.resolvedAtMs === null, `${roundId(round.market, round.roundNumber)} is resolved twice`);
  round.status = SETTLING;
  round.result = result;
  round.closePrice = closePrice;
  round.resolvedAtMs = timeMs;
  round.voidReason = reason;
  round.nextToSettle = round.firstBet;
  const { market, roundNumber } = round;
  events.push({ type: 'roundResolved', timeMs, market, roundNumber, result, closePrice, reason });
  if (round.firstBet === 0 && state.books.ordersOf(round) === 0) finishRound(state, round, timeMs, events);
  else state.markets.settling.push(round);
}

/**
 * Settles at most `betsMax` bets, oldest round first; before them come the orders that still rest in it, because its
 * betting closed while the server was down, or an operator has voided it. Rejected if no round is waiting.
 */
export function settle(state: State, command: Settle): Effect {
  const queue = state.markets.settling;
  if (queue.length === 0) return reject('invalid_request', 'no round waits for settlement');
  assert(command.betsMax > 0, 'a settlement slice takes at least one bet');
  const events: EngineEvent[] = [];
  let betsLeft = command.betsMax;
  while (betsLeft > 0 && queue.length > 0) {
    const round = must(queue[0], 'round in settlement');
    for (; betsLeft > 0 && state.books.ordersOf(round) > 0; betsLeft--) {
      const end = round.result === RESULT_VOID ? END_CANCELLED : END_EXPIRED;
      events.push(releaseLimit(state, state.books.first(round), end, command.timeMs));
    }
    while (betsLeft > 0 && round.nextToSettle !== 0) {
      settleBet(state, round, command.timeMs, events);
      betsLeft--;
    }
    if (round.nextToSettle !== 0 || state.books.ordersOf(round) > 0) break;
    queue.shift();
    finishRound(state, round, command.timeMs, events);
  }
  return events;
}

function settleBet(state: State, round: Round, timeMs: number, events: EngineEvent[]): void {
  const row = round.nextToSettle;
  const chunk = state.bets.chunk(row);
  const i = state.bets.index(row);
  const stakeCents = chunk.stakeCents.at(i);
  const result = betResult(round.result, chunk.side[i] as number);
  const payoutCents = paidCents(result, stakeCents, chunk.payoutCents.at(i));
  round.nextToSettle = chunk.next[i] as number;
  round.paidCents += payoutCents;
  state.markets.potsCents -= payoutCents;
  state.markets.openStakesCents -= stakeCents;
  events.push(endBet(state, row, result, payoutCents, timeMs));
}

function finishRound(state: State, round: Round, timeMs: number, events: EngineEvent[]): void {
  const { market, roundNumber } = round;
  const restCents = round.poolUpCents + round.poolDownCents - round.paidCents;
  assert(restCents >= 0, `${roundId(market, roundNumber)} paid ${-restCents} cents more than its pool`);
  round.status = SETTLED;
  round.firstBet = 0;
  round.lastBet = 0;
  if (restCents > 0) {
    state.markets.potsCents -= restCents;
    events.push(movedByHouse(state, round, 'settlement', restCents, timeMs));
  }
  countResult(state, market, houseResultCents(round, round.result), timeMs, events);
  state.markets.market(market).keepSettled(round, state.rulesInForce.settledRoundsMax);
  events.push(round.changed('roundSettled', timeMs));
}

const WIN = BET_RESULTS.indexOf('WIN');
const LOSS = BET_RESULTS.indexOf('LOSS');
const DRAW = BET_RESULTS.indexOf('DRAW');
const REFUNDED = BET_RESULTS.indexOf('REFUNDED');

function betResult(roundResult: number, side: number): number {
  if (roundResult === RESULT_VOID) return REFUNDED;
  if (roundResult === RESULT_DRAW) return DRAW;
  return (roundResult === RESULT_UP && side === UP) || (roundResult === RESULT_DOWN && side === DOWN)
    ? WIN
    : LOSS;
}

export function paidCents(result: number, stakeCents: number, payoutCents: number): number {
  if (result === WIN) return payoutCents;
  return result === LOSS ? 0 : stakeCents;
}
