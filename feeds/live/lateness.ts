/**
 * How late prices arrive: the service's own time against the arrival. A bettor who has them earlier elsewhere wins in a
 * market whose betting closes so near to its end that the difference decides.
 */
import { must } from '../../engine/base/assert.js';
import { timeFrameOf } from '../../engine/model/domain.js';

const PRICES_MAX = 30;
/** This part of the last prices is as late or less. The others may be old ones that a service sends when a connection opens. */
const COUNTED = 0.9;

/**
 * The lateness that quotes bear, by time frame, in milliseconds: a judgement between the points of the study
 * (docs/economics.md), in which an informed bettor who looks 136 times a round wins less than a hundredth of the seeds.
 */
const BORNE_MS: readonly number[] = [75, 150, 300, 1_500, 6_000];

export class Lateness {
  readonly #last: number[] = [];
  #ms: number | null = null;

  add(ms: number): void {
    this.#last.push(ms);
    if (this.#last.length > PRICES_MAX) this.#last.shift();
    const sorted = [...this.#last].sort((a, b) => a - b);
    this.#ms = Math.max(0, must(sorted[Math.ceil(COUNTED * sorted.length) - 1], 'a lateness'));
  }

  /** null before the first price. Quotes ask for it far more often than prices come. */
  get ms(): number | null {
    return this.#ms;
  }
}

/** Prices so late bear the market's quotes; null, of prices that are not judged, bears all. */
export const bears = (market: number, latenessMs: number | null): boolean =>
  latenessMs === null || latenessMs <= must(BORNE_MS[timeFrameOf(market)], 'of the time frame');
