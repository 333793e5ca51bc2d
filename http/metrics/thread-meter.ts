/** Figures of one thread: how busy its event loop is, how late it comes, and its heap. */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { count, type Layout, observeMs } from './cells.js';
import { MICROSECONDS } from './scale.js';

/**
 * The loop is looked at so often by its own timer: a delay is what lies beyond that. Each look wakes an idle thread.
 */
const RESOLUTION_MS = 20;
const SAMPLE_MS = 1_000;
const NANOSECONDS_PER_MS = 1e6;

export type ThreadPlaces = ReturnType<typeof threadPlaces>;
export const threadPlaces = (layout: Layout) => ({
  /** The loop did not wait for anything so long since the thread began. */
  activeMs: layout.cells(1),
  heapUsedBytes: layout.cells(1),
  heapTotalBytes: layout.cells(1),
  /** Memory outside the heap that its objects hold, without what threads share. */
  externalBytes: layout.cells(1),
  clientFaults: layout.cells(1),
  /** A histogram with one value a second: the longest delay in it. */
  delay: layout.histogram(MICROSECONDS),
});

export const faultCounter =
  (sheet: Float64Array, { clientFaults }: ThreadPlaces) =>
  (): void =>
    count(sheet, clientFaults);

/** Measures the calling thread from now on. Does not keep it alive. */
export function meterThread(sheet: Float64Array, places: ThreadPlaces): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const sample = (): void => {
    const { active }: EventLoopUtilization = performance.eventLoopUtilization();
    const heap = getHeapStatistics();
    sheet[places.activeMs] = active;
    sheet[places.heapUsedBytes] = heap.used_heap_size;
    sheet[places.heapTotalBytes] = heap.total_heap_size;
    sheet[places.externalBytes] = heap.external_memory;
    if (delay.max > 0) observeMs(sheet, places.delay, delay.max / NANOSECONDS_PER_MS - RESOLUTION_MS);
    delay.reset();
  };
  sample();
  setInterval(sample, SAMPLE_MS).unref();
}
