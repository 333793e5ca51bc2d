/** Latencies of a run, in an HdrHistogram of microseconds: exact to three digits from 1 us to the length of the longest drive. */
import { build, type Histogram } from 'hdr-histogram-js';
import type { LatencySummary } from './job.js';

const HIGHEST_US = 3_700_000_000;

export class Latencies {
  readonly #histogram: Histogram = build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
    autoResize: false,
  });

  record(latencyMs: number): void {
    this.#histogram.recordValue(Math.min(Math.max(Math.round(latencyMs * 1000), 1), HIGHEST_US));
  }

  /** All but the count are NaN where there is none: a second without an answer is not a fast one. */
  summary(): LatencySummary {
    const histogram = this.#histogram;
    const count = histogram.totalCount;
    const ofAny = (us: number): number => (count === 0 ? Number.NaN : us);
    const at = (percentile: number): number => ofAny(histogram.getValueAtPercentile(percentile));
    return {
      count,
      p50Us: at(50),
      p90Us: at(90),
      p99Us: at(99),
      p999Us: at(99.9),
      maxUs: ofAny(histogram.maxValue),
    };
  }
}
