/** Tables, notes and plots of load rows. */
import { sumOf, THREADS, type ThreadName } from '../host/usage.js';
import { figure, megabytes, millisecondsOfUs, percent } from '../report/format.js';
import { median, type Plot, type Ratio, type Table } from '../report/section.js';
import { cpuRatio, type Row, type Run, rateOf, roundRatio, threadUsOf } from './runs.js';

type Percentiles = Run['latency'];
const PERCENTILES: readonly (readonly [name: string, pick: (latency: Percentiles) => number])[] = [
  ['p50', ({ p50Us }) => p50Us],
  ['p90', ({ p90Us }) => p90Us],
  ['p99', ({ p99Us }) => p99Us],
  ['p99.9', ({ p999Us }) => p999Us],
  ['max', ({ maxUs }) => maxUs],
];
export const PERCENTILE_COLUMNS = PERCENTILES.map(([name]) => `${name} ms`);
export const latencyCells = (summary: Percentiles): string[] =>
  PERCENTILES.map(([, pick]) => millisecondsOfUs(pick(summary)));

const THREAD_TITLES: Readonly<Record<ThreadName, string>> = {
  gateway: 'gateways',
  main: 'engine (or event loop)',
  journal: 'journal',
  replication: 'replication',
  shadow: 'shadow',
  roots: 'roots',
  operator: 'operators',
  other: "V8's own",
};

export const rowTables = (title: string, rows: readonly Row[]): Table[] => [
  loadTable(title, rows),
  threadTable(`${title}: CPU time, microseconds a request`, rows),
];

function loadTable(title: string, rows: readonly Row[]): Table {
  const isPlanned = rows.some(({ plannedRate }) => plannedRate !== null);
  const planned = isPlanned ? ['planned/s'] : [];
  const late = isPlanned ? ['client late p99 ms'] : [];
  return {
    title,
    columns: [
      ...['system', 'conns', ...planned, 'rate/s', 'spread', ...PERCENTILE_COLUMNS, ...late],
      ...['client CPU', 'RSS MB', 'caught up ms'],
    ],
    rows: rows.map((row) => loadCells(row, isPlanned)),
  };
}

function loadCells({ name, connections, plannedRate, rounds }: Row, isPlanned: boolean): string[] {
  const rates = rounds.map(rateOf);
  const of = (pick: (run: Run) => number): number => median(rounds.map(pick));
  const last = rounds.at(-1);
  return [
    name,
    String(connections),
    ...(isPlanned ? [figure(plannedRate ?? Number.NaN)] : []),
    figure(median(rates)),
    rates.length < 2 ? '-' : percent((Math.max(...rates) - Math.min(...rates)) / median(rates)),
    ...PERCENTILES.map(([, pick]) => millisecondsOfUs(of(({ latency }) => pick(latency)))),
    ...(isPlanned ? [millisecondsOfUs(of(({ lateP99Us }) => lateP99Us ?? Number.NaN))] : []),
    percent(of(({ clientCpu }) => clientCpu)),
    megabytes(last?.server.residentBytes ?? null),
    figure(of((run) => run.caughtUpMs)),
  ];
}

function threadTable(title: string, rows: readonly Row[]): Table {
  const threads = THREADS.filter((name) => rows.some((row) => threadUsOf(row)[name] !== 0));
  return {
    title,
    columns: ['system', 'conns', ...threads.map((name) => THREAD_TITLES[name]), 'together'],
    rows: rows.map((row) => {
      const threadUs = threadUsOf(row);
      const figures = [...threads.map((name) => threadUs[name]), sumOf(threadUs)];
      return [row.name, String(row.connections), ...figures.map(figure)];
    }),
  };
}

export const rateRatioOf = (what: string, row: Row, reference: Row): Ratio => ({
  what,
  value: roundRatio(row, reference, rateOf),
  byCpu: cpuRatio(row, reference),
});

export function rateByConnections(title: string, rows: readonly Row[]): Plot {
  const names = [...new Set(rows.map(({ name }) => name))];
  const ratesOf = (name: string) =>
    rows
      .filter((row) => row.name === name)
      .map(({ connections, rounds }) => [connections, median(rounds.map(rateOf))] as const);
  return {
    ...{ title, xLabel: 'connections', yLabel: 'requests/s', xLog: true, yLog: false },
    series: names.map((name) => ({ name, points: ratesOf(name) })),
  };
}

export function latencyByLoad(rows: readonly Row[]): Plot[] {
  return [...new Set(rows.map(({ name }) => name))].map((system) => {
    const own = rows.filter(({ name }) => name === system);
    const points = (pick: (latency: Percentiles) => number) =>
      own.map(({ plannedRate, rounds }) => {
        const us = median(rounds.map(({ latency }) => pick(latency)));
        return [plannedRate ?? Number.NaN, us / 1000] as const;
      });
    return {
      title: `Latency by load: ${system}`,
      ...{ xLabel: 'planned requests/s', yLabel: 'ms', xLog: false, yLog: true },
      series: PERCENTILES.map(([name, pick]) => ({ name, points: points(pick) })),
    };
  });
}

export function overTime({ name, rounds }: Row): Plot[] {
  const timeline = rounds.at(-1)?.server.timeline ?? [];
  if (timeline.length === 0) return [];
  const plot = (what: string, yLabel: string, pick: (sample: (typeof timeline)[number]) => number): Plot => ({
    title: `${what} over time: ${name}`,
    ...{ xLabel: 's', yLabel, xLog: false, yLog: false },
    series: [{ name: what, points: timeline.map((sample) => [sample.atMs / 1000, pick(sample)]) }],
  });
  return [
    plot('Cores used', 'cores', ({ cores }) => cores),
    plot('Resident memory', 'MB', ({ residentBytes }) => residentBytes / 1e6),
  ];
}
