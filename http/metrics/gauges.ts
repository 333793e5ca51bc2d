/**
 * Named numbers in shared memory: one thread writes them, and any thread reads them. A number is always read whole; two
 * of them may be of different moments.
 */
import { assert, must } from '../../engine/base/assert.js';

export const gaugesMemory = (names: readonly string[]): SharedArrayBuffer =>
  new SharedArrayBuffer(names.length * Float64Array.BYTES_PER_ELEMENT);

export class Gauges<N extends string> {
  readonly #places: ReadonlyMap<string, number>;
  readonly #numbers: Float64Array;

  constructor(names: readonly N[], memory: SharedArrayBuffer) {
    this.#places = new Map(names.map((name, at) => [name, at]));
    this.#numbers = new Float64Array(memory);
    assert(this.#numbers.length === names.length, 'the memory is that of these names');
  }

  /** 0 until it has been set. */
  get(name: N): number {
    return this.#numbers[this.#place(name)] as number;
  }

  set(name: N, value: number): void {
    this.#numbers[this.#place(name)] = value;
  }

  #place(name: N): number {
    return must(this.#places.get(name), `a place for ${name}`);
  }
}
