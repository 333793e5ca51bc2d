/**
 * How late prices arrive: the service's own time against the arrival. A bettor who has them earlier elsewhere wins in a
 * market whose betting closes so near to its end that the difference decides.
 */
import { must } from '../../engine/base/assert.js';
import { timeFrameOf } from '../../engine/model/domain.js';

/** The last prices, and how many there must be. */
const PRICES_MAX = 30;
const PRICES_MIN = 5;
/** This part of them is as late or less. The others may be old prices that a service sends when a connection opens. */
const COUNTED = 0.9;

/**
 * The lateness that quotes bear, by time frame, in milliseconds: a judgement between the points of the study
 * (docs/economics.md), in which an informed bettor wins less than a hundredth of the seeds in a round.
 */
const BORNE_MS: readonly number[] = [75, 150, 300, 1_500, 6_000];

export class Lateness {
  readonly #last: number[] = [];
  #ms: number | null = null;

  add(ms: number): void {
    this.#last.push(ms);
    if (this.#last.length > PRICES_MAX) this.#last.shift();
    const { length } = this.#last;
    if (length < PRICES_MIN) return;
    const sorted = [...this.#last].sort((a, b) => a - b);
    this.#ms = Math.max(0, must(sorted[Math.ceil(COUNTED * length) - 1], 'a lateness'));
  }

  /** null until enough prices have come. Quotes ask for it far more often than prices come. */
  get ms(): number | null {
    return this.#ms;
  }
}

/** Prices so late bear the market's quotes; lateness that is not known yet bears all. */
export const bears = (market: number, latenessMs: number | null): boolean =>
  latenessMs === null || latenessMs <= must(BORNE_MS[timeFrameOf(market)], 'of the time frame');
