/** Plots of load rows: rate by connections, latency by load, and a run over time. */
import { must } from '../../engine/base/assert.js';
import type { LatencySummary } from '../client/job.js';
import { median, type Plot } from '../report/section.js';
import { type LoadRow, medianRate } from './rows.js';

export function rateByConnections(title: string, rows: readonly LoadRow[]): Plot {
  const names = [...new Set(rows.map(({ name }) => name))];
  return {
    ...{ title, xLabel: 'connections', yLabel: 'requests/s', xLog: true, yLog: false },
    series: names.map((name) => ({
      name,
      points: rows.filter((row) => row.name === name).map((row) => [row.connections, medianRate(row)]),
    })),
  };
}

const PERCENTILES: readonly (readonly [name: string, pick: (latency: LatencySummary) => number])[] = [
  ['p50', ({ p50Us }) => p50Us],
  ['p90', ({ p90Us }) => p90Us],
  ['p99', ({ p99Us }) => p99Us],
  ['p99.9', ({ p999Us }) => p999Us],
  ['max', ({ maxUs }) => maxUs],
];

/** Rows with planned rates; a plot for each system. */
export function latencyByLoad(rows: readonly LoadRow[]): Plot[] {
  return [...new Set(rows.map(({ name }) => name))].map((system) => {
    const own = rows.filter(({ name }) => name === system);
    return {
      title: `Latency by load: ${system}`,
      ...{ xLabel: 'planned requests/s', yLabel: 'ms', xLog: false, yLog: true },
      series: PERCENTILES.map(([name, pick]) => ({
        name,
        points: own.map((row) => [
          must(row.plannedRate, 'planned rate'),
          median(row.rounds.map(({ client }) => pick(client.latency))) / 1000,
        ]),
      })),
    };
  });
}

/** The last round of a row: memory and the event loop's delay, a sample every quarter of a second. */
export function overTime({ name, rounds }: LoadRow): Plot[] {
  const timeline = rounds.at(-1)?.server.timeline ?? [];
  const plot = (what: string, yLabel: string, pick: (at: number) => number): Plot => ({
    title: `${what} over time: ${name}`,
    ...{ xLabel: 's', yLabel, xLog: false, yLog: false },
    series: [{ name: what, points: timeline.map(({ atMs }, at) => [atMs / 1000, pick(at)]) }],
  });
  if (timeline.length === 0) return [];
  return [
    plot('Longest event-loop delay', 'ms', (at) => must(timeline[at], 'sample').loopMaxMs),
    plot('Resident memory', 'MB', (at) => must(timeline[at], 'sample').residentBytes / 1e6),
  ];
}
