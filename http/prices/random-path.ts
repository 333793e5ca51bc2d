/**
 * A random walk that can be read at any time without walking there: a price path for the simulated feed that is a
 * function of seed, asset and time alone, whatever the clock does in between.
 *
 * Knots lie `KNOT_TICKS` apart, with independent normal heights; between two knots the path is a Brownian
 * bridge, found by halving the interval and drawing each midpoint (Lévy's construction). Every draw is a hash of
 * its place. Knot heights are scaled so that the path moves from knot to knot as far as a free walk would, so
 * it looks like one at every scale below, and yet never strays far from where it began.
 */

/** Ticks between knots: about six days at four ticks a second. */
const KNOT_TICKS = 2 ** 21;

/** One round of a 32-bit mixing function (the finaliser of MurmurHash3). */
function mix(hash: number, word: number): number {
  let h = Math.imul(hash ^ word, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) + 0x9e3779b9;
}

/** A standard normal number that belongs to this place (Box and Muller). */
function normalAt(seed: number, stream: number, knot: number, position: number): number {
  const place = mix(mix(mix(mix(seed, stream), knot), position), 1);
  const first = (mix(place, 2) >>> 0) / 2 ** 32;
  const second = (mix(place, 3) >>> 0) / 2 ** 32;
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}

/**
 * Height of the path of `stream` at tick `index` >= 0, in units of the standard deviation of one tick's step.
 */
export function pathAt(seed: number, stream: number, index: number): number {
  const knot = Math.floor(index / KNOT_TICKS);
  const position = index - knot * KNOT_TICKS;
  const knotScale = Math.sqrt(KNOT_TICKS / 2);
  let low = 0;
  let high = KNOT_TICKS;
  let lowHeight = knotScale * normalAt(seed, stream, knot, 0);
  let highHeight = knotScale * normalAt(seed, stream, knot + 1, 0);
  while (position !== low) {
    const middle = (low + high) / 2;
    const spread = Math.sqrt((high - low) / 4);
    const height = (lowHeight + highHeight) / 2 + spread * normalAt(seed, stream, knot, middle);
    if (position < middle) {
      high = middle;
      highHeight = height;
    } else {
      low = middle;
      lowHeight = height;
    }
  }
  return lowHeight;
}
