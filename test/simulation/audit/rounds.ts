/**
 * Checks every round from its opening to its settlement: it opens and closes once, on time, with the rules in force,
 * and pays what it must. `prices.ts` checks the prices.
 */
import type { Command } from '../../../engine/model/commands.js';
import {
  LIVE,
  LOCKED,
  RESULT_DOWN,
  RESULT_DRAW,
  RESULT_NONE,
  RESULT_UP,
  RESULT_VOID,
  roundId,
  SETTLED,
  SETTLING,
  timeFrameMs,
  UPCOMING,
} from '../../../engine/model/domain.js';
import type { EngineEvent, OrderPending, RoundOpened, RoundResolved } from '../../../engine/model/events.js';
import type { MarketRules } from '../../../engine/model/rules.js';
import { check } from '../violation.js';
import type { Ledger } from './ledger.js';
import { RoundPools } from './pools.js';

export interface RoundBook {
  readonly id: string;
  readonly market: number;
  readonly roundNumber: number;
  readonly startMs: number;
  readonly lockMs: number;
  readonly endMs: number;
  readonly closesMs: number;
  readonly rules: MarketRules;
  readonly feeBps: number;
  readonly slippageE2: number;
  status: number;
  result: number;
  openPrice: number;
  /** null until it opens. */
  pools: RoundPools | null;
  paidCents: number;
  openBets: number;
  /** Limit orders that rest. */
  readonly resting: Map<number, OrderPending>;
}

export class RoundLedger {
  /** Rounds that are not settled yet. */
  readonly open = new Map<string, RoundBook>();
  readonly #settled = new Set<string>();
  settledCount = 0;
  voidedCount = 0;

  constructor(private readonly ledger: Ledger) {}

  round(market: number, roundNumber: number): RoundBook {
    const id = roundId(market, roundNumber);
    const book = this.open.get(id);
    check(
      book !== undefined,
      'round',
      () => `${id} is open`,
      () => [id],
    );
    return book;
  }

  onEvent(event: EngineEvent, command: Command): void {
    switch (event.type) {
      case 'roundUpcoming':
        this.#begin(event.market, event.roundNumber, event.roundNumber * timeFrameMs(event.market));
        return;
      case 'roundOpened':
        this.#opened(event, command);
        return;
      case 'roundLocked':
        this.#step(event, LIVE, LOCKED, (round) => event.timeMs >= round.lockMs);
        return;
      case 'roundEnded':
        this.#ended(event);
        return;
      case 'roundNotOpened':
        this.open.delete(roundId(event.market, event.roundNumber));
        return;
      case 'roundResolved':
        this.#resolved(event, command);
        return;
      case 'roundSettled':
        this.#settle(event.market, event.roundNumber);
        return;
      default:
        return;
    }
  }

  #begin(market: number, roundNumber: number, startMs: number): RoundBook {
    const id = roundId(market, roundNumber);
    const { ledger } = this;
    const rules = ledger.marketRules[market] ?? null;
    const all = ledger.rules;
    check(
      rules !== null && all !== null,
      'round',
      () => `${id} begins in an active market`,
      () => [id],
    );
    check(
      !this.open.has(id) && !this.#settled.has(id),
      'round once',
      () => `${id} begins a second time`,
      () => [id],
    );
    const endMs = (roundNumber + 1) * timeFrameMs(market);
    const lockMs = endMs - rules.lockLeadMs;
    const round: RoundBook = {
      id,
      market,
      roundNumber,
      startMs,
      lockMs,
      endMs,
      closesMs: lockMs - all.cutoffMs,
      rules,
      feeBps: all.feeBps,
      slippageE2: all.slippageE2,
      status: UPCOMING,
      result: RESULT_NONE,
      openPrice: 0,
      pools: null,
      paidCents: 0,
      openBets: 0,
      resting: new Map(),
    };
    this.open.set(id, round);
    return round;
  }

  #opened({ market, roundNumber, openPrice, timeMs }: RoundOpened, command: Command): void {
    const isLate = command.kind === 'openLate';
    const round = isLate ? this.#begin(market, roundNumber, timeMs) : this.round(market, roundNumber);
    const about = (): string[] => [round.id];
    check(round.status === UPCOMING, 'round opens', () => `${round.id} opens once`, about);
    check(!this.ledger.suspended[market], 'round opens', () => `${round.id} opens though suspended`, about);
    if (isLate) {
      const leftMs = round.closesMs - timeMs;
      const leastMs = this.ledger.rules?.lateOpenBettingMs ?? 0;
      check(
        leftMs >= leastMs && timeMs < round.endMs,
        'late opening',
        () => `${round.id} opens with ${leftMs} ms left`,
        about,
      );
    } else {
      check(timeMs >= round.startMs, 'round opens', () => `${round.id} opens before its time`, about);
    }
    round.openPrice = openPrice;
    round.status = LIVE;
    round.pools = new RoundPools(round.rules.house, round.feeBps);
  }

  #step(
    { market, roundNumber }: { readonly market: number; readonly roundNumber: number },
    from: number,
    to: number,
    isTime: (round: RoundBook) => boolean,
  ): void {
    const round = this.round(market, roundNumber);
    check(
      round.status === from && isTime(round),
      'round step',
      () => `${round.id} goes from ${round.status} to ${to}`,
      () => [round.id],
    );
    round.status = to;
  }

  #ended({ market, roundNumber, timeMs }: { market: number; roundNumber: number; timeMs: number }): void {
    const round = this.round(market, roundNumber);
    check(
      round.status <= LOCKED && timeMs >= round.endMs,
      'round ends',
      () => `${round.id} ends at ${timeMs}`,
      () => [round.id],
    );
    round.status = SETTLING;
  }

  #resolved(event: RoundResolved, command: Command): void {
    const round = this.round(event.market, event.roundNumber);
    const about = (): string[] => [round.id];
    check(round.result === RESULT_NONE, 'settled once', () => `${round.id} is resolved twice`, about);
    round.status = SETTLING;
    round.result = event.result;
    if (command.kind === 'voidRound') {
      check(event.result === RESULT_VOID, 'voided', () => `${round.id} is voided as ${event.result}`, about);
      return;
    }
    check(
      command.kind === 'boundaryPrice' && command.boundaryMs === round.endMs,
      'result',
      () => `${round.id} is resolved by its end's price`,
      about,
    );
    const { price, priceTimeMs } = command;
    const isFresh =
      price !== null && priceTimeMs !== null && round.endMs - priceTimeMs <= round.rules.maxPriceAgeMs;
    const expected = !isFresh || round.pools === null ? RESULT_VOID : resultOf(round.openPrice, price);
    check(
      event.result === expected,
      'result',
      () => `${round.id} comes to ${event.result}, expected ${expected}`,
      about,
    );
    check(
      event.closePrice === (expected === RESULT_VOID ? null : price),
      'close price',
      () => `${round.id} closes at ${event.closePrice}`,
      about,
    );
  }

  #settle(market: number, roundNumber: number): void {
    const round = this.round(market, roundNumber);
    const about = (): string[] => [round.id];
    const pool = round.pools?.totalCents ?? 0;
    check(
      round.result !== RESULT_NONE && round.openBets === 0 && round.resting.size === 0,
      'settled',
      () =>
        `${round.id} is settled with ${round.openBets} open bets and ${round.resting.size} resting orders`,
      about,
    );
    check(
      round.paidCents <= pool,
      'pool',
      () => `${round.id} paid ${round.paidCents} of a pool of ${pool}`,
      about,
    );
    round.status = SETTLED;
    this.open.delete(round.id);
    this.#settled.add(round.id);
    this.settledCount++;
    if (round.result === RESULT_VOID) this.voidedCount++;
  }
}

function resultOf(openPrice: number, closePrice: number): number {
  if (closePrice > openPrice) return RESULT_UP;
  return closePrice < openPrice ? RESULT_DOWN : RESULT_DRAW;
}
