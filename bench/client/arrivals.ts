/**
 * The planned send times of an open-loop run. Independent bots do not wait for each other's responses, so requests
 * arrive with exponential gaps. A request that finds the server busy has been waiting since its planned time.
 */
import { assert } from '../../engine/base/assert.js';
import { Random } from './random.js';

export class Arrivals {
  readonly #meanGapMs: number;
  readonly #random: Random;
  #nextMs: number;

  /** `ratePerSecond` > 0; the same seed gives the same times. */
  constructor(ratePerSecond: number, seed: number, startMs: number) {
    assert(ratePerSecond > 0, 'a rate is above 0');
    this.#meanGapMs = 1000 / ratePerSecond;
    this.#random = new Random(seed);
    this.#nextMs = startMs;
    this.take();
  }

  get nextMs(): number {
    return this.#nextMs;
  }

  take(): number {
    const planned = this.#nextMs;
    this.#nextMs += -Math.log(1 - this.#random.next()) * this.#meanGapMs;
    return planned;
  }
}

/**
 * Planned times of requests that found no free connection, oldest first. Bounded: an overloaded server fails the run.
 */
export class Backlog {
  readonly #times: Float64Array;
  #head = 0;
  #length = 0;

  constructor(lengthMax: number) {
    this.#times = new Float64Array(lengthMax);
  }

  get length(): number {
    return this.#length;
  }

  push(plannedMs: number): void {
    if (this.#length === this.#times.length) {
      throw new Error(`${this.#length} planned requests wait: the rate is more than the server can do`);
    }
    this.#times[(this.#head + this.#length) % this.#times.length] = plannedMs;
    this.#length += 1;
  }

  shift(): number {
    assert(this.#length > 0, 'nothing waits');
    const planned = this.#times[this.#head] as number;
    this.#head = (this.#head + 1) % this.#times.length;
    this.#length -= 1;
    return planned;
  }
}
