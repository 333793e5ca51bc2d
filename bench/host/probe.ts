/**
 * Preloaded into every Node server of a run (`node --import`): measures the event loop's delay from inside and
 * reports it on request, in total and over time. From the first window on it costs two timers per millisecond; a server that
 * only wrk drives has none.
 *
 * `--import` loads it into every thread of the server. Timers run only in the first, or they would wake the journal and
 * the shadow a thousand times a second each. The others tell the kernel their names, by which `usage.ts` finds them.
 */
import { writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { Turns } from './turns.js';

/** Delay of a timer beyond its due time, in milliseconds. */
export interface LoopDelay {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Since the previous sample. */
export interface Sample {
  /** Since the window began. */
  readonly atMs: number;
  readonly loopMaxMs: number;
  readonly residentBytes: number;
}

/** Set in a server's environment: its turns are measured, at the cost of a file read a millisecond. */
export const MEASURE_TURNS = 'BENCH_TURNS';

export type ToProbe = { readonly type: 'probe'; readonly reset: boolean };
export type FromProbe = {
  readonly type: 'loopDelay';
  readonly delay: LoopDelay;
  readonly timeline: readonly Sample[];
  /** null unless `MEASURE_TURNS` is set. */
  readonly longestTurnMs: number | null;
};

const RESOLUTION_MS = 1;
const SAMPLE_EVERY_MS = 250;
/** A window without an end (a soak) keeps its first quarter of an hour. */
const SAMPLES_MAX = 3_600;

if (isMainThread) watch();
else nameThread(process.argv[2] === 'operator' ? 'operator' : basename(dirname(process.argv[1] ?? '')));

/** A worker is named after the folder of its script, as in `top -H`; the operators' gateway after its role. */
function nameThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name);
  } catch {
    // Not Linux: there are no figures by thread.
  }
}

function watch(): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const delaysSinceSample = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const turns = process.env[MEASURE_TURNS] === undefined ? null : new Turns();
  let samples: Sample[] = [];
  let windowFromMs = performance.now();
  let isWatching = false;
  const sample = (): void => {
    if (samples.length >= SAMPLES_MAX) return;
    samples.push({
      atMs: performance.now() - windowFromMs,
      loopMaxMs: delayMs(delaysSinceSample.max),
      residentBytes: process.memoryUsage.rss(),
    });
    delaysSinceSample.reset();
  };

  process.on('message', (message: unknown) => {
    if (!isProbe(message)) return;
    process.send?.({
      type: 'loopDelay',
      delay: loopDelay(delays),
      timeline: samples,
      longestTurnMs: turns?.longestMs ?? null,
    } satisfies FromProbe);
    if (!message.reset) return;
    if (!isWatching) {
      setInterval(sample, SAMPLE_EVERY_MS).unref();
      turns?.start();
    }
    isWatching = true;
    delays.enable();
    delaysSinceSample.enable();
    delays.reset();
    delaysSinceSample.reset();
    turns?.reset();
    samples = [];
    windowFromMs = performance.now();
  });
  // The channel must not keep a server alive that has drained.
  process.channel?.unref();
}

function loopDelay(delays: IntervalHistogram): LoopDelay {
  return {
    p50Ms: delayMs(delays.percentile(50)),
    p90Ms: delayMs(delays.percentile(90)),
    p99Ms: delayMs(delays.percentile(99)),
    p999Ms: delayMs(delays.percentile(99.9)),
    maxMs: delayMs(delays.max),
  };
}

/** The histogram holds whole intervals; what lies beyond the resolution is delay. */
const delayMs = (ns: number): number => Math.max(ns / 1e6 - RESOLUTION_MS, 0);

function isProbe(message: unknown): message is ToProbe {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'probe';
}
