/**
 * Broadcasts the events of durable commands on the engine's thread: each is written once, for any number of listeners.
 * A gateway with listeners that has read everything is woken once a batch.
 *
 * Events come a batch at a time, those of orders behind all others. They are written in the order of their commands, so
 * that a client that has seen number n has seen everything up to n.
 */
import { must } from '../../engine/base/assert.js';
import type { EngineReads } from '../../engine/engine.js';
import { isUnfilled, MARKETS_MAX, RESULT_VOID } from '../../engine/model/domain.js';
import type {
  BalanceMoved,
  BetPlaced,
  BetSettled,
  EngineEvent,
  KeyChanged,
  OrderFilled,
  OrderPending,
  RootPublished,
  RoundChanged,
  RoundOpened,
} from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import * as R from './records.js';

const HOUSE_ACCOUNT = 0;

export class BroadcastPublisher {
  readonly #end: R.BroadcastEnd;
  /**
   * The commands of the batch at hand, in step with their events. Orders that do no more than place a bet are in
   * `#bets`.
   */
  readonly #seqs: number[] = [];
  readonly #events: (readonly EngineEvent[])[] = [];
  #bets: readonly BetPlaced[] = [];
  readonly #gateways: (() => void)[] = [];
  /** From their beginning until their settlement is told: they may have left the engine's memory by then. */
  readonly #rounds = new Map<number, RoundView>();

  /** All of the engine's state must be durable. */
  constructor(
    memory: R.BroadcastMemory,
    private readonly engine: EngineReads,
  ) {
    this.#end = new R.BroadcastEnd(memory, engine.seq);
    for (let market = 0; market < MARKETS_MAX; market++) this.#keep(engine.currentRound(market));
    for (const round of engine.unsettledRounds()) this.#keep(round);
  }

  /** `wake` wakes the gateway with the next number, from 0 on. */
  addGateway(wake: () => void): void {
    this.#gateways.push(wake);
  }

  /** Events that are not durable yet: `onEvents` has them later. */
  onApplied(events: readonly EngineEvent[]): void {
    for (const event of events) {
      if (event.type === 'roundUpcoming' || event.type === 'roundOpened')
        this.#keep(this.engine.round(event.market, event.roundNumber));
      else if (event.type === 'roundNotOpened') this.#rounds.delete(keyOf(event));
    }
  }

  onEvents(seq: number, events: readonly EngineEvent[]): void {
    this.#seqs.push(seq);
    this.#events.push(events);
  }

  onBets(bets: readonly BetPlaced[]): void {
    this.#bets = bets;
  }

  onEnd(firstSeq: number, lastSeq: number): void {
    let others = 0;
    let orders = 0;
    let isNews = this.#bets.length > 0;
    for (let seq = firstSeq; seq <= lastSeq; seq++) {
      if (this.#seqs[others] !== seq) this.#placed(seq, must(this.#bets[orders++], 'the bet of an order'));
      else for (const event of this.#events[others++] ?? []) isNews = this.#write(seq, event) || isNews;
    }
    this.#seqs.length = 0;
    this.#events.length = 0;
    this.#bets = [];
    if (!isNews) return;
    this.#end.rounds.publish();
    this.#end.bets.publish();
    this.wake();
  }

  wake(): void {
    for (const [gateway, wake] of this.#gateways.entries()) if (this.#end.takeSleep(gateway)) wake();
  }

  #write(seq: number, event: EngineEvent): boolean {
    switch (event.type) {
      case 'betPlaced':
        this.#placed(seq, event);
        return true;
      case 'orderPending':
        this.#placed(seq, event, R.ORDER_PENDING);
        return true;
      case 'orderFilled':
        this.#placed(seq, event, R.ORDER_FILLED);
        return true;
      case 'betSettled':
        this.#settled(seq, event);
        return true;
      case 'balanceMoved':
        if (event.account === HOUSE_ACCOUNT) return false;
        this.#ofAccount(seq, R.MOVED, event, R.BALANCE_CENTS, event.balanceCents);
        return true;
      case 'keyCreated':
        this.#ofAccount(seq, R.KEY_CREATED, event, R.BET, event.key);
        return true;
      case 'roundOpened':
      case 'roundLocked':
        this.#round(seq, event);
        return true;
      case 'rootPublished':
        this.#root(seq, event);
        return true;
      case 'roundSettled':
        this.#round(seq, event);
        this.#rounds.delete(keyOf(event));
        return true;
      default:
        return false;
    }
  }

  #placed(seq: number, bet: BetPlaced | OrderPending | OrderFilled, kind = R.BET_PLACED): void {
    const { cells } = this.#end.bets;
    const at = this.#bet(seq, kind, bet);
    cells[at + R.ODDS_E4] = bet.oddsE4;
    cells[at + R.ENTRY_PERCENT_E2] = bet.entryPercentE2;
  }

  #settled(seq: number, bet: BetSettled): void {
    const { cells } = this.#end.bets;
    const at = this.#bet(seq, isUnfilled(bet.result) ? R.ORDER_ENDED : R.BET_SETTLED, bet);
    cells[at + R.BET_RESULT] = bet.result;
    cells[at + R.ENTRY_PERCENT_E2] = 0;
  }

  /** Fills the fields that all records of bets have; returns where the record begins. */
  #bet(seq: number, kind: number, bet: BetPlaced | OrderPending | OrderFilled | BetSettled): number {
    const { cells } = this.#end.bets;
    if (bet.clientOrderId !== null) this.#named(seq, bet.timeMs, bet.clientOrderId);
    const at = this.#end.bets.begin();
    cells[at + R.SEQ] = seq;
    cells[at + R.TIME_MS] = bet.timeMs;
    cells[at + R.KIND] = kind;
    cells[at + R.ACCOUNT] = bet.account;
    cells[at + R.BALANCE_CENTS] = bet.newBalanceCents;
    cells[at + R.MARKET_SIDE] = bet.market * 2 + bet.side;
    cells[at + R.BET_ROUND_NUMBER] = bet.roundNumber;
    cells[at + R.BET] = bet.bet;
    cells[at + R.STAKE_CENTS] = bet.stakeCents;
    cells[at + R.PAYOUT_CENTS] = bet.payoutCents;
    return at;
  }

  #named(seq: number, timeMs: number, name: string): void {
    const { cells } = this.#end.bets;
    const at = this.#end.bets.begin();
    cells[at + R.SEQ] = seq;
    cells[at + R.TIME_MS] = timeMs;
    cells[at + R.KIND] = R.ORDER_NAME;
    cells[at + R.ACCOUNT] = HOUSE_ACCOUNT;
    R.writeName(cells, at, name);
  }

  #ofAccount(
    seq: number,
    kind: number,
    { timeMs, account }: BalanceMoved | KeyChanged,
    field: number,
    value: number,
  ): void {
    const { cells } = this.#end.bets;
    const at = this.#end.bets.begin();
    cells.fill(0, at, at + R.BETS_FORM.fields);
    cells[at + R.SEQ] = seq;
    cells[at + R.TIME_MS] = timeMs;
    cells[at + R.KIND] = kind;
    cells[at + R.ACCOUNT] = account;
    cells[at + field] = value;
  }

  #ofRound(seq: number, { timeMs, market, roundNumber }: RootPublished | RoundOpened | RoundChanged): number {
    const { cells } = this.#end.rounds;
    const at = this.#end.rounds.begin();
    cells.fill(0, at, at + R.ROUNDS_FORM.fields);
    cells[at + R.SEQ] = seq;
    cells[at + R.TIME_MS] = timeMs;
    cells[at + R.MARKET] = market;
    cells[at + R.ROUND_NUMBER] = roundNumber;
    return at;
  }

  #keep(round: RoundView | null): void {
    if (round !== null) this.#rounds.set(keyOf(round), round);
  }

  #root(seq: number, root: RootPublished): void {
    const { cells } = this.#end.rounds;
    const at = this.#ofRound(seq, root);
    cells[at + R.KIND] = R.ROOT;
    R.writeRoot(cells, at, root);
  }

  /** The fields that it reads from the round no longer change, although the engine is ahead. */
  #round(seq: number, event: RoundOpened | RoundChanged): void {
    const { type } = event;
    const round = must(this.#rounds.get(keyOf(event)), 'the round of an event');
    const { cells } = this.#end.rounds;
    const at = this.#ofRound(seq, event);
    cells[at + R.OPEN_PRICE] = round.openPrice ?? 0;
    if (type === 'roundLocked') {
      cells[at + R.KIND] = R.LOCKED;
    } else if (type === 'roundOpened') {
      cells[at + R.KIND] = R.OPENED;
      cells[at + R.START_TIME_MS] = round.startTimeMs;
      cells[at + R.BETTING_CLOSES_MS] = round.bettingClosesMs;
      cells[at + R.LOCK_TIME_MS] = round.lockTimeMs;
      cells[at + R.END_TIME_MS] = round.endTimeMs;
    } else {
      cells[at + R.KIND] = round.result === RESULT_VOID ? R.VOIDED : R.SETTLED;
      cells[at + R.RESULT] = round.result;
      cells[at + R.CLOSE_PRICE] = round.closePrice ?? 0;
      cells[at + R.BETS] = round.betCount;
      cells[at + R.VOLUME_CENTS] = round.volumeCents;
    }
  }
}

const keyOf = ({ market, roundNumber }: Pick<RoundView, 'market' | 'roundNumber'>): number =>
  roundNumber * MARKETS_MAX + market;
