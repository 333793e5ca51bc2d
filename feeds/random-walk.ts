/**
 * A random walk with random access: a function of key, name and time alone.
 *
 * Between two known points it is a Brownian bridge, built by halving the interval and drawing each midpoint (Lévy's
 * construction). The first interval is longer than any time ever requested, so steps are independent at every scale:
 * the past of the walk says nothing about its future. Each draw is an HMAC-SHA-256 of its position, so the points seen
 * reveal neither the key nor any other point.
 */
import { createHmac } from 'node:crypto';

/** The walk reaches 2^40 steps to either side of its origin. */
const LEVELS = 40;
export const WALK_STEPS_MAX = 2 ** LEVELS;
const UNIFORM_BYTES = 6;

export class RandomWalk {
  /** The midpoints drawn last, by level: nearly all of them are the same for the next step. */
  readonly #places = new Float64Array(LEVELS + 1).fill(Number.NaN);
  readonly #normals = new Float64Array(LEVELS + 1);

  /** `key` is a secret of 32 bytes. Walks of different names are independent. */
  constructor(
    private readonly key: Uint8Array,
    private readonly name: string,
  ) {}

  /** Height at an integer step, in standard deviations of one step; 0 at step 0. */
  at(step: number): number {
    const side = Math.sign(step);
    const position = Math.abs(step);
    if (position === 0) return 0;
    let low = 0;
    let lowHeight = 0;
    let high = WALK_STEPS_MAX;
    let highHeight = Math.sqrt(WALK_STEPS_MAX) * this.#normal(0, side * high);
    for (let level = 1; position !== low && position !== high; level++) {
      const middle = (low + high) / 2;
      const spread = Math.sqrt((high - low) / 4);
      const height = (lowHeight + highHeight) / 2 + spread * this.#normal(level, side * middle);
      if (position < middle) {
        high = middle;
        highHeight = height;
      } else {
        low = middle;
        lowHeight = height;
      }
    }
    return position === low ? lowHeight : highHeight;
  }

  /** By Box and Muller. */
  #normal(level: number, place: number): number {
    if (this.#places[level] !== place) {
      const bytes = createHmac('sha256', this.key).update(`${this.name} ${place}`).digest();
      const first = bytes.readUIntBE(0, UNIFORM_BYTES) / 2 ** (8 * UNIFORM_BYTES);
      const second = bytes.readUIntBE(UNIFORM_BYTES, UNIFORM_BYTES) / 2 ** (8 * UNIFORM_BYTES);
      this.#places[level] = place;
      this.#normals[level] = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
    }
    return this.#normals[level] as number;
  }
}
