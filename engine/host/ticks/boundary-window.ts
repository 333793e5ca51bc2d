/**
 * The boundary-price rule of one asset. The price at a boundary T is the tick with the greatest
 * timestamp <= T, the last to arrive among equals. It is final once a tick after T has been seen or the grace has
 * passed, and is never revised.
 *
 * Only the latest tick can become the price of a boundary that is still open. So only that tick is kept, and the
 * prices of closed boundaries until they are read. Boundaries from before the start are the exception: the process
 * that saw their ticks is gone, so the first tick of a live feed must not close them. Nor those that pass while the
 * feed still connects. Their grace runs from the start, and until then the feed may deliver older ticks in any order.
 *
 * A stalled process cannot read ticks, which may still be in its socket buffers. The grace of boundaries that passed
 * meanwhile runs from the end of the stall.
 */
import { TIME_FRAME_MS } from '../../model/domain.js';
import type { PriceTick } from '../../model/ports.js';

/** How long after a boundary a tick from before it is still accepted. */
export const GRACE_MS = 2_000;
/** All rounds begin and end on multiples of the shortest time frame. */
export const BOUNDARY_STEP_MS = TIME_FRAME_MS[0] ?? 60_000;
/** Bound on closed boundaries that wait to be read. A pump of the lifecycle never leaves so many. */
export const CLOSED_MAX = 64;

export const boundaryAtOrBefore = (timeMs: number): number =>
  Math.floor(timeMs / BOUNDARY_STEP_MS) * BOUNDARY_STEP_MS;

/** The final price of all boundaries up to `throughMs` that are later than the previous entry's. */
interface Closed {
  readonly throughMs: number;
  readonly tick: PriceTick | null;
}

export class BoundaryWindow {
  latest: PriceTick | null = null;
  #closed: Closed[] = [];
  #closedThroughMs: number;
  /** Time of the first tick. */
  #firstMs: number | null = null;
  /** Best tick so far for each missed boundary that a round is waiting for. */
  readonly #past = new Map<number, PriceTick | null>();
  /** The service's own answers for such boundaries. */
  readonly #recalled = new Map<number, PriceTick>();
  /** The start, or the end of the last stall: the grace of earlier boundaries runs from here. */
  #resumedMs: number;

  constructor(
    private readonly startMs: number,
    private readonly pastGraceMs = GRACE_MS,
  ) {
    this.#closedThroughMs = boundaryAtOrBefore(startMs);
    this.#resumedMs = startMs;
  }

  resume(nowMs: number): void {
    this.#resumedMs = nowMs;
  }

  /**
   * Whether a tick with this timestamp could still become a boundary's price or open a round, where prices may be
   * `ageMsMax` old.
   */
  canMatter(tickTimeMs: number, nowMs: number, ageMsMax: number): boolean {
    this.#closeByGrace(nowMs);
    const nextOpenMs = Math.min(this.#closedThroughMs + BOUNDARY_STEP_MS, nowMs - GRACE_MS);
    if (tickTimeMs >= nextOpenMs - ageMsMax) return true;
    if (nowMs >= this.#pastEndsMs) return false;
    return [...this.#past.keys()].some(
      (boundaryMs) => boundaryMs - ageMsMax <= tickTimeMs && tickTimeMs <= boundaryMs,
    );
  }

  /** A round is waiting for this boundary. Returns whether it is found to be missed only now. */
  expectPast(boundaryMs: number, nowMs: number): boolean {
    if (this.#past.has(boundaryMs) || !this.#isMissed(boundaryMs, nowMs)) return false;
    this.#past.set(boundaryMs, null);
    return true;
  }

  /** The service's answer decides the boundary at once. Returns whether it is awaited, and not final yet. */
  decidePast(tick: PriceTick, boundaryMs: number, nowMs: number): boolean {
    const isAwaited = this.#past.has(boundaryMs) && this.finalPrice(boundaryMs, nowMs) === undefined;
    if (!isAwaited || tick.timeMs > boundaryMs) return false;
    this.#recalled.set(boundaryMs, tick);
    return true;
  }

  take(tick: PriceTick, nowMs: number): void {
    this.#closeByGrace(nowMs);
    if (nowMs < this.#pastEndsMs) this.#takePast(tick);
    this.#firstMs ??= tick.timeMs;
    if (this.latest !== null && tick.timeMs < this.latest.timeMs) return;
    if (this.latest === null || tick.timeMs > this.latest.timeMs) {
      this.#closeThrough(boundaryAtOrBefore(tick.timeMs - 1));
    }
    this.latest = tick;
  }

  #takePast(tick: PriceTick): void {
    for (const [boundaryMs, best] of this.#past) {
      if (tick.timeMs > boundaryMs) continue;
      if (best === null || tick.timeMs >= best.timeMs) this.#past.set(boundaryMs, tick);
    }
  }

  /** The final price at a boundary: a tick, null if there is none, undefined while it is not final. */
  finalPrice(boundaryMs: number, nowMs: number): PriceTick | null | undefined {
    if (this.#isPast(boundaryMs)) {
      const recalled = this.#recalled.get(boundaryMs);
      if (recalled !== undefined || nowMs < this.graceEndsMs(boundaryMs)) return recalled;
      return this.#past.get(boundaryMs) ?? null;
    }
    this.#closeByGrace(nowMs);
    if (boundaryMs > this.#closedThroughMs) return undefined;
    const tick = this.#closed.find(({ throughMs }) => throughMs >= boundaryMs)?.tick ?? null;
    return tick !== null && tick.timeMs <= boundaryMs ? tick : null;
  }

  graceEndsMs(boundaryMs: number): number {
    return this.#isPast(boundaryMs) ? this.#pastEndsMs : Math.max(boundaryMs, this.#resumedMs) + GRACE_MS;
  }

  get isEmpty(): boolean {
    return this.#closed.length === 0 && this.#past.size === 0;
  }

  /** Drops all other prices. `waitingMs` lists every boundary up to `nowMs` that a round is waiting for. */
  forgetBut(waitingMs: readonly number[], nowMs: number): void {
    for (const boundaryMs of this.#past.keys()) {
      if (waitingMs.includes(boundaryMs)) continue;
      this.#past.delete(boundaryMs);
      this.#recalled.delete(boundaryMs);
    }
    let afterMs = Number.NEGATIVE_INFINITY;
    this.#closed = this.#closed.filter(({ throughMs }) => {
      const fromMs = afterMs;
      afterMs = throughMs;
      return throughMs > nowMs || waitingMs.some((waiting) => fromMs < waiting && waiting <= throughMs);
    });
  }

  /** It was before the start, or soon after it and before the first tick. */
  #isMissed(boundaryMs: number, nowMs: number): boolean {
    if (boundaryMs <= this.startMs) return true;
    if (nowMs >= this.#pastEndsMs) return false;
    return this.#firstMs === null ? nowMs >= boundaryMs + GRACE_MS : boundaryMs < this.#firstMs;
  }

  #isPast(boundaryMs: number): boolean {
    return boundaryMs <= this.startMs || this.#past.has(boundaryMs);
  }

  get #pastEndsMs(): number {
    return Math.max(this.startMs + this.pastGraceMs, this.#resumedMs + GRACE_MS);
  }

  #closeByGrace(nowMs: number): void {
    if (nowMs >= this.#resumedMs + GRACE_MS) this.#closeThrough(boundaryAtOrBefore(nowMs - GRACE_MS));
  }

  #closeThrough(throughMs: number): void {
    if (throughMs <= this.#closedThroughMs) return;
    this.#closedThroughMs = throughMs;
    this.#closed.push({ throughMs, tick: this.latest });
    if (this.#closed.length > CLOSED_MAX) this.#closed.shift();
  }
}
