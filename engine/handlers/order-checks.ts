/**
 * The checks of an order, placed or only quoted, in the order of docs/bots/reliable-orders.md: first those that find
 * its round, then those of its offer there. Messages are built only on refusal.
 */
import { dollarsOfCents, oddsE4, payoutCents, percentUpE2 } from '../base/money.js';
import type { OrderGuards, PlaceOrder } from '../model/commands.js';
import { LIVE, NO_LIMIT, SIDES, textAt, UP } from '../model/domain.js';
import { type ErrorCode, noShareRefusal } from '../model/errors.js';
import type { Rejected } from '../model/events.js';
import type { Rules } from '../model/rules.js';
import { availableCents, edgeCents } from '../quotes/exposure.js';
import type { AccountChunk } from '../state/accounts.js';
import { Round } from '../state/rounds.js';
import { reject, rejectForNow, type State } from '../state/state.js';

/** An offer for one stake. Odds and percent are those after the stake has joined its pool. */
export interface Offer {
  /** UP's pool as the house quotes it, before the stake. */
  readonly upCents: number;
  /** With the stake. */
  readonly totalCents: number;
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  /** The house's average gain from the bet; 0 in a round without quotes. */
  readonly edgeCents: number;
}

/** `upCents` is UP's pool as the house quotes it now. The stake is within the market's range. */
export function offerFor(
  round: Round,
  side: number,
  stakeCents: number,
  fairShareE6: number,
  upCents: number,
): Offer {
  const totalCents = round.poolUpCents + round.poolDownCents + stakeCents;
  const sideCents = side === UP ? upCents + stakeCents : totalCents - upCents;
  const odds = oddsE4(totalCents, sideCents);
  const payout = payoutCents(stakeCents, odds, round.feeBps);
  const upE2 = percentUpE2(side === UP ? sideCents : totalCents - sideCents, totalCents);
  return {
    upCents,
    totalCents,
    oddsE4: odds,
    entryPercentE2: side === UP ? upE2 : 10_000 - upE2,
    payoutCents: payout,
    edgeCents: round.quote === null ? 0 : edgeCents(side, stakeCents, payout, fairShareE6),
  };
}

export const reaches = (offer: Offer, leastOddsE4: number): boolean => offer.oddsE4 >= leastOddsE4;

/** The round that the order would join, or the refusal by the checks that need no odds. */
export function roundFor(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): Round | Rejected {
  const round = liveRound(state, order, gate, guards);
  return round instanceof Round ? (checkStake(state, order, round) ?? round) : round;
}

/**
 * The first of the other checks that refuses the order, or null. A limit order rests where odds or exposure do not
 * allow a bet yet. `ahead` equal orders are assumed to be placed before it.
 */
export function checkOffer(
  state: State,
  order: PlaceOrder,
  round: Round,
  offer: Offer,
  guards: OrderGuards | null,
  ahead = 0,
): Rejected | null {
  const rules = state.rulesInForce;
  const accounts = state.accounts.chunk(order.account);
  const a = state.accounts.row(order.account);
  const isLimit = order.limitOddsE4 !== NO_LIMIT;
  return (
    (isLimit ? null : checkOdds(order, round, offer, guards)) ??
    checkFunds(accounts, a, order, ahead) ??
    (isLimit ? null : checkExposure(order, round, offer)) ??
    checkOpenBets(rules, accounts, a, ahead) ??
    checkMemory(state, rules, order)
  );
}

export const takesBets = (round: Round, timeMs: number): boolean =>
  round.status === LIVE && timeMs < round.bettingClosesMs;

function liveRound(
  state: State,
  order: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): Round | Rejected {
  const market = order.market < 0 ? null : state.markets.market(order.market);
  if (market === null || market.rules === null)
    return reject('market_not_found', 'no active market has this id');
  // Before refusals that may pass: a client that tries again must learn that its order is too late.
  const late = guards === null ? null : checkMoment(order, guards, market.current);
  if (late !== null) return late;
  if (!state.trading.enabled) return reject('trading_disabled', state.trading.reason);
  if (gate !== null) return rejectForNow(gate);
  if (market.isSuspended) return reject('market_suspended', 'this market takes no bets');
  const round = market.current;
  if (round === null || round.status !== LIVE || order.timeMs >= round.lockTimeMs) {
    return reject('round_not_live', 'the market has no live round at this moment');
  }
  if (!takesBets(round, order.timeMs)) {
    const seconds = (round.lockTimeMs - round.bettingClosesMs) / 1000;
    return reject('betting_closed', `bets are refused in the last ${seconds} s before the lock`);
  }
  if (round.quote !== null && order.fairShareE6 < 0) {
    const { code, detail } = noShareRefusal(order.fairShareE6);
    return reject(code, detail);
  }
  return round;
}

function checkMoment({ timeMs }: PlaceOrder, guards: OrderGuards, current: Round | null): Rejected | null {
  if (timeMs > guards.validUntilMs)
    return reject('order_expired', "validUntil has passed by the server's clock");
  const { roundNumber } = guards;
  return roundNumber < 0 || current?.roundNumber === roundNumber
    ? null
    : reject('round_changed', 'roundId is not the current round of the market');
}

function checkStake(state: State, { account, stakeCents }: PlaceOrder, round: Round): Rejected | null {
  const tierMaxCents = state.rulesInForce.tiers[state.accounts.tier(account)]?.maxStakeCents ?? 0;
  if (stakeCents >= round.minStakeCents && stakeCents <= round.maxStakeCents && stakeCents <= tierMaxCents) {
    return null;
  }
  const maxCents = Math.min(round.maxStakeCents, tierMaxCents);
  const range = `${dollarsOfCents(round.minStakeCents)} to ${dollarsOfCents(maxCents)}`;
  return reject('stake_out_of_range', `amount must be ${range} USD for this market and account tier`);
}

/** Before this stake joins the pool. */
export function publishedPercentE2({ side }: PlaceOrder, round: Round, upCents: number): number {
  const upE2 = percentUpE2(upCents, round.poolUpCents + round.poolDownCents);
  return side === UP ? upE2 : 10_000 - upE2;
}

/** Points are compared in 1e-6. */
function checkOdds(
  order: PlaceOrder,
  round: Round,
  offer: Offer,
  guards: OrderGuards | null,
): Rejected | null {
  const { expectedPercentE6 } = order;
  if (expectedPercentE6 < 0 && guards === null) return null;
  const percentE2 = publishedPercentE2(order, round, offer.upCents);
  const movedE6 = expectedPercentE6 < 0 ? 0 : Math.abs(percentE2 * 10_000 - expectedPercentE6);
  const minOddsE4 = guards?.minOddsE4 ?? 0;
  if (movedE6 <= round.slippageE2 * 10_000 && reaches(offer, minOddsE4)) return null;
  if (minOddsE4 === 0) return reject('odds_changed');
  return { ...reject('odds_changed'), current: { percentE2, oddsE4: offer.oddsE4 } };
}

function checkFunds(
  accounts: AccountChunk,
  a: number,
  { stakeCents }: PlaceOrder,
  ahead: number,
): Rejected | null {
  if ((accounts.balanceCents[a] as number) >= stakeCents * (ahead + 1)) return null;
  return reject('insufficient_balance', 'the stake is more than the balance');
}

function checkExposure(order: PlaceOrder, round: Round, offer: Offer): Rejected | null {
  if (isCovered(round, order.side, offer)) return null;
  return reject('round_exposure_limit', exposureText(round, order));
}

/** By both rules of `engine/quotes/exposure.ts`. */
export function isCovered(round: Round, side: number, offer: Offer): boolean {
  const owedCents = side === UP ? round.payoutUpCents : round.payoutDownCents;
  if (owedCents + offer.payoutCents > offer.totalCents) return false;
  return round.quote === null || round.quote.edgeCents + offer.edgeCents >= 0;
}

function exposureText(round: Round, { side, fairShareE6 }: PlaceOrder): string {
  const word = textAt(SIDES, side);
  const cents = availableCents(round, side, fairShareE6);
  const now = cents === 0 ? 'nothing' : `up to ${dollarsOfCents(cents)} USD`;
  return `the round would come to owe too much on ${word}; ${now} can be bet on ${word} now`;
}

function checkOpenBets(rules: Rules, accounts: AccountChunk, a: number, ahead: number): Rejected | null {
  if ((accounts.openBets[a] as number) + ahead < rules.openBetsMax) return null;
  return reject('too_many_open_bets', `an account may have ${rules.openBetsMax} open bets`);
}

function checkMemory({ idempotency }: State, rules: Rules, order: PlaceOrder): Rejected | null {
  if (order.idempotency === null) return null;
  const { idempotencyTtlMs, idempotencyEntriesMax } = rules;
  if (!idempotency.isFull(order.timeMs, idempotencyTtlMs, idempotencyEntriesMax)) return null;
  return reject('idempotency_full', 'the memory of Idempotency-Keys is full; try again');
}
