/** The boundary prices and late openings of a life of the server, and which ticks it takes, by a plain list of its ticks. */
import type { BoundaryPrice, OpenLate } from '../../../engine/model/commands.js';
import { ASSETS } from '../../../engine/model/domain.js';
import { boundaryTick } from '../../support/reference/boundary-price.js';
import { check } from '../violation.js';

const GRACE_MS = 2_000;
const AHEAD_MS_MAX = 1_000;
const REFERENCE_AGE_MS_MAX = 900_000;
const RATIO_MAX = 1.5;
const AGREEMENT_MS = 30_000;
const AGREEING_MIN = 4;
const BOUNDARY_STEP_MS = 60_000;
/** Prices count for 5 s or 10 s, by the rules under which a round opened. */
const PRICE_AGES_MS = { least: 5_000, most: 10_000 } as const;
/** Ticks of an asset that are remembered; a boundary looks back by much less. */
const TICKS_MAX = 4_000;

interface Tick {
  readonly price: number;
  readonly timeMs: number;
  readonly arrivedMs: number;
}

export class PriceAudit {
  #startMs = 0;
  #ticks: Tick[][] = [];
  /** The newest tick of each asset. */
  #latest: (Tick | null)[] = [];
  /** By asset: ticks too far from the newest, each near the one before it and later than it. */
  #far: Tick[][] = [];

  /** A new process knows no ticks; `nowMs` is engine time. */
  start(nowMs: number): void {
    this.#startMs = nowMs;
    this.#ticks = ASSETS.map(() => []);
    this.#latest = ASSETS.map(() => null);
    this.#far = ASSETS.map(() => []);
  }

  /** A tick came in at engine time `arrivedMs`, and was taken or refused. */
  onTick(asset: number, price: number, timeMs: number, arrivedMs: number, isTaken: boolean): void {
    const latest = this.#latest[asset] ?? null;
    const tick = { price, timeMs, arrivedMs };
    const byAge = isPrice(tick) ? this.#verdictsByAge(timeMs, arrivedMs, latest) : [false];
    const allowed = byAge.includes(true) && !this.#isBelieved(asset, tick, latest) ? [false] : byAge;
    check(
      allowed.includes(isTaken),
      'tick',
      () => `${ASSETS[asset]} ${price} of ${timeMs} at ${arrivedMs} is taken: ${isTaken}`,
    );
    if (!isTaken) return;
    const ticks = this.#ticks[asset] ?? [];
    ticks.push(tick);
    if (ticks.length > TICKS_MAX) ticks.splice(0, TICKS_MAX / 2);
    if (latest === null || timeMs >= latest.timeMs) this.#latest[asset] = tick;
  }

  /** A price far from the newest is believed where three later ones have agreed with the first of its kind over 30 s. */
  #isBelieved(asset: number, tick: Tick, latest: Tick | null): boolean {
    const far = this.#far[asset] ?? [];
    if (latest === null || tick.arrivedMs - latest.timeMs > REFERENCE_AGE_MS_MAX || isNear(tick, latest)) {
      if (tick.timeMs >= (far[0]?.timeMs ?? 0)) this.#far[asset] = [];
      return true;
    }
    const last = far.at(-1);
    if (last === undefined || !isNear(tick, last)) this.#far[asset] = [tick];
    else if (tick.timeMs > last.timeMs) {
      far.push(tick);
      if (far.length < AGREEING_MIN || tick.arrivedMs - (far[0]?.arrivedMs ?? 0) < AGREEMENT_MS) return false;
      this.#far[asset] = [];
      return true;
    }
    return false;
  }

  /**
   * A tick is taken while it could still be a price of a boundary that is not final, and refused once it could not;
   * between the least and the most that rules let a price's age be, either may be right.
   */
  #verdictsByAge(timeMs: number, arrivedMs: number, latest: Tick | null): readonly boolean[] {
    const finalThroughMs = Math.max(
      boundaryBefore(this.#startMs),
      boundaryBefore(arrivedMs - GRACE_MS),
      boundaryBefore((latest?.timeMs ?? 1) - 1),
    );
    const neededMs = Math.min(finalThroughMs + BOUNDARY_STEP_MS, arrivedMs - GRACE_MS);
    if (timeMs >= neededMs - PRICE_AGES_MS.least) return [true];
    // A round from before the start may wait for it.
    const isOpen = arrivedMs < this.#startMs + GRACE_MS || timeMs >= neededMs - PRICE_AGES_MS.most;
    return isOpen ? [true, false] : [false];
  }

  /** The hot engine is about to take `command` from the tracker. */
  checkBoundary(command: BoundaryPrice): void {
    const { asset, boundaryMs, timeMs } = command;
    const best = boundaryTick(this.#ticks[asset] ?? [], boundaryMs, this.#startMs, timeMs);
    const about = (): string[] => [`${ASSETS[asset]}`, `${boundaryMs}`];
    check(
      best !== undefined,
      'boundary price',
      () => `${ASSETS[asset]} at ${boundaryMs} is not final at ${timeMs}`,
      about,
    );
    check(
      command.price === (best?.price ?? null) && command.priceTimeMs === (best?.timeMs ?? null),
      'boundary price',
      () =>
        `${ASSETS[asset]} at ${boundaryMs} is ${command.price} of ${command.priceTimeMs}, expected ${best?.price} of ${best?.timeMs}`,
      about,
    );
  }

  checkLate({ asset, price, priceTimeMs }: OpenLate): void {
    const latest = this.#latest[asset];
    check(
      latest?.price === price && latest.timeMs === priceTimeMs,
      'late opening',
      () => `${ASSETS[asset]} opens at ${price}, the last is ${latest?.price}`,
    );
  }
}

const boundaryBefore = (timeMs: number): number => timeMs - (timeMs % BOUNDARY_STEP_MS);

const isPrice = ({ price, timeMs, arrivedMs }: Tick): boolean =>
  price > 0 && Number.isFinite(price) && timeMs >= 0 && timeMs <= arrivedMs + AHEAD_MS_MAX;

const isNear = (a: Tick, b: Tick): boolean =>
  Math.max(a.price, b.price) <= Math.min(a.price, b.price) * RATIO_MAX;
