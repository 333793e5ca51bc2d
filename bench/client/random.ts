/** Seeded random numbers: fast, and the same on every machine. Not for secrets. */
export class Random {
  #state: number;

  /** Generators of different names have nothing to do with each other. */
  constructor(seed: number, name = '') {
    this.#state = seed | 0;
    for (const letter of name) this.#state = Math.imul(this.#state ^ letter.charCodeAt(0), 0x01000193);
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }
}
