/**
 * Counters and histograms in shared memory: one thread writes a sheet with plain additions, and the operators' thread
 * reads it. A number is always read whole; numbers that are read together may be a few events apart.
 */
import { assert } from '../../engine/base/assert.js';
import { MICROSECONDS, type Scale } from './scale.js';

export class Layout {
  #cells = 0;

  /** Returns the first of `count` cells. */
  cells(count: number): number {
    const at = this.#cells;
    this.#cells += count;
    return at;
  }

  /** Returns the first cell: the histogram's sum, before its buckets. */
  histogram(scale: Scale): number {
    return this.cells(1 + scale.buckets);
  }

  memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(this.#cells * Float64Array.BYTES_PER_ELEMENT);
  }

  sheet(memory: SharedArrayBuffer): Float64Array {
    assert(memory.byteLength === this.#cells * Float64Array.BYTES_PER_ELEMENT, 'a sheet has its layout');
    return new Float64Array(memory);
  }
}

/** `value` is in the scale's unit. */
export function observe(sheet: Float64Array, at: number, scale: Scale, value: number): void {
  sheet[at] = (sheet[at] as number) + value;
  count(sheet, at + 1 + scale.bucketOf(value));
}

/** Clocks of two threads may disagree by a little, so less than nothing counts as nothing. */
export function observeMs(sheet: Float64Array, at: number, tookMs: number): void {
  observe(sheet, at, MICROSECONDS, tookMs > 0 ? tookMs * 1_000 : 0);
}

export function count(sheet: Float64Array, at: number): void {
  sheet[at] = (sheet[at] as number) + 1;
}

/** Read at one moment. */
export class Histogram {
  readonly sum: number;
  readonly buckets: readonly number[];

  constructor(
    sheet: Float64Array,
    at: number,
    readonly scale: Scale,
  ) {
    this.sum = sheet[at] as number;
    this.buckets = Array.from(sheet.subarray(at + 1, at + 1 + scale.buckets));
  }

  get count(): number {
    return this.buckets.reduce((sum, count) => sum + count, 0);
  }

  /** As `quantile` of what was counted since `earlier` was read. */
  quantileSince(earlier: Histogram, share: number): number {
    const counts = this.buckets.map((count, at) => count - (earlier.buckets[at] ?? 0));
    return quantile(counts, this.scale, share);
  }
}

/** All sheets have the same layout. */
export function sumOf(sheets: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(sheets[0]?.length ?? 0);
  for (const sheet of sheets)
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (sheet[at] ?? 0);
  return sum;
}

/**
 * A `share` of the counted values reaches at most this, by the buckets' upper bounds; NaN where nothing was counted.
 * Values above all bounds count as the highest.
 */
export function quantile(buckets: readonly number[], { bounds }: Scale, share: number): number {
  const wanted = Math.ceil(buckets.reduce((sum, count) => sum + count, 0) * share);
  if (wanted === 0) return Number.NaN;
  let counted = 0;
  const at = buckets.findIndex((count) => {
    counted += count;
    return counted >= wanted;
  });
  return bounds[Math.min(at, bounds.length - 1)] ?? Number.NaN;
}
