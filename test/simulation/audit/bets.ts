/**
 * Every bet: placed inside its window, by a key that may, within every limit and once for its Idempotency-Key; its
 * odds and payout computed again in BigInt; settled once, for the promised payout.
 */
import type { Command, PlaceOrder } from '../../../engine/model/commands.js';
import {
  BET_RESULTS,
  isUnfilled,
  LIVE,
  NO_FAIR_SHARE,
  NO_LIMIT,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_UP,
  RESULT_VOID,
  WRITE_TIER,
} from '../../../engine/model/domain.js';
import type {
  BetPlaced,
  BetSettled,
  OrderFacts,
  OrderFilled,
  OrderPending,
} from '../../../engine/model/events.js';
import type { PlaceLimitOrder } from '../../../engine/model/orders.js';
import { referencePayoutCents } from '../../support/reference/arithmetic.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import type { RoundPools } from './pools.js';
import { type Must, RestingLedger } from './resting.js';
import type { RoundBook, RoundLedger } from './rounds.js';

/** What a settlement needs of a bet. */
type OpenBet = Pick<
  OrderFacts,
  'bet' | 'account' | 'market' | 'roundNumber' | 'side' | 'stakeCents' | 'payoutCents'
>;

const ORDERS_WRITE = 0b0100;
/** Key expiry is judged on the wall clock, which may stand this far before engine time and count as sound. */
const CLOCK_TOLERANCE_MS = 1_000;

export class BetLedger {
  readonly open = new Map<number, OpenBet>();
  readonly resting: RestingLedger;
  /** The last bet of each account and Idempotency-Key. */
  readonly #byKey = new Map<string, OrderFacts>();
  placedCount = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly rounds: RoundLedger,
  ) {
    this.resting = new RestingLedger(ledger, rounds);
  }

  onPlaced(bet: BetPlaced, order: PlaceOrder | PlaceLimitOrder): void {
    const round = this.rounds.round(bet.market, bet.roundNumber);
    const must = mustOf(bet, round);
    this.#checkOrder(bet, order, round, must);
    const { fairShareE6 } = order;
    const pools = poolsOf(round);
    if (order.kind === 'placeOrder' && order.expectedPercentE6 >= 0) {
      const movedE6 = Math.abs(pools.percentE2(bet.side, fairShareE6) * 10_000 - order.expectedPercentE6);
      must(
        movedE6 <= round.slippageE2 * 10_000,
        'slippage',
        () => `the odds are ${movedE6} away from what was expected`,
      );
    }
    must(bet.oddsE4 >= bet.limitOddsE4, 'limit', () => `placed at ${bet.oddsE4}, below ${bet.limitOddsE4}`);
    joinPools(bet, round, fairShareE6, must);
    this.ledger.account(bet.account).openBets++;
    this.#open(bet, round);
    this.ledger.move(bet.account, -bet.stakeCents, bet.newBalanceCents);
  }

  /** A limit order that could not be a bet at once rests, its stake reserved. */
  onPending(order: OrderPending, command: PlaceLimitOrder): void {
    const round = this.rounds.round(order.market, order.roundNumber);
    const must = mustOf(order, round);
    this.#checkOrder(order, command, round, must);
    const { side, stakeCents, limitOddsE4 } = order;
    const now = poolsOf(round).offer(side, stakeCents, command.fairShareE6);
    must(
      now.oddsE4 < limitOddsE4 || !now.isCovered,
      'rests',
      () => `rests though it gets ${now.oddsE4}, which is not below ${limitOddsE4}`,
    );
    const paysCents = referencePayoutCents(stakeCents, limitOddsE4, round.feeBps);
    must(
      order.oddsE4 === limitOddsE4 && order.payoutCents === paysCents && order.entryPercentE2 === 0,
      'rests',
      () => `is told as ${JSON.stringify(order)}`,
    );
    this.ledger.account(order.account).openBets++;
    this.resting.add(order, round);
  }

  /** What rested is a bet from now on. Its stake was taken when it was placed. */
  onFilled(filled: OrderFilled, command: Command): void {
    const round = this.rounds.round(filled.market, filled.roundNumber);
    const must = mustOf(filled, round);
    const order = this.resting.fill(filled, round, this.ledger.isOpenForBets(filled.market), must);
    const fairShareE6 = 'fairShareE6' in command ? command.fairShareE6 : NO_FAIR_SHARE;
    joinPools(filled, round, fairShareE6, must);
    this.#open({ ...order, payoutCents: filled.payoutCents }, round);
    this.ledger.move(order.account, 0, filled.newBalanceCents);
  }

  /** What holds of every order that is taken, whether it is a bet at once or rests. */
  #checkOrder(
    bet: BetPlaced | OrderPending,
    order: PlaceOrder | PlaceLimitOrder,
    round: RoundBook,
    must: Must,
  ): void {
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
    must(this.ledger.isOpenForBets(bet.market), 'trading', () => 'placed while trading was off');
    must(
      bet.fairShareE6 === (poolsOf(round).isQuoted ? order.fairShareE6 : NO_FAIR_SHARE),
      'fair share',
      () => `has the fair share ${bet.fairShareE6}`,
    );
    this.#checkKey(bet, order, must);
    this.#checkLimits(bet, round, must);
    this.#checkOnce(bet, order, must);
  }

  #checkKey(bet: OrderFacts, order: PlaceOrder | PlaceLimitOrder, must: Must): void {
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

  #checkLimits(bet: OrderFacts, round: RoundBook, must: Must): void {
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
  }

  /** One Idempotency-Key places one bet within its time to live. */
  #checkOnce(bet: OrderFacts, { idempotency }: PlaceOrder | PlaceLimitOrder, must: Must): void {
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

  #open(bet: OpenBet, round: RoundBook): void {
    round.openBets++;
    this.ledger.openStakesCents += bet.stakeCents;
    this.ledger.potsCents += bet.stakeCents;
    this.open.set(bet.bet, bet);
  }

  onSettled(event: BetSettled, command: Command): void {
    if (isUnfilled(event.result)) {
      const round = this.rounds.round(event.market, event.roundNumber);
      this.resting.release(event, command, round);
      this.ledger.account(event.account).openBets--;
      return;
    }
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

/** Holds invariants of an order in its round. */
function mustOf({ bet, account }: Pick<OrderFacts, 'bet' | 'account'>, round: RoundBook): Must {
  const about = (): string[] => [`bet_${bet}`, `acc_${account}`, round.id];
  return (condition, invariant, sentence) =>
    check(condition, invariant, () => `bet ${bet} in ${round.id}: ${sentence()}`, about);
}

function isSameOrder(bet: OrderFacts, order: PlaceOrder | PlaceLimitOrder): boolean {
  return (
    bet.timeMs === order.timeMs &&
    bet.account === order.account &&
    bet.market === order.market &&
    bet.side === order.side &&
    bet.stakeCents === order.stakeCents &&
    bet.clientSeed === order.clientSeed &&
    bet.limitOddsE4 === (order.kind === 'placeLimitOrder' ? order.limitOddsE4 : NO_LIMIT)
  );
}

function poolsOf({ id, pools }: RoundBook): RoundPools {
  check(pools !== null, 'round live', () => `${id} has no pools`);
  return pools;
}

/** The stake joins its pool, at the odds that follow, and the round owes no more than it holds. */
function joinPools(bet: BetPlaced | OrderFilled, round: RoundBook, fairShareE6: number, must: Must): void {
  const { side, stakeCents } = bet;
  const pools = poolsOf(round);
  const due = pools.offer(side, stakeCents, fairShareE6);
  must(bet.oddsE4 === due.oddsE4, 'odds', () => `${bet.oddsE4}, expected ${due.oddsE4}`);
  must(
    bet.entryPercentE2 === due.entryPercentE2,
    'percent',
    () => `${bet.entryPercentE2}, expected ${due.entryPercentE2}`,
  );
  must(
    bet.payoutCents === due.payoutCents,
    'potential payout',
    () => `${bet.payoutCents}, expected ${due.payoutCents}`,
  );
  must(due.isCovered, 'exposure', () => `the round owes too much of a pool of ${pools.totalCents}`);
  pools.join(side, stakeCents, due.payoutCents, fairShareE6);
}

/** What a bet is due from the result of its round. */
function due(bet: OpenBet, roundResult: number): { readonly result: string; readonly paidCents: number } {
  if (roundResult === RESULT_VOID) return { result: 'REFUNDED', paidCents: bet.stakeCents };
  if (roundResult === RESULT_DRAW) return { result: 'DRAW', paidCents: bet.stakeCents };
  const winner = roundResult === RESULT_UP ? 0 : roundResult === RESULT_DOWN ? 1 : -1;
  return bet.side === winner
    ? { result: 'WIN', paidCents: bet.payoutCents }
    : { result: 'LOSS', paidCents: 0 };
}
