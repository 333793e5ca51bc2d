/**
 * The buckets of histograms: logarithmic, with a few equal steps in each doubling, so that finding a value's bucket
 * takes no more than a few shifts. A bucket holds values above the bound before it and not above its own.
 */
export class Scale {
  /** Upper bounds, in the scale's unit. Values above the last one have a bucket of their own. */
  readonly bounds: readonly number[];
  /** Worked out once: a bucket is looked for several times an order. */
  private readonly lowest: number;
  private readonly highest: number;
  private readonly mask: number;
  private readonly last: number;

  /** From 2 to the `first` on, for `doublings`, each in 2 to the `steps` steps; `steps` is at most `first`. */
  constructor(
    private readonly first: number,
    doublings: number,
    private readonly steps: number,
  ) {
    const bounds = [2 ** first];
    for (let power = first; power < first + doublings; power++) {
      for (let step = 1; step <= 2 ** steps; step++) bounds.push(2 ** power + step * 2 ** (power - steps));
    }
    this.bounds = bounds;
    this.lowest = 2 ** first;
    this.highest = 2 ** (first + doublings);
    this.mask = 2 ** steps - 1;
    this.last = bounds.length;
  }

  /** The bucket above all bounds included. */
  get buckets(): number {
    return this.bounds.length + 1;
  }

  /** Fractions count as the next whole number. */
  bucketOf(value: number): number {
    if (value <= this.lowest) return 0;
    if (value > this.highest) return this.last;
    // From here on whole numbers of 32 bits.
    const below = (Math.ceil(value) - 1) | 0;
    const power = 31 - Math.clz32(below);
    const step = (below >> (power - this.steps)) & this.mask;
    return ((power - this.first) << this.steps) + step + 1;
  }
}

/** Microseconds from 16 to about 17 seconds, in steps of a quarter or less. */
export const MICROSECONDS = new Scale(4, 20, 2);
/** In a batch. */
export const COMMANDS = new Scale(0, 10, 0);
