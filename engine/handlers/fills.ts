/**
 * Filling resting limit orders. After a bet or a new quote has moved the odds, the round's first order that fits
 * becomes a bet: by limit, then by time, whichever its side. That moves the odds again, so the search begins anew,
 * `ordersMax` times at most. An order fits if its bet gets at least the odds that it names, its stake is within what is
 * available on its side (`engine/quotes/exposure.ts`), and its `validUntilMs` has not passed. The first two hold for
 * smaller stakes, the first for lower limits too, so a search tree finds it.
 */
import type { FillOrders, PlaceOrder } from '../model/commands.js';
import { DOWN, NO_FAIR_SHARE, UP } from '../model/domain.js';
import type { EngineEvent, OrderFilled } from '../model/events.js';
import { availableCents } from '../quotes/exposure.js';
import { quotedUpCents } from '../quotes/split.js';
import type { LimitSearch } from '../state/limit-tree.js';
import type { Round } from '../state/rounds.js';
import { type Effect, reject, type State } from '../state/state.js';
import { joinRound } from './bets.js';
import { isCovered, type Offer, offerFor, reaches, takesBets } from './order-checks.js';

/** Orders that a bet fills at once. They take far less time than a slice of a settlement. */
const FILLS_MAX = 32;

/** The pass after an order's bet; null if it filled nothing. */
export function fillsAfter(state: State, round: Round, { timeMs, fairShareE6 }: PlaceOrder) {
  const events = fill(state, round, timeMs, fairShareE6, FILLS_MAX);
  if (events.length === 0) return null;
  const stakesOf = (of: number) => events.flatMap(({ side, stakeCents }) => (side === of ? stakeCents : []));
  const [up, down] = [stakesOf(UP), stakesOf(DOWN)];
  const [upCents, downCents] = [sumOf(up), sumOf(down)];
  return { events, filled: { upOrders: up.length, upCents, downOrders: down.length, downCents } };
}

const sumOf = (cents: readonly number[]): number => cents.reduce((sum, one) => sum + one, 0);

export function fillOrders(state: State, command: FillOrders): Effect {
  const { market, fairShareE6, timeMs, ordersMax } = command;
  const round = fillableRound(state, market, timeMs);
  const events: EngineEvent[] = round === null ? [] : fill(state, round, timeMs, fairShareE6, ordersMax);
  return events.length === 0 ? reject('invalid_request', 'no resting order can be filled') : events;
}

/** In a market that has left the rules nothing is: it takes no orders. The command fills there, as journals may have it. */
export function isFillable(state: State, market: number, fairShareE6: number, timeMs: number): boolean {
  if (state.markets.market(market).rules === null) return false;
  const round = fillableRound(state, market, timeMs);
  return round !== null && nextFill(state, round, fairShareE6, timeMs) !== null;
}

function fillableRound(state: State, market: number, timeMs: number): Round | null {
  const { current, isSuspended } = state.markets.market(market);
  if (current === null || state.books.ordersOf(current) === 0) return null;
  if (!state.trading.enabled || isSuspended) return null;
  return takesBets(current, timeMs) ? current : null;
}

function fill(
  state: State,
  round: Round,
  timeMs: number,
  fairShareE6: number,
  ordersMax: number,
): OrderFilled[] {
  const events: OrderFilled[] = [];
  while (events.length < ordersMax) {
    const next = nextFill(state, round, fairShareE6, timeMs);
    if (next === null) break;
    events.push(become(state, round, next, timeMs, fairShareE6));
  }
  return events;
}

function nextFill(state: State, round: Round, fairShareE6: number, timeMs: number) {
  const upCents = quotedUpCents(round, fairShareE6);
  const up = new SideSearch(state, round, UP, fairShareE6, upCents, timeMs);
  const down = new SideSearch(state, round, DOWN, fairShareE6, upCents, timeMs);
  const limitRow = state.books.find(round, up, down);
  const { side, found: offer } = limitRow === up.foundRow ? up : down;
  return offer === null ? null : { limitRow, side, offer };
}

/** Products of cents and odds are exact up to here; above, the search lets more orders through to the exact check. */
const ROUNDING = 1e-12;

class SideSearch implements LimitSearch {
  foundRow = 0;
  found: Offer | null = null;
  readonly #sideCents: number;
  readonly #totalE4: number;
  /** Worked out on demand: mostly no limit is within the odds. */
  #availableCents = -1;

  constructor(
    private readonly state: State,
    private readonly round: Round,
    readonly side: number,
    private readonly fairShareE6: number,
    private readonly upCents: number,
    private readonly timeMs: number,
  ) {
    const totalCents = round.poolUpCents + round.poolDownCents;
    this.#sideCents = side === UP ? upCents : totalCents - upCents;
    this.#totalE4 = totalCents * 10_000 * (1 + ROUNDING);
  }

  /** (total + stake) / (side + stake) >= limit, without a division. */
  mayFit(limitOddsE4: number, stakeCents: number): boolean {
    if (stakeCents * (limitOddsE4 - 10_000) + limitOddsE4 * this.#sideCents > this.#totalE4) return false;
    if (this.#availableCents < 0)
      this.#availableCents = availableCents(this.round, this.side, this.fairShareE6);
    return stakeCents <= this.#availableCents;
  }

  fits(row: number): boolean {
    const { limits } = this.state.bets;
    const chunk = limits.chunk(row);
    const i = limits.index(row);
    if ((chunk.validUntilMs[i] as number) < this.timeMs) return false;
    const { round, side, fairShareE6, upCents } = this;
    const offer = offerFor(round, side, chunk.stakeCents[i] as number, fairShareE6, upCents);
    if (!reaches(offer, chunk.limitOddsE4[i] as number) || !isCovered(round, side, offer)) return false;
    this.foundRow = row;
    this.found = offer;
    return true;
  }
}

function become(
  state: State,
  round: Round,
  { limitRow, side, offer }: NonNullable<ReturnType<typeof nextFill>>,
  timeMs: number,
  fairShareE6: number,
): OrderFilled {
  const { bets, accounts, books } = state;
  const limits = bets.limits.chunk(limitRow);
  const l = bets.limits.index(limitRow);
  const row = limits.betRow[l] as number;
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const account = chunk.account[i] as number;
  books.remove(round, side, limitRow);
  state.retainedBets.sum(row, -1);
  limits.filledAtMs[l] = timeMs;
  chunk.oddsE4.set(i, offer.oddsE4);
  chunk.payoutCents.set(i, offer.payoutCents);
  const clientSeed = chunk.clientSeeds.at(i);
  chunk.entryPercentE2[i] = offer.entryPercentE2;
  joinRound(state, round, row, side, offer, fairShareE6);
  accounts.touch(account, state.nextSeq);
  return {
    type: 'orderFilled',
    timeMs,
    bet: chunk.bet.at(i),
    account,
    market: round.market,
    roundNumber: round.roundNumber,
    side,
    stakeCents: chunk.stakeCents.at(i),
    limitOddsE4: limits.limitOddsE4[l] as number,
    oddsE4: offer.oddsE4,
    entryPercentE2: offer.entryPercentE2,
    payoutCents: offer.payoutCents,
    newBalanceCents: accounts.balanceCents(account),
    clientSeed,
    clientOrderId: chunk.clientOrderIds.at(i),
    placedAtMs: chunk.placedAtMs.at(i),
    fairShareE6: round.quote === null ? NO_FAIR_SHARE : fairShareE6,
  };
}
