/**
 * Loaded before a server's own code (`node --import`), in every Node server of a run alike: measures the event
 * loop's delay from the inside and tells it on request, as a whole and over time. Two timers a millisecond are what it
 * costs.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Delay of a timer beyond its due time, in milliseconds. */
export interface LoopDelay {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** What happened since the sample before. */
export interface Sample {
  /** Since the window began. */
  readonly atMs: number;
  readonly loopMaxMs: number;
  readonly residentBytes: number;
}

export type ToProbe = { readonly type: 'probe'; readonly reset: boolean };
export type FromProbe = {
  readonly type: 'loopDelay';
  readonly delay: LoopDelay;
  readonly timeline: readonly Sample[];
};

const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const delaysSinceSample = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
delaysSinceSample.enable();

const SAMPLE_EVERY_MS = 250;
/** A window without an end (a soak) keeps its first quarter of an hour. */
const SAMPLES_MAX = 3_600;
let samples: Sample[] = [];
let windowFromMs = performance.now();
const sampling = setInterval(() => {
  if (samples.length >= SAMPLES_MAX) return;
  const residentBytes = process.memoryUsage.rss();
  samples.push({
    atMs: performance.now() - windowFromMs,
    loopMaxMs: delayMs(delaysSinceSample.max),
    residentBytes,
  });
  delaysSinceSample.reset();
}, SAMPLE_EVERY_MS);
sampling.unref();

/** The histogram holds whole intervals; what lies beyond the resolution is delay. */
const delayMs = (ns: number): number => Math.max(ns / 1e6 - RESOLUTION_MS, 0);

function isProbe(message: unknown): message is ToProbe {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'probe';
}

process.on('message', (message: unknown) => {
  if (!isProbe(message)) return;
  const delay: LoopDelay = {
    p50Ms: delayMs(delays.percentile(50)),
    p90Ms: delayMs(delays.percentile(90)),
    p99Ms: delayMs(delays.percentile(99)),
    p999Ms: delayMs(delays.percentile(99.9)),
    maxMs: delayMs(delays.max),
  };
  const timeline = samples;
  if (message.reset) {
    delays.reset();
    delaysSinceSample.reset();
    samples = [];
    windowFromMs = performance.now();
  }
  process.send?.({ type: 'loopDelay', delay, timeline } satisfies FromProbe);
});
// The channel must not keep a server alive that has drained.
process.channel?.unref();
