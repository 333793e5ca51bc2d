/**
 * Vitals: one sample of the most telling figures every five seconds, for the last hour, in columns of numbers that all
 * have the length of the column of times. They are taken and kept on the operators' thread; rates and percentiles are
 * those of the five seconds before the sample.
 */
import type { Histogram } from './cells.js';
import { GATEWAY_PLACES, STATUSES } from './gateway-meter.js';
import type { GaugeName } from './gauges.js';
import type { Reading } from './readings.js';

export const SAMPLE_EVERY_MS = 5_000;
const SAMPLES_OF_A_MINUTE = 60_000 / SAMPLE_EVERY_MS;
/** An hour. */
export const SAMPLES_MAX = 720;

const NONE = Number.NaN;

/** A column's unit is the end of its name. */
type Column = (now: Reading, before: Reading) => number;

const seconds = (now: Reading, before: Reading): number =>
  Math.max(0.001, (now.monotonicMs - before.monotonicMs) / 1_000);
const perSecond =
  (counted: (reading: Reading) => number): Column =>
  (now, before) =>
    (counted(now) - counted(before)) / seconds(now, before);
const gauge =
  (name: GaugeName): Column =>
  ({ gauges }) =>
    gauges.shown(name);

/** In milliseconds; NaN where nothing was timed between the readings. */
const percentile =
  (of: (reading: Reading) => Histogram | undefined, share: number): Column =>
  (now, before) => {
    const [histogram, earlier] = [of(now), of(before)];
    if (histogram === undefined || earlier === undefined) return NONE;
    return histogram.quantileSince(earlier, share) / 1_000;
  };
const stage =
  (name: string) =>
  (reading: Reading): Histogram | undefined =>
    reading.stages.find((one) => one.name === name)?.took;
const engineThread = ({ threads }: Reading) => threads.find(({ name }) => name === 'engine');

const busyPercent =
  (activeMs: (reading: Reading) => number): Column =>
  (now, before) =>
    Math.min(
      100,
      Math.max(0, ((activeMs(now) - activeMs(before)) / (now.monotonicMs - before.monotonicMs || 1)) * 100),
    );
const gatewaysActiveMs = ({ threads, gatewayThreads }: Reading): number =>
  threads.reduce((sum, { name, activeMs }) => sum + (name.startsWith('gateway') ? activeMs : 0), 0) /
  gatewayThreads;

const answersBy =
  (counts: (status: number) => boolean) =>
  ({ gateways }: Reading): number => {
    let sum = 0;
    const { requests, refusals } = GATEWAY_PLACES;
    for (let at = requests; at < refusals; at++) {
      if (counts(STATUSES[(at - requests) % STATUSES.length] ?? 0)) sum += gateways[at] ?? 0;
    }
    return sum;
  };
const limitedOf = ({ gateways }: Reading): number => {
  const { limited, orders } = GATEWAY_PLACES;
  return gateways.subarray(limited, orders).reduce((sum, count) => sum + count, 0);
};

const clientFaultsOf = ({ threads }: Reading): number =>
  threads.reduce((sum, { clientFaults }) => sum + clientFaults, 0);

const COLUMNS = {
  requestsPerSecond: perSecond(answersBy(() => true)),
  clientFaults: (now, before) => clientFaultsOf(now) - clientFaultsOf(before),
  wrongTokens: (now, before) => now.wrongTokens - before.wrongTokens,
  serverErrorsPerSecond: perSecond(answersBy((status) => status >= 500)),
  rateLimitedPerSecond: perSecond(limitedOf),
  ordersPerSecond: perSecond(({ orders }) => orders.count),
  orderP50Ms: percentile(({ orders }) => orders, 0.5),
  orderP99Ms: percentile(({ orders }) => orders, 0.99),
  orderMaxMs: percentile(({ orders }) => orders, 1),
  orderRingP99Ms: percentile(stage('ring'), 0.99),
  orderEngineP99Ms: percentile(stage('engine'), 0.99),
  orderCommitP99Ms: percentile(stage('commit'), 0.99),
  orderReleaseP99Ms: percentile(stage('release'), 0.99),
  commitP99Ms: percentile(({ commit }) => commit, 0.99),
  publishP99Ms: percentile(({ publish }) => publish, 0.99),
  commandsPerBatch: (now, before) =>
    (now.batchCommands.sum - before.batchCommands.sum) /
    (now.batchCommands.count - before.batchCommands.count || NONE),
  engineDelayMaxMs: percentile((reading) => engineThread(reading)?.delay, 1),
  engineBusyPercent: busyPercent((reading) => engineThread(reading)?.activeMs ?? 0),
  gatewaysBusyPercent: busyPercent(gatewaysActiveMs),
  journalBusyPercent: busyPercent(({ gauges }) => gauges.get('journalActiveMs')),
  backlogCommands: gauge('backlogCommands'),
  // Without the NATS servers the alarm is replication_away.
  backloggedSamples: ({ gauges }) => (gauges.get('logAwayMs') > 0 ? 0 : gauges.get('isBacklogged')),
  shadowLagCommands: gauge('shadowLagCommands'),
  archiveLagCommands: gauge('archiveLagCommands'),
  snapshotAgeSeconds: ({ gauges, timeMs }) => Math.max(0, timeMs - gauges.get('snapshotAtMs')) / 1_000,
  freeBytes: gauge('freeBytes'),
  memoryBytes: () => process.memoryUsage.rss(),
  engineHeapBytes: (now) => engineThread(now)?.heapUsedBytes ?? NONE,
  gateways: ({ gatewayThreads }) => gatewayThreads,
  connections: ({ connections }) => connections,
  streams: ({ gateways }) => gateways[GATEWAY_PLACES.streams] ?? NONE,
} as const satisfies Readonly<Record<string, Column>>;

export type VitalName = keyof typeof COLUMNS;
/** In the order in which they are shown. */
export const VITAL_NAMES = Object.keys(COLUMNS) as readonly VitalName[];

/** By name. */
interface SampleColumns {
  readonly [name: string]: readonly (number | null)[];
}

export interface Samples {
  /** Seconds since 1970. */
  readonly time: readonly number[];
  /** By name, each as long as `time`; null where a figure was not to be had. */
  readonly columns: SampleColumns;
}

export class Vitals {
  #timesMs: number[] = [];
  readonly #columns = new Map<VitalName, (number | null)[]>(VITAL_NAMES.map((name) => [name, []]));
  #before: Reading | null = null;

  /** To be called every five seconds. The first reading only begins: rates need two. */
  sample(reading: Reading): void {
    const before = this.#before;
    this.#before = reading;
    if (before === null) return;
    // A clock that was set back takes the earlier times with it: plots need them in order.
    const aheadMs = (this.#timesMs.at(-1) ?? 0) - reading.timeMs;
    if (aheadMs >= 0) this.#timesMs = this.#timesMs.map((timeMs) => timeMs - aheadMs - SAMPLE_EVERY_MS);
    push(this.#timesMs, reading.timeMs);
    for (const name of VITAL_NAMES) {
      const value = COLUMNS[name](reading, before);
      push(this.#columns.get(name) ?? [], Number.isFinite(value) ? rounded(value) : null);
    }
  }

  since(afterSeconds: number): Samples {
    const found = this.#timesMs.findIndex((timeMs) => timeMs / 1_000 > afterSeconds);
    const from = found < 0 ? this.#timesMs.length : found;
    const columns = [...this.#columns].map(([name, column]) => [name, column.slice(from)] as const);
    return {
      time: this.#timesMs.slice(from).map((timeMs) => timeMs / 1_000),
      columns: Object.fromEntries(columns),
    };
  }

  /** Adds up the samples of the last `seconds`. */
  sum(name: VitalName, seconds: number): number {
    const last = (this.#columns.get(name) ?? []).slice(-(seconds * 1_000) / SAMPLE_EVERY_MS);
    return last.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  }

  /** Where little happens, the last sample lacks the figure: then an earlier one of the same minute counts, else NaN. */
  latest(name: VitalName): number {
    return (
      this.#columns
        .get(name)
        ?.slice(-SAMPLES_OF_A_MINUTE)
        .findLast((one) => one !== null) ?? Number.NaN
    );
  }
}

function push<T>(column: T[], value: T): void {
  column.push(value);
  if (column.length > SAMPLES_MAX) column.shift();
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
