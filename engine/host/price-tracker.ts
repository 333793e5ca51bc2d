/**
 * Turns price ticks, which are not journaled, into journaled prices: `boundaryPrice` commands for boundaries that
 * rounds are waiting for, and `openLate` commands for markets without a round while the price is fresh. It is not part
 * of the engine's state and starts empty.
 */
import { assert, must } from '../base/assert.js';
import type { EngineReads } from '../engine.js';
import type { BoundaryPrice, OpenLate } from '../model/commands.js';
import { ASSETS } from '../model/domain.js';
import type { PriceTick, TickVerdict } from '../model/ports.js';
import type { PriceEstimate } from '../model/prices.js';
import { BoundaryWindow, GRACE_MS } from './ticks/boundary-window.js';
import { AGREEMENT_MS, type HeldPrice, Jumps, type LastPrice, RATIO_MAX } from './ticks/jumps.js';
import { priceAgeMsMax, type Waiting, waitingBoundaries } from './ticks/waiting.js';

const TICK_AHEAD_MS_MAX = 1_000;
/** Longest source and origin together: they are journaled as evidence. */
export const TICK_EVIDENCE_LENGTH_MAX = 4_096;

const TAKEN: TickVerdict = { taken: true };
const refuse = (detail: string): TickVerdict => ({ taken: false, detail });

export interface Estimator {
  take(tick: PriceTick): void;
  /** null where nothing depends on it. */
  estimate(asset: number): PriceEstimate | null;
}

export class PriceTracker {
  #windows: readonly BoundaryWindow[] = [];
  readonly #jumps: readonly Jumps[];
  /** By boundary, then by asset. */
  #waiting: readonly Waiting[] = [];
  #waitingOfSeq = -1;
  #estimator: Estimator | null = null;
  /** By asset: when the last tick with a newer timestamp arrived, in engine time. */
  readonly #renewedMs: number[] = ASSETS.map(() => Number.NEGATIVE_INFINITY);
  #onHeld: (tick: PriceTick, last: LastPrice) => void = () => undefined;
  #onPast: (asset: number, boundaryMs: number) => void = () => undefined;

  /** `pastGraceMs`: how long after the start ticks for boundaries from before it are taken; at most an hour. */
  constructor(
    private readonly engine: EngineReads,
    private readonly pastGraceMs = GRACE_MS,
    private readonly ratioMax = RATIO_MAX,
  ) {
    this.#jumps = ASSETS.map(() => new Jumps(ratioMax));
  }

  /** A price is final by `untilMs`; until then a tick may still decide it. */
  get awaited() {
    return this.#waiting.map(({ asset, boundaryMs }) => {
      const untilMs = this.#windows[asset]?.graceEndsMs(boundaryMs) ?? boundaryMs + GRACE_MS;
      return { asset, boundaryMs, untilMs };
    });
  }
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** The estimator receives every tick that is accepted from now on, and boundary prices carry its estimates. */
  teach(estimator: Estimator): void {
    this.#estimator = estimator;
  }

  /** `last` is the price from which the tick is too far. */
  onHeld(reader: (tick: PriceTick, last: LastPrice) => void): void {
    this.#onHeld = reader;
  }

  /** The reader is told of each missed boundary that a round is waiting for. */
  onPast(reader: (asset: number, boundaryMs: number) => void): void {
    this.#onPast = reader;
  }

  /** Called once, at engine time `nowMs`, to which the engine has advanced, before the first tick. */
  start(nowMs: number): void {
    assert(this.#windows.length === 0, 'the price tracker is started once');
    this.#windows = ASSETS.map(() => new BoundaryWindow(nowMs, this.pastGraceMs));
    this.refresh(nowMs);
  }

  latest(asset: number): PriceTick | null {
    return this.#windows[asset]?.latest ?? null;
  }

  /**
   * When the asset's last tick with a newer timestamp than all before it arrived, in engine time; -Infinity before the
   * first.
   */
  renewedMs(asset: number): number {
    return must(this.#renewedMs[asset], 'a known asset');
  }

  held(asset: number): HeldPrice | null {
    return this.#jumps[asset]?.held ?? null;
  }

  /**
   * An operator vouches for the price that is held back: it is accepted at engine time `nowMs`, and later ones follow
   * it. That makes it no newer than it was.
   */
  confirmHeld(asset: number, nowMs: number): void {
    const held = this.#jumps[asset]?.release() ?? null;
    const window = this.#windows[asset];
    assert(held !== null && window !== undefined, 'a price is held back');
    this.#take(held.last, window, nowMs, held.heardMs);
  }

  /** The process resumes at engine time `nowMs` after a stall, during which it read no ticks. */
  resume(nowMs: number): void {
    for (const window of this.#windows) window.resume(nowMs);
  }

  /** `nowMs` is the engine time of the arrival. A tick overtaken by a later one is accepted. */
  offer(tick: PriceTick, nowMs: number): TickVerdict {
    const window = this.#windows[tick.asset];
    const refusal =
      window === undefined
        ? 'no such asset, or no prices are taken yet'
        : (malformedReason(tick, nowMs) ??
          (tick.boundaryMs === undefined
            ? (this.#staleReason(tick, window, nowMs) ?? this.#jumpReason(tick, window, nowMs))
            : this.#recallReason(tick, window, tick.boundaryMs, nowMs)));
    if (window === undefined || refusal !== null) return refuse(refusal ?? '');
    if (tick.boundaryMs === undefined) this.#take(tick, window, nowMs);
    return TAKEN;
  }

  #take(tick: PriceTick, window: BoundaryWindow, nowMs: number, heardMs = nowMs): void {
    if (window.latest === null || tick.timeMs > window.latest.timeMs) this.#renewedMs[tick.asset] = heardMs;
    window.take(tick, nowMs);
    this.#estimator?.take(tick);
  }

  #staleReason({ asset, timeMs }: PriceTick, window: BoundaryWindow, nowMs: number): string | null {
    if (nowMs - timeMs <= GRACE_MS) return null;
    const ageMsMax = priceAgeMsMax(this.engine, asset);
    if (window.canMatter(timeMs, nowMs, ageMsMax)) return null;
    return `the timestamp is too old to matter to any round: prices count for ${ageMsMax / 1_000} s`;
  }

  /** After a restart the last price is that of the asset's youngest round. */
  #jumpReason(tick: PriceTick, window: BoundaryWindow, nowMs: number): string | null {
    const jumps = this.#jumps[tick.asset];
    const last = window.latest ?? this.engine.latestOpenPrice(tick.asset);
    if (last === null || jumps === undefined) return null;
    const before = jumps.held;
    if (jumps.isBelieved(tick, last, nowMs)) return null;
    if (jumps.held !== before) this.#onHeld(tick, last);
    return `${this.#tooFar(last)}; it is believed once later ones have agreed with it for ${AGREEMENT_MS / 1_000} s`;
  }

  /** Hands the service's answer to the boundary's window. None later agrees with it: an absurd one decides nothing. */
  #recallReason(tick: PriceTick, window: BoundaryWindow, boundaryMs: number, nowMs: number): string | null {
    const last = this.engine.latestOpenPrice(tick.asset);
    if (last !== null && this.#jumps[tick.asset]?.isNear(tick, last) === false) return this.#tooFar(last);
    return window.decidePast(tick, boundaryMs, nowMs)
      ? null
      : 'no round waits for the price at this boundary';
  }

  #tooFar({ price }: LastPrice): string {
    return `the price is further from the last one, ${price}, than by a factor of ${this.ratioMax}`;
  }

  refresh(nowMs: number): void {
    if (this.#waitingOfSeq !== this.engine.lifecycleSeq) {
      this.#waitingOfSeq = this.engine.lifecycleSeq;
      this.#waiting = waitingBoundaries(this.engine);
    }
    for (const { asset, boundaryMs } of this.#waiting) {
      if (this.#windows[asset]?.expectPast(boundaryMs, nowMs) === true) this.#onPast(asset, boundaryMs);
    }
    this.#windows.forEach((window, asset) => {
      if (window.isEmpty) return;
      const ofAsset = this.#waiting.filter((waiting) => waiting.asset === asset);
      window.forgetBut(
        ofAsset.map(({ boundaryMs }) => boundaryMs),
        nowMs,
      );
    });
  }

  /** Final prices, oldest boundary first. An asset's boundaries never overtake each other. */
  boundaryPrices(nowMs: number): BoundaryPrice[] {
    const held = new Set<number>();
    const commands: BoundaryPrice[] = [];
    for (const { asset, boundaryMs } of this.#waiting) {
      const tick = held.has(asset) ? undefined : this.#windows[asset]?.finalPrice(boundaryMs, nowMs);
      if (tick === undefined) {
        held.add(asset);
        continue;
      }
      commands.push({
        kind: 'boundaryPrice',
        timeMs: nowMs,
        asset,
        boundaryMs,
        price: tick?.price ?? null,
        priceTimeMs: tick?.timeMs ?? null,
        source: tick?.source ?? null,
        evidence: tick?.origin ?? 'no tick',
        ...this.#estimateOf(asset),
      });
    }
    return commands;
  }

  #estimateOf(asset: number): Pick<BoundaryPrice, 'estimate'> {
    const estimate = this.#estimator?.estimate(asset) ?? null;
    return estimate === null ? {} : { estimate };
  }

  lateOpens(nowMs: number): OpenLate[] {
    const commands: OpenLate[] = [];
    this.#windows.forEach(({ latest }, asset) => {
      if (latest === null) return;
      const ageMs = nowMs - latest.timeMs;
      const opens = this.engine
        .vacantMarkets(asset, nowMs)
        .some((market) => ageMs <= (this.engine.marketRules(market)?.maxPriceAgeMs ?? -1));
      if (!opens) return;
      commands.push({
        kind: 'openLate',
        timeMs: nowMs,
        asset,
        price: latest.price,
        priceTimeMs: latest.timeMs,
        source: latest.source,
        evidence: latest.origin,
      });
    });
    return commands;
  }

  /** When the next price becomes final by time alone; Infinity if none is awaited. */
  nextDueMs(): number {
    return this.#waiting.reduce((dueMs, { asset, boundaryMs }) => {
      const graceEndsMs = this.#windows[asset]?.graceEndsMs(boundaryMs) ?? Number.POSITIVE_INFINITY;
      return Math.min(dueMs, graceEndsMs);
    }, Number.POSITIVE_INFINITY);
  }
}

function malformedReason(tick: PriceTick, nowMs: number): string | null {
  if (!Number.isFinite(tick.price) || tick.price <= 0) return 'the price is not a positive number';
  if (!Number.isSafeInteger(tick.timeMs) || tick.timeMs < 0) return 'the timestamp is not a time';
  if (tick.timeMs > nowMs + TICK_AHEAD_MS_MAX) return 'the timestamp is more than 1 s ahead';
  if (tick.source.length + tick.origin.length > TICK_EVIDENCE_LENGTH_MAX) return 'the evidence is too long';
  return null;
}
