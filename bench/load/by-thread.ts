/** CPU time a request by thread, which says what a machine with more cores can do, and what bounds it there. */
import { defaultGateways } from '../../config/config-values.js';
import { type ByThread, byThread, sumOf, THREADS, type ThreadName } from '../host/usage.js';
import { figure, millisecondsOfUs } from '../report/format.js';
import { median, type Table } from '../report/section.js';

/** One run under `wrk`. */
export interface ThreadRun {
  readonly ratePerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Microseconds of CPU time a request. What the shadow put off is in its figure; NaN if /proc is unavailable. */
  readonly threadUs: ByThread;
}

export interface ThreadRow {
  readonly name: string;
  readonly connections: number;
  readonly placement: string;
  readonly rounds: readonly ThreadRun[];
}

export const rateOf = ({ rounds }: ThreadRow): number =>
  median(rounds.map(({ ratePerSecond }) => ratePerSecond));

/** Medians over the rounds. */
export const threadUsOf = ({ rounds }: ThreadRow): ByThread =>
  byThread((name) => median(rounds.map(({ threadUs }) => threadUs[name])));

/** Median over the rounds of a figure of `row` by one of `reference`. */
export function roundRatio(
  row: ThreadRow,
  reference: ThreadRow,
  of: (run: ThreadRun) => number,
  ofReference: (run: ThreadRun) => number = of,
): number {
  return median(
    row.rounds.map((run, at) => {
      const other = reference.rounds[at];
      return other === undefined ? Number.NaN : of(run) / ofReference(other);
    }),
  );
}

/** The threads that a request waits for. */
export const servingUs = ({ gateway, main, journal }: ByThread): number => gateway + main + journal;

const TITLES: Readonly<Record<ThreadName, string>> = {
  gateway: 'gateways',
  main: 'engine (or event loop)',
  journal: 'journal',
  replication: 'replication',
  shadow: 'shadow',
  roots: 'roots',
  operator: 'operators',
  other: "V8's own",
};

export function threadTable(rows: readonly ThreadRow[]): Table {
  return {
    title: 'CPU time by thread, microseconds a request (wrk)',
    columns: [
      'system',
      'placement',
      'conns',
      'rate/s',
      'p50 ms',
      'p99 ms',
      ...THREADS.map((name) => TITLES[name]),
      'together',
    ],
    rows: rows.map((row) => {
      const threadUs = threadUsOf(row);
      return [
        row.name,
        row.placement,
        String(row.connections),
        figure(rateOf(row)),
        millisecondsOfUs(median(row.rounds.map(({ p50Us }) => p50Us))),
        millisecondsOfUs(median(row.rounds.map(({ p99Us }) => p99Us))),
        ...THREADS.map((name) => figure(threadUs[name])),
        figure(sumOf(threadUs)),
      ];
    }),
  };
}

const CAPACITY_CORES = [2, 4, 8, 16];
const US_PER_SECOND = 1_000_000;

export interface Capacity {
  readonly cores: number;
  readonly gateways: number;
  /** Orders per second at which each would be busy all the time. */
  readonly limits: Readonly<Record<'gateways' | 'engine' | 'journal' | 'shadow' | 'roots' | 'cores', number>>;
  readonly ratePerSecond: number;
  readonly bound: string;
}

/**
 * What a machine with `cores` of these cores could do, from the CPU time of an order by thread. A gateway, the engine,
 * the journal, the shadow and the roots of rounds have a thread each, and cannot use more than a core. Clients are
 * elsewhere, and the disk keeps up.
 */
export function capacityOf(threadUs: ByThread, cores: number): Capacity {
  const gateways = defaultGateways(cores);
  const limits = {
    gateways: (gateways * US_PER_SECOND) / threadUs.gateway,
    engine: US_PER_SECOND / threadUs.main,
    journal: US_PER_SECOND / threadUs.journal,
    shadow: US_PER_SECOND / threadUs.shadow,
    roots: US_PER_SECOND / threadUs.roots,
    cores: (cores * US_PER_SECOND) / sumOf(threadUs),
  };
  const ratePerSecond = Math.min(...Object.values(limits));
  const bound = Object.entries(limits).find(([, limit]) => limit === ratePerSecond)?.[0] ?? '';
  return { cores, gateways, limits, ratePerSecond, bound };
}

export function capacityTable(threadUs: ByThread): Table {
  return {
    title: 'Capacity by cores, orders/s, computed from the CPU times above, not measured',
    columns: [
      'cores',
      'gateways',
      'limit of gateways',
      'engine',
      'journal',
      'shadow',
      'roots',
      'all cores',
      'orders/s',
      'bound',
    ],
    rows: CAPACITY_CORES.map((cores) => {
      const { gateways, limits, ratePerSecond, bound } = capacityOf(threadUs, cores);
      const figures = [...Object.values(limits), ratePerSecond].map((limit) => figure(Math.round(limit)));
      return [String(cores), String(gateways), ...figures, bound];
    }),
  };
}
