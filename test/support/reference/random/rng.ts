/** A seeded random-number generator: the same seed gives the same numbers on every machine. Not for secrets. */
import { assert, must } from '../../../../engine/base/assert.js';

export class Rng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  integer(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    assert(list.length > 0, 'something to pick from');
    return list[this.below(list.length)] as T;
  }

  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return must(choices.at(-1), 'a choice')[1];
  }

  /** As `weighted`, for short lists. */
  weighed<T>(weights: readonly number[], choices: readonly T[]): T {
    return this.weighted(choices.map((choice, at) => [must(weights[at], 'a weight'), choice]));
  }
}
