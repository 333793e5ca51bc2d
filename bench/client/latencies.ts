/** Latencies of a run, in an HdrHistogram of microseconds: exact to three digits from 1 us to a minute. */
import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { LatencySummary } from './job.js';

const HIGHEST_US = 60_000_000;

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

  summary(): LatencySummary {
    const histogram = this.#histogram;
    const at = (percentile: number): number => histogram.getValueAtPercentile(percentile);
    return {
      count: histogram.totalCount,
      meanUs: histogram.mean,
      p50Us: at(50),
      p90Us: at(90),
      p99Us: at(99),
      p999Us: at(99.9),
      maxUs: histogram.totalCount === 0 ? 0 : histogram.maxValue,
      encoded: encodeIntoCompressedBase64(histogram),
    };
  }
}
