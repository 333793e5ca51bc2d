/** Seeded random numbers for price paths and bettors: fast, and the same on every machine. Not for secrets. */
export class Random {
  readonly #words: Int32Array;
  #spare = Number.NaN;

  /** Two generators of different names have nothing to do with each other. */
  constructor(seed: number, name: string) {
    this.#words = new Int32Array([seed, 0x9e3779b9, 0x243f6a88, 1]);
    for (const letter of name) {
      this.#words[1] = ((this.#words[1] as number) ^ letter.charCodeAt(0)) | 0;
      this.next();
    }
    for (let i = 0; i < 12; i++) this.next();
  }

  /** A number in [0, 1): sfc32. */
  next(): number {
    const words = this.#words;
    const [a, b, c, counter] = words as unknown as [number, number, number, number];
    const sum = (a + b + counter) | 0;
    words[0] = b ^ (b >>> 9);
    words[1] = (c + (c << 3)) | 0;
    words[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    words[3] = (counter + 1) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Standard normal (Marsaglia's polar method). */
  normal(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare;
      this.#spare = Number.NaN;
      return spare;
    }
    for (;;) {
      const x = 2 * this.next() - 1;
      const y = 2 * this.next() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = y * factor;
      return x * factor;
    }
  }
}
