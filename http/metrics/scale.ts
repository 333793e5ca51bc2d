/**
 * The buckets of histograms: logarithmic, with a few equal steps in each doubling, so that finding a value's bucket takes no
 * more than a few shifts. A bucket holds what is above the bound before it and not above its own.
 */
export class Scale {
  /** Upper bounds, in the scale's unit; what is above the last one has a bucket of its own behind them. */
  readonly bounds: readonly number[];

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
  }

  /** Buckets, the one above all bounds included. */
  get buckets(): number {
    return this.bounds.length + 1;
  }

  /** The bucket of a value; fractions count as the next whole number, and nothing above 2 to the 30 is told apart. */
  bucketOf(value: number): number {
    const below = Math.min(Math.ceil(value) - 1, 2 ** 30);
    if (below < 2 ** this.first) return 0;
    const power = 31 - Math.clz32(below);
    const step = (below >> (power - this.steps)) & (2 ** this.steps - 1);
    return Math.min(((power - this.first) << this.steps) + step + 1, this.bounds.length);
  }
}

/** Microseconds from 16 to about 17 seconds, in steps of a quarter or less. */
export const MICROSECONDS = new Scale(4, 20, 2);
/** Commands in a batch. */
export const COMMANDS = new Scale(0, 10, 0);
