/** The probability that a price ends above where a round opened, as the share that a side of a fair pool would have. */
import { WHOLE_E6 } from '../../model/domain.js';

/** Below this a quotient of two probabilities says nothing: they are known to 1e-7. */
const PROBABILITY_MIN = 1e-4;

/**
 * UP's fair share, 0 to `WHOLE_E6`. The price moves in steps of `increment` (0: in any), and `variance` is that of its
 * relative change until the round's end. A draw is refunded, so the share is the probability given that there is none.
 */
export function fairShareE6(openPrice: number, price: number, variance: number, increment = 0): number {
  const distance = Math.log(price / openPrice);
  if (distance === 0) return WHOLE_E6 / 2;
  const deviation = Math.sqrt(variance);
  const half = increment / (2 * openPrice);
  const up = normalBelow((distance - half) / deviation);
  const down = normalBelow((-distance - half) / deviation);
  if (up + down < PROBABILITY_MIN) return WHOLE_E6 / 2;
  return Math.round((WHOLE_E6 * up) / (up + down));
}

/** The standard normal distribution, within 1e-7 (Abramowitz and Stegun, 26.2.17). */
export function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = Math.exp(-0.5 * x * x) * Math.sqrt(1 / (2 * Math.PI)) * series;
  return x < 0 ? tail : 1 - tail;
}
