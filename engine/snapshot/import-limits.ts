/** Imports what limit orders have besides, and puts those into their rounds that joined them out of order. */
import { assert, fail } from '../base/assert.js';
import { isUnfilled, LIMIT_ODDS_E4_MAX, LIMIT_ODDS_E4_MIN, RESULT_NONE, SETTLED } from '../model/domain.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';
import { countOf, flagOf, integerOrNullOf } from './cells.js';
import type { ReadTable } from './form.js';
import { LATE_BET, LIMIT_ORDER } from './tables.js';

interface Limit {
  readonly limitOddsE4: number;
  readonly filledAtMs: number | null;
  readonly hasRested: boolean;
}

export interface Limits {
  /** By bet; what a bet takes is deleted. */
  readonly ofBets: Map<number, Limit>;
  /** Bets that are not in the order of their numbers, each with the bet before it. */
  readonly late: ReadonlyMap<number, number>;
}

export function limitsOf(read: ReadTable): Limits {
  const ofBets = new Map<number, Limit>();
  for (const [bet, limitOddsE4, filledAtMs, rested] of read(LIMIT_ORDER.name)) {
    const limit = {
      limitOddsE4: countOf(limitOddsE4),
      filledAtMs: integerOrNullOf(filledAtMs),
      hasRested: flagOf(rested),
    };
    if (limit.limitOddsE4 < LIMIT_ODDS_E4_MIN || limit.limitOddsE4 > LIMIT_ODDS_E4_MAX)
      fail(`bet ${bet} cannot have this limit`);
    assert(limit.hasRested || limit.filledAtMs !== null, 'an order that has not rested is a bet');
    assert(!ofBets.has(countOf(bet)), 'a bet has one limit');
    ofBets.set(countOf(bet), limit);
  }
  const late = new Map<number, number>();
  for (const [bet, afterBet] of read(LATE_BET.name)) {
    assert(!late.has(countOf(bet)), 'a bet is late once');
    late.set(countOf(bet), countOf(afterBet));
  }
  return { ofBets, late };
}

/** Gives a limit order its limit. Returns whether the order is a bet that joins its round in the order of numbers. */
export function importLimit(state: State, row: number, { ofBets, late }: Limits): boolean {
  const { bets, books } = state;
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const bet = chunk.bet[i] as number;
  const end = chunk.result[i] as number;
  const limit = ofBets.get(bet);
  ofBets.delete(bet);
  const isBet = limit === undefined || limit.filledAtMs !== null;
  if (isBet ? isUnfilled(end) : end !== RESULT_NONE && !isUnfilled(end))
    fail(`bet ${bet} cannot have ended so`);
  if (limit === undefined) return !late.has(bet);
  const limitRow = bets.limit(row, limit.limitOddsE4);
  bets.limits.chunk(limitRow).filledAtMs[bets.limits.index(limitRow)] = limit.filledAtMs ?? 0;
  bets.limits.chunk(limitRow).rested[bets.limits.index(limitRow)] = limit.hasRested ? 1 : 0;
  if (!isBet && end === RESULT_NONE) books.add(openRoundOf(state, row), chunk.side[i] as number, limitRow);
  return isBet && !late.has(bet);
}

/** The round of an open bet. */
export function openRoundOf({ bets, markets }: State, row: number): Round {
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const round = markets.market(chunk.market[i] as number).rounds.get(chunk.roundNumber[i] as number);
  if (round === undefined || round.status === SETTLED) fail(`open bet ${chunk.bet[i]} has no open round`);
  return round;
}

/** To be called when all bets are there. */
export function joinLate(state: State, { ofBets, late }: Limits): void {
  assert(ofBets.size === 0, 'a limit belongs to a bet');
  for (const [bet, afterBet] of late) joinBehind(state, rowOf(state, bet), rowOf(state, afterBet));
}

/** Rows are in the order of numbers. */
function rowOf({ bets }: State, bet: number): number {
  let low = 1;
  for (let high = bets.rowsEnd; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((bets.chunk(middle).bet[bets.index(middle)] as number) < bet) low = middle + 1;
    else high = middle;
  }
  if (low === bets.rowsEnd || bets.chunk(low).bet[bets.index(low)] !== bet) fail(`bet ${bet} is not there`);
  return low;
}

/** Links an open bet behind another one of its round. */
function joinBehind(state: State, row: number, after: number): void {
  const { bets } = state;
  const round = openRoundOf(state, row);
  const chunk = bets.chunk(after);
  const i = bets.index(after);
  const isOfRound = row !== after && openRoundOf(state, after) === round && !bets.isUnfilled(after);
  assert(isOfRound && bets.hasRested(row), 'a late bet follows a bet of its round');
  bets.chunk(row).next[bets.index(row)] = chunk.next[i] as number;
  chunk.next[i] = row;
  if (round.lastBet === after) round.lastBet = row;
}
