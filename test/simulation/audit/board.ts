/**
 * Market data as clients read them: an answer's facts of a round belong together, and pools and prices are those of
 * an instant within the last 50 ms, whichever gateway shows them.
 */
import type { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import { assetOf, marketOf, roundId, timeFrameMs } from '../../../engine/model/domain.js';
import type { Outcome } from '../../../engine/model/events.js';
import { MARKET_AGE_MS_MAX } from '../../../http/api/market-view.js';
import type { LatestTick } from '../../../http/board/market-publisher.js';
import type { Market } from '../../../http/wire/types.js';
import { cents } from '../../support/api/spec-arithmetic.js';
import type { SimClock } from '../machine/scheduler.js';
import { check } from '../violation.js';

const REMEMBERED_MAX = 200;

interface Since<T> {
  readonly atMs: number;
  readonly value: T;
}

class Recent<T> {
  readonly #values: Since<T>[];

  constructor(...first: readonly T[]) {
    this.#values = first.map((value) => ({ atMs: Number.NEGATIVE_INFINITY, value }));
  }

  add(atMs: number, value: T): void {
    if (this.#values.at(-1)?.value === value) return;
    this.#values.push({ atMs, value });
    if (this.#values.length > REMEMBERED_MAX) this.#values.shift();
  }

  after(fromMs: number): T[] {
    const first = this.#values.findLastIndex(({ atMs }) => atMs <= fromMs);
    return this.#values.slice(Math.max(0, first)).map(({ value }) => value);
  }
}

interface BoardSources {
  readonly engine: Engine;
  readonly latestTick: LatestTick;
  readonly clock: SimClock;
  nowMs(): number;
}

export class BoardAudit {
  /** Both pools together, by round. How the house splits them moves with the clock, too. */
  readonly #pools = new Map<string, Recent<number>>();
  readonly #prices = new Map<number, Recent<number | null>>();

  constructor(private readonly sources: BoardSources) {
    this.#noteAllPools();
  }

  onCommand(command: Command, outcome: Outcome): void {
    if (outcome.status !== 'accepted') return;
    if (command.kind === 'placeOrder') this.#notePools(command.market);
    else this.#noteAllPools();
  }

  onTick(asset: number): void {
    // There is none before the first.
    const known = this.#prices.get(asset) ?? new Recent<number | null>(null);
    this.#prices.set(asset, known);
    known.add(this.sources.nowMs(), this.sources.latestTick(asset)?.price ?? null);
  }

  #noteAllPools(): void {
    const { rules } = this.sources.engine;
    for (const { marketId } of rules?.markets ?? []) this.#notePools(marketOf(marketId));
  }

  #notePools(market: number): void {
    const round = this.sources.engine.currentRound(market);
    if (round === null) return;
    const id = roundId(market, round.roundNumber);
    const known = this.#pools.get(id) ?? new Recent<number>();
    this.#pools.set(id, known);
    known.add(this.sources.nowMs(), round.poolUpCents + round.poolDownCents);
  }

  check(shown: Market): void {
    const round = shown.currentRound;
    if (round === null) return;
    const market = marketOf(shown.id);
    const about = (): string[] => [shown.id];
    const frameMs = timeFrameMs(market);
    const boundaryMs = round.roundNumber * frameMs;
    // A round may open late.
    const startMs = Date.parse(round.startTime);
    const isWhole =
      round.id === roundId(market, round.roundNumber) &&
      startMs >= boundaryMs &&
      startMs < Date.parse(round.lockTime) &&
      Date.parse(round.endTime) === boundaryMs + frameMs &&
      Date.parse(round.lockTime) < Date.parse(round.endTime) &&
      (round.openPrice === null) === (round.status === 'UPCOMING') &&
      cents(shown.poolUp) + cents(shown.poolDown) === cents(shown.totalPool);
    check(isWhole, 'market whole', () => `one answer shows ${JSON.stringify(shown)}`, about);
    // A wall clock that was set may bring bytes from before back as if they were new.
    if (this.sources.clock.wasSet) return;
    const fromMs = this.sources.nowMs() - MARKET_AGE_MS_MAX;
    const pools = this.#pools.get(round.id)?.after(fromMs);
    const inCents = Number(cents(shown.totalPool));
    check(
      // Until its opening is durable, a round shows the pools of one that has not opened.
      round.status === 'UPCOMING' || pools === undefined || pools.includes(inCents),
      'pools shown',
      () => `${round.id} shows pools ${inCents}; within the last ${MARKET_AGE_MS_MAX} ms they were ${pools}`,
      about,
    );
    const prices = this.#prices.get(assetOf(market))?.after(fromMs);
    check(
      prices === undefined || prices.includes(round.currentPrice),
      'price shown',
      () =>
        `${shown.id} shows ${round.currentPrice}; within the last ${MARKET_AGE_MS_MAX} ms it was ${prices}`,
      about,
    );
  }
}
