/**
 * Loaded before a server's own code (`node --import`), in every Node server of a run alike: measures the event
 * loop's delay from the inside and tells it on request. One timer a millisecond is what it costs.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Delay of a timer beyond its due time, in milliseconds. */
export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export type ToProbe = { readonly type: 'probe'; readonly reset: boolean };
export type FromProbe = { readonly type: 'loopDelay'; readonly delay: LoopDelay };

const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

/** The histogram holds whole intervals; what lies beyond the resolution is delay. */
const delayMs = (ns: number): number => Math.max(ns / 1e6 - RESOLUTION_MS, 0);

function isProbe(message: unknown): message is ToProbe {
  return typeof message === 'object' && message !== null && Reflect.get(message, 'type') === 'probe';
}

process.on('message', (message: unknown) => {
  if (!isProbe(message)) return;
  const delay: LoopDelay = {
    p50Ms: delayMs(delays.percentile(50)),
    p99Ms: delayMs(delays.percentile(99)),
    maxMs: delayMs(delays.max),
  };
  if (message.reset) delays.reset();
  process.send?.({ type: 'loopDelay', delay } satisfies FromProbe);
});
// The channel must not keep a server alive that has drained.
process.channel?.unref();
