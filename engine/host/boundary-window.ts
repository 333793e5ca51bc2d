/**
 * The boundary-price rule of one asset (design, section 4): the price at a boundary T is the tick with the
 * greatest timestamp <= T, the last to arrive among equals; it is final once a tick after T has been seen or
 * the grace has passed, and never revised.
 *
 * Only the latest tick can ever become the price of a boundary that is still open, so it is all that is
 * kept, beside the prices of boundaries that were closed and not yet asked for. One exception: boundaries from
 * before the start. The process that saw their ticks is gone, so the first tick of a live feed must not close
 * them; the grace runs from the start, and until then the feed may hand in what it remembers, in any order.
 */
import { TIME_FRAME_MS } from '../model/domain.js';
import type { PriceTick } from '../model/ports.js';

/** How long after a boundary a tick from before it may still arrive. */
export const GRACE_MS = 2_000;
/** Every round begins and ends on a multiple of the shortest time frame. */
export const BOUNDARY_STEP_MS = TIME_FRAME_MS[0] ?? 60_000;
/** Closed boundaries that are kept until somebody asks; more than a pump of the lifecycle ever leaves behind. */
export const CLOSED_MAX = 64;

export const boundaryAtOrBefore = (timeMs: number): number =>
  Math.floor(timeMs / BOUNDARY_STEP_MS) * BOUNDARY_STEP_MS;

/** The final price of all boundaries up to `throughMs` and after the entry before. */
interface Closed {
  readonly throughMs: number;
  readonly tick: PriceTick | null;
}

export class BoundaryWindow {
  latest: PriceTick | null = null;
  #closed: Closed[] = [];
  #closedThroughMs: number;
  /** Best tick so far for each boundary before the start that a round still waits for. */
  readonly #past = new Map<number, PriceTick | null>();

  constructor(private readonly startMs: number) {
    this.#closedThroughMs = boundaryAtOrBefore(startMs);
  }

  /** A round waits for this boundary, which lies before the start. */
  expectPast(boundaryMs: number): void {
    if (!this.#past.has(boundaryMs)) this.#past.set(boundaryMs, null);
  }

  /** Takes a tick that arrives at engine time `nowMs`. */
  take(tick: PriceTick, nowMs: number): void {
    this.#closeByGrace(nowMs);
    if (nowMs < this.startMs + GRACE_MS) this.#takePast(tick);
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

  /** The final price at a boundary: a tick, null where none is known, or undefined while it is not final. */
  finalPrice(boundaryMs: number, nowMs: number): PriceTick | null | undefined {
    if (boundaryMs <= this.startMs) {
      return nowMs < this.graceEndsMs(boundaryMs) ? undefined : (this.#past.get(boundaryMs) ?? null);
    }
    this.#closeByGrace(nowMs);
    if (boundaryMs > this.#closedThroughMs) return undefined;
    const tick = this.#closed.find(({ throughMs }) => throughMs >= boundaryMs)?.tick ?? null;
    return tick !== null && tick.timeMs <= boundaryMs ? tick : null;
  }

  /** When the price at a boundary is final at the latest. */
  graceEndsMs(boundaryMs: number): number {
    return Math.max(boundaryMs, this.startMs) + GRACE_MS;
  }

  /** Forgets what nobody waits for. `waitingMs` holds every boundary up to `nowMs` that somebody does. */
  forgetBut(waitingMs: readonly number[], nowMs: number): void {
    if (this.#closed.length === 0 && this.#past.size === 0) return;
    for (const boundaryMs of this.#past.keys()) {
      if (!waitingMs.includes(boundaryMs)) this.#past.delete(boundaryMs);
    }
    let afterMs = Number.NEGATIVE_INFINITY;
    this.#closed = this.#closed.filter(({ throughMs }) => {
      const fromMs = afterMs;
      afterMs = throughMs;
      return throughMs > nowMs || waitingMs.some((waiting) => fromMs < waiting && waiting <= throughMs);
    });
  }

  #closeByGrace(nowMs: number): void {
    this.#closeThrough(boundaryAtOrBefore(nowMs - GRACE_MS));
  }

  #closeThrough(throughMs: number): void {
    if (throughMs <= this.#closedThroughMs) return;
    this.#closedThroughMs = throughMs;
    this.#closed.push({ throughMs, tick: this.latest });
    if (this.#closed.length > CLOSED_MAX) this.#closed.shift();
  }
}
