/**
 * Every bet: placed inside its window, by a key that may, within every limit and once for its Idempotency-Key; its
 * odds and payout computed again in BigInt; settled once, for the promised payout.
 */
import type { PlaceOrder } from '../../../engine/model/commands.js';
import {
  BET_RESULTS,
  LIVE,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  WRITE_TIER,
} from '../../../engine/model/domain.js';
import type { BetPlaced, BetSettled } from '../../../engine/model/events.js';
import {
  referenceOddsE4,
  referencePayoutCents,
  referencePercentE2,
} from '../../support/reference/arithmetic.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import type { RoundBook, RoundLedger } from './rounds.js';

const ORDERS_WRITE = 0b0100;
/** Key expiry is judged on the wall clock, which may stand this far before engine time and count as sound. */
const CLOCK_TOLERANCE_MS = 1_000;

export class BetLedger {
  readonly open = new Map<number, BetPlaced>();
  /** The last bet of each account and Idempotency-Key. */
  readonly #byKey = new Map<string, BetPlaced>();
  placedCount = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly rounds: RoundLedger,
  ) {}

  onPlaced(bet: BetPlaced, order: PlaceOrder): void {
    const round = this.rounds.round(bet.market, bet.roundNumber);
    const about = (): string[] => [`bet_${bet.bet}`, `acc_${bet.account}`, round.id];
    const must = (condition: boolean, invariant: string, sentence: () => string): void =>
      check(condition, invariant, () => `bet ${bet.bet} in ${round.id}: ${sentence()}`, about);
    this.placedCount++;
    must(bet.bet === this.placedCount, 'bet number', () => `is not number ${this.placedCount}`);
    must(isSameOrder(bet, order), 'bet', () => 'is not what was ordered');
    must(round.status === LIVE, 'round live', () => `the round has status ${round.status}`);
    must(
      bet.timeMs >= round.startMs,
      'betting window',
      () => `placed at ${bet.timeMs}, before the start ${round.startMs}`,
    );
    must(
      bet.timeMs < round.closesMs,
      'betting window',
      () => `placed at ${bet.timeMs}, betting closed at ${round.closesMs}`,
    );
    must(
      this.ledger.isTrading && !this.ledger.suspended[bet.market],
      'trading',
      () => 'placed while trading was off',
    );
    this.#checkKey(bet, order, must);
    this.#checkLimits(bet, order, round, must);
    this.#checkOnce(bet, order, must);
    joinPool(bet, order, round, must);
    this.#book(bet, round);
  }

  #checkKey(bet: BetPlaced, order: PlaceOrder, must: Must): void {
    const account = this.ledger.account(bet.account);
    const key = this.ledger.keys[order.key] ?? null;
    must(key?.account === bet.account && key.isEnabled, 'key', () => `placed with key ${order.key}`);
    must(((key?.scopesMask ?? 0) & ORDERS_WRITE) !== 0, 'scope', () => 'placed without the scope');
    const expiresAtMs = key?.expiresAtMs ?? null;
    must(
      expiresAtMs === null || bet.timeMs < expiresAtMs + CLOCK_TOLERANCE_MS,
      'key',
      () => 'placed with an expired key',
    );
    must(
      account.tier >= WRITE_TIER && !account.isFrozen,
      'account',
      () => 'placed by an account that may not',
    );
  }

  #checkLimits(bet: BetPlaced, order: PlaceOrder, round: RoundBook, must: Must): void {
    const account = this.ledger.account(bet.account);
    const tierMaxCents = this.ledger.rules?.tiers[account.tier]?.maxStakeCents ?? 0;
    const { minStakeCents, maxStakeCents } = round.rules;
    must(bet.stakeCents >= minStakeCents, 'stake', () => `${bet.stakeCents} is below ${minStakeCents}`);
    must(
      bet.stakeCents <= Math.min(maxStakeCents, tierMaxCents),
      'stake',
      () => `${bet.stakeCents} is above the limit`,
    );
    must(
      account.openBets < (this.ledger.rules?.openBetsMax ?? 0),
      'open bets',
      () => `${account.openBets} are open already`,
    );
    must(account.balanceCents >= bet.stakeCents, 'balance', () => `the balance is ${account.balanceCents}`);
    if (order.expectedPercentE6 < 0) return;
    const before = referencePercentE2(bet.side, round.poolUpCents, round.poolDownCents);
    const movedE6 = Math.abs(before * 10_000 - order.expectedPercentE6);
    must(
      movedE6 <= round.slippageE2 * 10_000,
      'slippage',
      () => `the odds are ${movedE6} away from what was expected`,
    );
  }

  /** One Idempotency-Key places one bet within its time to live. */
  #checkOnce(bet: BetPlaced, { idempotency }: PlaceOrder, must: Must): void {
    if (idempotency === null) return;
    const name = `${bet.account}:${idempotency.keyHigh}:${idempotency.keyLow}`;
    const before = this.#byKey.get(name);
    const ttlMs = this.ledger.rules?.idempotencyTtlMs ?? 0;
    must(
      before === undefined || bet.timeMs - before.timeMs >= ttlMs,
      'placed once',
      () => `its key placed bet ${before?.bet} already`,
    );
    this.#byKey.set(name, bet);
  }

  #book(bet: BetPlaced, round: RoundBook): void {
    round.openBets++;
    this.ledger.openStakesCents += bet.stakeCents;
    this.ledger.potsCents += bet.stakeCents;
    this.ledger.account(bet.account).openBets++;
    this.ledger.move(bet.account, -bet.stakeCents, bet.newBalanceCents);
    this.open.set(bet.bet, bet);
  }

  onSettled(event: BetSettled): void {
    const bet = this.open.get(event.bet);
    const about = (): string[] => [`bet_${event.bet}`, `acc_${event.account}`];
    check(bet !== undefined, 'settled once', () => `bet ${event.bet} is not open and is settled`, about);
    const round = this.rounds.round(bet.market, bet.roundNumber);
    const { result, paidCents } = due(bet, round.result);
    const word = BET_RESULTS[event.result];
    check(
      word === result,
      'bet result',
      () => `bet ${event.bet} comes to ${word}, expected ${result}`,
      about,
    );
    check(
      event.payoutCents === paidCents,
      'payout',
      () => `bet ${event.bet} is paid ${event.payoutCents}, due are ${paidCents}`,
      about,
    );
    this.open.delete(event.bet);
    round.openBets--;
    round.paidCents += paidCents;
    this.ledger.openStakesCents -= bet.stakeCents;
    this.ledger.potsCents -= paidCents;
    this.ledger.account(bet.account).openBets--;
    this.ledger.move(event.account, paidCents, event.newBalanceCents);
  }
}

type Must = (condition: boolean, invariant: string, sentence: () => string) => void;

function isSameOrder(bet: BetPlaced, order: PlaceOrder): boolean {
  return (
    bet.timeMs === order.timeMs &&
    bet.account === order.account &&
    bet.market === order.market &&
    bet.side === order.side &&
    bet.stakeCents === order.stakeCents &&
    bet.clientSeed === order.clientSeed
  );
}

/** The stake joins its pool, at the odds that follow, and the round owes no more than it holds. */
function joinPool(bet: BetPlaced, order: PlaceOrder, round: RoundBook, must: Must): void {
  const isUp = bet.side === 0;
  if (isUp) round.poolUpCents += bet.stakeCents;
  else round.poolDownCents += bet.stakeCents;
  const { poolUpCents, poolDownCents } = round;
  const totalCents = poolUpCents + poolDownCents;
  const oddsE4 = referenceOddsE4(totalCents, isUp ? poolUpCents : poolDownCents);
  must(bet.oddsE4 === oddsE4, 'odds', () => `${bet.oddsE4}, expected ${oddsE4}`);
  const percentE2 = referencePercentE2(order.side, poolUpCents, poolDownCents);
  must(bet.entryPercentE2 === percentE2, 'percent', () => `${bet.entryPercentE2}, expected ${percentE2}`);
  const payoutCents = referencePayoutCents(bet.stakeCents, oddsE4, round.feeBps);
  must(
    bet.payoutCents === payoutCents,
    'potential payout',
    () => `${bet.payoutCents}, expected ${payoutCents}`,
  );
  if (isUp) round.owedUpCents += payoutCents;
  else round.owedDownCents += payoutCents;
  const owedCents = isUp ? round.owedUpCents : round.owedDownCents;
  must(owedCents <= totalCents, 'exposure', () => `the round owes ${owedCents} of a pool of ${totalCents}`);
}

/** What a bet is due from the result of its round. */
function due(bet: BetPlaced, roundResult: number): { readonly result: string; readonly paidCents: number } {
  if (roundResult === RESULT_VOID) return { result: 'REFUNDED', paidCents: bet.stakeCents };
  if (roundResult === RESULT_DRAW) return { result: 'DRAW', paidCents: bet.stakeCents };
  const winner = roundResult === RESULT_UP ? 0 : roundResult === RESULT_DOWN ? 1 : -1;
  return bet.side === winner
    ? { result: 'WIN', paidCents: bet.payoutCents }
    : { result: 'LOSS', paidCents: 0 };
}
