/** A table of the event loop's timer delays, a row for each condition. */

import type { LoopDelay } from '../host/probe.js';
import { figure } from './format.js';
import { median, type Table } from './section.js';

const DELAYS: readonly (readonly [name: string, pick: (delay: LoopDelay) => number])[] = [
  ['p50 ms', ({ p50Ms }) => p50Ms],
  ['p90 ms', ({ p90Ms }) => p90Ms],
  ['p99 ms', ({ p99Ms }) => p99Ms],
  ['p99.9 ms', ({ p999Ms }) => p999Ms],
  ['max ms', ({ maxMs }) => maxMs],
];

export interface Delays {
  readonly name: string;
  /** One for each round; the row shows the medians. */
  readonly delays: readonly (LoopDelay | null)[];
}

export function delayTable(title: string, rows: readonly Delays[]): Table {
  return {
    title,
    columns: ['', ...DELAYS.map(([name]) => name)],
    rows: rows.map(({ name, delays }) => [
      name,
      ...DELAYS.map(([, pick]) =>
        figure(median(delays.map((delay) => (delay === null ? Number.NaN : pick(delay))))),
      ),
    ]),
  };
}
