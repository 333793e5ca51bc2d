/** The reference model of placing an order: the checks in the order of docs/bots/reliable-orders.md, one by one. */
import { must } from '../../../engine/base/assert.js';
import type { OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { LIVE } from '../../../engine/model/domain.js';
import { type ErrorCode, NO_SHARE_CODES } from '../../../engine/model/errors.js';
import type { BetPlaced, OrderPending, OrderTerms } from '../../../engine/model/events.js';
import { referenceOddsE4, referencePayoutCents, referencePercentE2 } from './arithmetic.js';
import { FILLS_MAX, fill, filledBy } from './limit-orders.js';
import { edgeOf, edgeOfRound, isQuoted, offeredPools, payoutsOn, upSeedAt } from './quotes.js';
import {
  accountOf,
  marketRulesOf,
  type NothingDone,
  type ReferenceBet,
  type ReferenceIdempotency,
  type ReferenceRound,
  type ReferenceState,
  rulesOf,
  type Verdict,
} from './state.js';

export function placeOrder(
  state: ReferenceState,
  command: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): Verdict {
  const remembered = rememberedOrder(state, command);
  if (remembered !== null) return remembered;
  const round = roundFor(state, command, gate, guards);
  if ('refused' in round) return round;
  if (command.limitOddsE4 !== 0) return placeLimitOrder(state, command, round);
  const refusal = stakeRefusal(state, command, round, guards);
  if (refusal !== null) return { refused: refusal };
  return accept(state, command, priced(state, command, round), round);
}

/** A bet if odds and exposure allow it now, else an order that rests. */
function placeLimitOrder(state: ReferenceState, command: PlaceOrder, round: ReferenceRound): Verdict {
  const refusal = rangeRefusal(state, command, round) ?? accountRefusal(state, command);
  if (refusal !== null) return { refused: refusal };
  const bet = priced(state, command, round);
  const isBet =
    bet.oddsE4 >= command.limitOddsE4 && exposureRefusal(round, bet, command.fairShareE6) === null;
  return isBet ? accept(state, command, bet, round) : rest(state, command, bet, round);
}

function roundFor(
  state: ReferenceState,
  command: PlaceOrder,
  gate: ErrorCode | null,
  guards: OrderGuards | null,
): ReferenceRound | { readonly refused: ErrorCode } {
  const market = state.markets[command.market];
  if (market === undefined || marketRulesOf(state, command.market) === null) {
    return { refused: 'market_not_found' };
  }
  if (guards !== null && command.timeMs > guards.validUntilMs) return { refused: 'order_expired' };
  const current = market.current?.roundNumber ?? null;
  if (guards !== null && guards.roundNumber !== -1 && guards.roundNumber !== current) {
    return { refused: 'round_changed' };
  }
  if (!state.trading.enabled) return { refused: 'trading_disabled' };
  if (gate !== null) return { refused: gate };
  if (market.suspendedSeq > 0) return { refused: 'market_suspended' };

  const round = market.current;
  if (round === null || round.status !== LIVE || command.timeMs >= round.lockTimeMs) {
    return { refused: 'round_not_live' };
  }
  if (command.timeMs >= round.bettingClosesMs) return { refused: 'betting_closed' };
  if (isQuoted(round) && command.fairShareE6 < 0)
    return { refused: must(NO_SHARE_CODES[-command.fairShareE6 - 1], 'a reason') };
  return round;
}

/** The account placed an order under this key less than a lifetime ago; null if not. */
export function rememberedOrder(
  state: ReferenceState,
  command: Pick<PlaceOrder, 'account' | 'timeMs' | 'idempotency'>,
): NothingDone | null {
  const digest = command.idempotency;
  if (digest === null) return null;
  const found = liveEntries(state, command.timeMs).find(
    (entry) =>
      entry.account === command.account && entry.keyHigh === digest.keyHigh && entry.keyLow === digest.keyLow,
  );
  if (found === undefined) return null;
  return found.body === digest.body ? { replayed: found } : { refused: 'idempotency_key_reused' };
}

/** The entries are in the order of their times. */
function liveEntries(state: ReferenceState, timeMs: number): ReferenceIdempotency[] {
  const { idempotencyTtlMs } = rulesOf(state);
  const lastGone = state.idempotency.findLastIndex((entry) => timeMs - entry.timeMs >= idempotencyTtlMs);
  return state.idempotency.slice(lastGone + 1);
}

function rangeRefusal(state: ReferenceState, command: PlaceOrder, round: ReferenceRound): ErrorCode | null {
  const account = must(accountOf(state, command.account), 'account');
  const tierMaxCents = must(rulesOf(state).tiers[account.tier], 'tier').maxStakeCents;
  if (command.stakeCents < round.rules.minStakeCents) return 'stake_out_of_range';
  if (command.stakeCents > Math.min(round.rules.maxStakeCents, tierMaxCents)) return 'stake_out_of_range';
  return null;
}

function accountRefusal(state: ReferenceState, command: PlaceOrder): ErrorCode | null {
  const account = must(accountOf(state, command.account), 'account');
  const rules = rulesOf(state);
  if (command.stakeCents > account.balanceCents) return 'insufficient_balance';
  const openBets = account.bets.filter((bet) => bet.settled === null).length;
  if (openBets >= rules.openBetsMax) return 'too_many_open_bets';
  const isRemembering = command.idempotency !== null;
  if (isRemembering && liveEntries(state, command.timeMs).length >= rules.idempotencyEntriesMax) {
    return 'idempotency_full';
  }
  return null;
}

export function exposureRefusal(
  round: ReferenceRound,
  { side, stakeCents, payoutCents }: BetPlaced,
  fairShareE6: number,
): ErrorCode | null {
  const [upCents, downCents] = offeredPools(round, fairShareE6);
  if (payoutsOn(round, side) + payoutCents > upCents + downCents + stakeCents) return 'round_exposure_limit';
  if (isQuoted(round)) {
    const edge = edgeOfRound(round) + edgeOf(side, stakeCents, payoutCents, fairShareE6);
    if (edge < 0n) return 'round_exposure_limit';
  }
  return null;
}

function stakeRefusal(
  state: ReferenceState,
  command: PlaceOrder,
  round: ReferenceRound,
  guards: OrderGuards | null,
): ErrorCode | null {
  const { side, fairShareE6, expectedPercentE6 } = command;
  const outOfRange = rangeRefusal(state, command, round);
  if (outOfRange !== null) return outOfRange;

  const [upCents, downCents] = offeredPools(round, fairShareE6);
  const publishedE6 = referencePercentE2(side, upCents, downCents) * 10_000;
  const isGuarded = expectedPercentE6 !== -1;
  if (isGuarded && Math.abs(publishedE6 - expectedPercentE6) > round.slippageE2 * 10_000) {
    return 'odds_changed';
  }

  const bet = priced(state, command, round);
  if (guards !== null && bet.oddsE4 < guards.minOddsE4) return 'odds_changed';
  const { balanceCents } = must(accountOf(state, command.account), 'account');
  if (command.stakeCents > balanceCents) return 'insufficient_balance';
  return exposureRefusal(round, bet, fairShareE6) ?? accountRefusal(state, command);
}

/** Odds and percent are those after the stake has joined. */
export function priced(state: ReferenceState, command: PlaceOrder, round: ReferenceRound): BetPlaced {
  const { timeMs, account: number, market, side, stakeCents, fairShareE6 } = command;
  const { clientSeed, clientOrderId, limitOddsE4 } = command;
  const offered = offeredPools(round, fairShareE6);
  const upCents = offered[0] + (side === 0 ? stakeCents : 0);
  const downCents = offered[1] + (side === 0 ? 0 : stakeCents);
  const oddsE4 = referenceOddsE4(upCents + downCents, side === 0 ? upCents : downCents);
  const account = must(accountOf(state, number), 'account');
  return {
    type: 'betPlaced',
    ...{ timeMs, bet: state.bets.length + 1, account: number, market, roundNumber: round.roundNumber },
    ...{ side, stakeCents, oddsE4, entryPercentE2: referencePercentE2(side, upCents, downCents) },
    payoutCents: referencePayoutCents(stakeCents, oddsE4, round.feeBps),
    newBalanceCents: account.balanceCents - stakeCents,
    ...{ clientSeed, clientOrderId, limitOddsE4, filled: null },
    fairShareE6: isQuoted(round) ? fairShareE6 : -1,
  };
}

function factsOf(order: BetPlaced | OrderPending): OrderTerms {
  const { fairShareE6: _, validUntilMs: __, ...facts } = { validUntilMs: 0, ...order };
  return facts;
}

function accept(state: ReferenceState, command: PlaceOrder, bet: BetPlaced, round: ReferenceRound): Verdict {
  const own = add(state, command, bet, round, false);
  if (command.limitOddsE4 !== 0) own.filledAtMs = command.timeMs;
  if (isQuoted(round)) round.upSeedCents = upSeedAt(round, command.fairShareE6);
  round.bets.push(own);
  const fills = fill(state, round, command.timeMs, command.fairShareE6, FILLS_MAX);
  const placed = { ...bet, filled: fills.length === 0 ? null : filledBy(fills) };
  own.placed = placed;
  remember(state, command, placed);
  return { events: [placed, ...fills] };
}

function rest(state: ReferenceState, command: PlaceOrder, bet: BetPlaced, round: ReferenceRound): Verdict {
  const { limitOddsE4 } = command;
  const payoutCents = referencePayoutCents(bet.stakeCents, limitOddsE4, round.feeBps);
  const atLimit = { ...bet, oddsE4: limitOddsE4, entryPercentE2: 0, payoutCents };
  round.resting.push(add(state, command, atLimit, round, true));
  const pending: OrderPending = { ...atLimit, type: 'orderPending', validUntilMs: command.validUntilMs };
  remember(state, command, pending);
  return { events: [pending] };
}

function add(
  state: ReferenceState,
  command: PlaceOrder,
  placed: BetPlaced,
  round: ReferenceRound,
  hasRested: boolean,
): ReferenceBet {
  const { limitOddsE4, key } = command;
  const account = must(accountOf(state, command.account), 'account');
  const changeNumber = ++state.changes;
  const validUntilMs = hasRested && command.validUntilMs !== 0 ? command.validUntilMs : null;
  const facts = { placed, key, limitOddsE4, hasRested, validUntilMs, filledAtMs: null };
  const bet: ReferenceBet = { ...facts, round, settled: null, changeNumber };
  account.balanceCents -= command.stakeCents;
  account.bets.push(bet);
  account.placedKept = Math.min(account.placedKept + 1, rulesOf(state).historyBetsMax);
  state.bets.push(bet);
  return bet;
}

function remember(state: ReferenceState, command: PlaceOrder, order: BetPlaced | OrderPending): void {
  if (command.idempotency === null) return;
  const { keyHigh, keyLow, body } = command.idempotency;
  const { account, timeMs } = command;
  const event = factsOf(order);
  state.idempotency.push({ account, keyHigh, keyLow, body, timeMs, seq: state.seq + 1, event });
}
