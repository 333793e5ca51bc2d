/**
 * Checks every limit order from its resting to its end: its stake is reserved once, it becomes a bet only while its round
 * takes bets, at its limit or better and in its turn, or its stake goes back for a reason that is true.
 */
import type { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { BET_ENDS, LIVE, RESULT_NONE, RESULT_VOID } from '../../../engine/model/domain.js';
import type { BetSettled, OrderFilled, OrderPending } from '../../../engine/model/events.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import type { RoundBook, RoundLedger } from './rounds.js';

export type Must = (condition: boolean, invariant: string, sentence: () => string) => void;

/** What has become of a limit order that rested; it is filled from its bet's beginning on, whatever comes of that. */
export type Fate = 'PENDING' | 'FILLED' | 'CANCELLED' | 'EXPIRED';

/** Stakes go back so soon after betting has closed, where the server runs. */
const EXPIRED_WITHIN_MS = 4_000;

export class RestingLedger {
  /** By number. */
  readonly orders = new Map<number, OrderPending>();
  readonly #fates = new Map<number, Fate>();
  restedCount = 0;
  filledCount = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly rounds: RoundLedger,
  ) {}

  /** null of an order that never rested. */
  fateOf(bet: number): Fate | null {
    return this.#fates.get(bet) ?? null;
  }

  add(order: OrderPending, round: RoundBook): void {
    this.restedCount++;
    this.orders.set(order.bet, order);
    round.resting.set(order.bet, order);
    this.#fates.set(order.bet, 'PENDING');
    this.ledger.reservedStakesCents += order.stakeCents;
    this.ledger.move(order.account, -order.stakeCents, order.newBalanceCents);
  }

  /** The order that is filled; it rests no longer. */
  fill(filled: OrderFilled, round: RoundBook, isOpenForBets: boolean, must: Must): OrderPending {
    const order = this.#take(filled.bet, round, 'FILLED');
    this.filledCount++;
    must(isSame(filled, order), 'fill', () => `is filled as ${JSON.stringify(filled)}`);
    must(
      filled.oddsE4 >= order.limitOddsE4,
      'limit',
      () => `is filled at ${filled.oddsE4}, its limit is ${order.limitOddsE4}`,
    );
    must(round.status === LIVE, 'round live', () => `is filled in status ${round.status}`);
    must(
      filled.timeMs < round.closesMs,
      'filled in time',
      () => `is filled at ${filled.timeMs}, betting closed at ${round.closesMs}`,
    );
    must(isOpenForBets, 'trading', () => 'is filled while trading was off');
    must(
      !this.ledger.account(order.account).isFrozen,
      'account',
      () => 'is filled though its account is frozen',
    );
    const passedOver = firstPassedOver(order, round);
    must(passedOver === null, 'in turn', () => `is filled before ${passedOver?.bet}, which comes first`);
    return order;
  }

  /** The stake goes back: the order was cancelled, or has expired. */
  release(event: BetSettled, command: Command, round: RoundBook): void {
    const word = BET_ENDS[event.result] === 'CANCELLED' ? 'CANCELLED' : 'EXPIRED';
    const order = this.#take(event.bet, round, word);
    const about = (): string[] => [`bet_${event.bet}`, `acc_${event.account}`, round.id];
    check(
      isSame(event, order) && event.payoutCents === order.stakeCents && event.rested,
      'stake back',
      () => `order ${event.bet} of ${order.stakeCents} ends as ${JSON.stringify(event)}`,
      about,
    );
    check(
      mayEnd(word, command, order, round),
      'stake back',
      () => `order ${event.bet} is ${word} by ${JSON.stringify(command)}`,
      about,
    );
    this.ledger.move(order.account, order.stakeCents, event.newBalanceCents);
  }

  /** After a command that freezes an account nothing of it rests any more. */
  checkFrozen(account: number): void {
    for (const order of this.orders.values())
      check(
        order.account !== account,
        'frozen',
        () => `order ${order.bet} rests on though its account is frozen`,
        () => [`bet_${order.bet}`, `acc_${account}`],
      );
  }

  /** Every order that rests by the ledger rests in the engine, too, and no other. */
  checkSame(engine: Engine, what: string): void {
    for (const { account, bet } of this.orders.values()) {
      const status = engine.order(account, bet)?.status;
      check(
        status === 'PENDING',
        what,
        () => `order ${bet} is ${status} and rests by the ledger`,
        () => [`bet_${bet}`, `acc_${account}`],
      );
    }
    check(
      engine.restingOrders === this.orders.size,
      what,
      () => `${engine.restingOrders} orders rest, by the ledger ${this.orders.size}`,
    );
  }

  /** At engine time `timeMs` no order rests whose round has taken no bets for a while. */
  checkExpired(timeMs: number): void {
    for (const { bet, account, market, roundNumber } of this.orders.values()) {
      const { id, closesMs } = this.rounds.round(market, roundNumber);
      check(
        timeMs - closesMs < EXPIRED_WITHIN_MS,
        'expires',
        () => `order ${bet} rests at ${timeMs}, and betting in ${id} closed at ${closesMs}`,
        () => [`bet_${bet}`, `acc_${account}`, id],
      );
    }
  }

  #take(bet: number, round: RoundBook, fate: Fate): OrderPending {
    const order = this.orders.get(bet);
    check(
      order !== undefined,
      'rests',
      () => `order ${bet} is ${fate} and does not rest`,
      () => [`bet_${bet}`],
    );
    this.orders.delete(bet);
    round.resting.delete(bet);
    this.#fates.set(bet, fate);
    this.ledger.reservedStakesCents -= order.stakeCents;
    return order;
  }
}

const isSame = (event: OrderFilled | BetSettled, order: OrderPending): boolean =>
  event.account === order.account &&
  event.market === order.market &&
  event.roundNumber === order.roundNumber &&
  event.side === order.side &&
  event.stakeCents === order.stakeCents &&
  (event.type === 'betSettled' ||
    (event.limitOddsE4 === order.limitOddsE4 &&
      event.placedAtMs === order.timeMs &&
      event.clientSeed === order.clientSeed));

/**
 * An order on the same side that comes first and is no larger: it would have been filled at odds that are no worse. Which
 * side comes first, and what is left out for its size, the reference model decides.
 */
function firstPassedOver(order: OrderPending, { resting }: RoundBook): OrderPending | null {
  for (const other of resting.values()) {
    if (other.side !== order.side || other.stakeCents > order.stakeCents) continue;
    const isFirst =
      other.limitOddsE4 < order.limitOddsE4 ||
      (other.limitOddsE4 === order.limitOddsE4 && other.bet < order.bet);
    if (isFirst) return other;
  }
  return null;
}

/** Whether the order may end so by this command. */
function mayEnd(
  word: 'CANCELLED' | 'EXPIRED',
  command: Command,
  order: OrderPending,
  round: RoundBook,
): boolean {
  switch (command.kind) {
    case 'cancelOrder':
      return word === 'CANCELLED' && command.account === order.account && command.bet === order.bet;
    case 'updateAccount':
      return word === 'CANCELLED' && command.account === order.account && command.frozen === true;
    case 'expireOrders':
      return word === 'EXPIRED' && command.timeMs >= round.closesMs;
    case 'settle':
      return (
        round.result !== RESULT_NONE && word === (round.result === RESULT_VOID ? 'CANCELLED' : 'EXPIRED')
      );
    default:
      return false;
  }
}
