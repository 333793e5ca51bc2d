/**
 * Rows of load figures. The systems compared are measured alternately, round after round, so that a slow minute of
 * the machine affects all of them. A row's figure is the median of its rounds, a ratio's the median of the ratios per
 * round.
 */

import type { ClientJob, Expectation, RequestTemplate } from '../client/job.js';
import { type Measurement, measure } from '../client/start.js';
import type { ServerProcess } from '../host/server-process.js';
import { figure, megabytes, millisecondsOfUs, percent } from '../report/format.js';
import { median, type SuiteOptions, type Table } from '../report/section.js';
import type { CaughtUp } from '../tote/shadow.js';

/** A system under load, with its requests. */
export interface Target {
  readonly name: string;
  readonly process: ServerProcess;
  readonly port: number;
  readonly templates: readonly RequestTemplate[];
  readonly expectations: readonly Expectation[];
  /** Called with every run's record, to compare acknowledgements with the system's ledger. */
  readonly onResult?: (measurement: Measurement) => void;
  /**
   * Waits for the system's background work to finish. Otherwise the next system would be measured beside it on the
   * same core.
   */
  readonly catchUp?: () => Promise<CaughtUp>;
}

export interface MeasuredRun extends Measurement {
  /** null if the system does nothing after its answers. */
  readonly behind: CaughtUp | null;
}

export interface LoadRow {
  readonly name: string;
  readonly connections: number;
  /** null: as fast as it goes. */
  readonly plannedRate: number | null;
  readonly rounds: readonly MeasuredRun[];
}

export interface RunExtras {
  readonly idle?: NonNullable<ClientJob['idle']>;
  readonly onMeasuring?: () => void;
}

/** Serial numbers are used once in the life of this process, whatever the target. */
let nextSerial = 1;

/** One run. An unexpected answer makes it a failure, not a figure. */
export async function runOnce(
  target: Target,
  connections: number,
  pace: ClientJob['pace'],
  options: SuiteOptions,
  { idle, onMeasuring }: RunExtras = {},
): Promise<MeasuredRun> {
  const { warmupMs, measureMs, cores } = options;
  const measurement = await measure(
    {
      host: '127.0.0.1',
      port: target.port,
      connections,
      warmupMs,
      measureMs,
      pace,
      templates: target.templates,
      expectations: target.expectations,
      firstSerial: nextSerial,
      ...(idle === undefined ? {} : { idle }),
    },
    target.process,
    cores.client,
    onMeasuring,
  );
  nextSerial = measurement.client.nextSerial;
  target.onResult?.(measurement);
  const [unexpected] = measurement.client.unexpected;
  if (unexpected !== undefined) {
    throw new Error(`${target.name}: ${unexpected.count} unexpected answers such as ${unexpected.answer}`);
  }
  return { ...measurement, behind: (await target.catchUp?.()) ?? null };
}

/** Measures every target in every round at full speed. */
export async function loadRows(
  targets: readonly Target[],
  connections: number,
  options: SuiteOptions,
): Promise<LoadRow[]> {
  const rounds = targets.map((): MeasuredRun[] => []);
  for (let round = 1; round <= options.rounds; round += 1) {
    // The order alternates, so that warming up and filling affect each equally.
    const order = [...targets.entries()];
    for (const [at, target] of round % 2 === 0 ? order.reverse() : order) {
      options.progress(`${target.name}, ${connections} connections, round ${round} of ${options.rounds}`);
      rounds[at]?.push(await runOnce(target, connections, { kind: 'closed' }, options));
    }
  }
  return targets.map(({ name }, at) => ({ name, connections, plannedRate: null, rounds: rounds[at] ?? [] }));
}

/** Measures a target at planned times. */
export async function openLoopRow(
  target: Target,
  connections: number,
  ratePerSecond: number,
  options: SuiteOptions,
): Promise<LoadRow> {
  const rounds: MeasuredRun[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(
      `${target.name}, ${figure(ratePerSecond)}/s planned, round ${round} of ${options.rounds}`,
    );
    rounds.push(await runOnce(target, connections, { kind: 'open', ratePerSecond, seed: round }, options));
  }
  return { name: target.name, connections, plannedRate: ratePerSecond, rounds };
}

export const medianRate = (row: LoadRow): number =>
  median(row.rounds.map(({ client }) => client.ratePerSecond));

/** Median over the rounds of `row`'s rate by `reference`'s. */
export function rateRatio(row: LoadRow, reference: LoadRow): number {
  return medianRatio(row, reference, ({ client }) => client.ratePerSecond);
}

function medianRatio(row: LoadRow, reference: LoadRow, rateOf: (run: MeasuredRun) => number): number {
  return median(
    row.rounds.map((run, round) => {
      const other = reference.rounds[round];
      return other === undefined ? NaN : rateOf(run) / rateOf(other);
    }),
  );
}

/**
 * `rateRatio` including the time that each system needed after its windows for deferred work: the sustainable rate.
 * NaN if one did not finish.
 */
export function sustainedRatio(row: LoadRow, reference: LoadRow, windows: Windows): number {
  return medianRatio(row, reference, (run) => run.client.ratePerSecond * sustainedShare(run, windows));
}

type Windows = Pick<SuiteOptions, 'warmupMs' | 'measureMs'>;

/** The share of a rate that is sustainable: 1 if no work was deferred. */
export function sustainedShare({ behind }: MeasuredRun, { warmupMs, measureMs }: Windows): number {
  const loadMs = warmupMs + measureMs;
  return loadMs / (loadMs + (behind?.tookMs ?? 0));
}

/** A client with no more than this of its core left is at or near its limit. */
const CLIENT_CPU_LIMIT = 0.95;

/** Names the rows in which the client may have been the limit: ratios against them are too favourable. */
export function clientLimitNotes(rows: readonly LoadRow[]): string[] {
  return rows.flatMap(({ name, connections, plannedRate, rounds }) => {
    const clientCpu = median(rounds.map(({ client }) => client.clientCpu));
    // At planned times the client spins.
    if (plannedRate !== null || clientCpu < CLIENT_CPU_LIMIT) return [];
    return [
      `${name}, ${connections} connections: the client used ${percent(clientCpu)} of its core, so this rate may be the client's. ` +
        'The system may do more, and a ratio against it be lower; the one by CPU time does not depend on that.',
    ];
  });
}

/** CPU time of the server per request, in microseconds: independent of the client's speed. */
function serverCpuUs(row: LoadRow): number {
  return median(
    row.rounds.map(({ client, server }) =>
      server.cpu === null ? Number.NaN : (server.cpu.process * 1e6) / client.ratePerSecond,
    ),
  );
}

/** What `rateRatio` would be if each server used as much of its core as it could; null if /proc is unavailable. */
export function cpuRatio(row: LoadRow, reference: LoadRow): number | null {
  const ratio = serverCpuUs(reference) / serverCpuUs(row);
  return Number.isNaN(ratio) ? null : ratio;
}

export function loadTable(title: string, rows: readonly LoadRow[]): Table {
  const open = rows.some(({ plannedRate }) => plannedRate !== null);
  return {
    title,
    columns: [
      'system',
      'conns',
      ...(open ? ['planned/s'] : []),
      'rate/s',
      'spread',
      ...['p50', 'p90', 'p99', 'p99.9', 'max'].map((name) => `${name} ms`),
      ...(open ? ['client late p99 ms'] : []),
      'server CPU',
      'us/request',
      'client CPU',
      'loop max ms',
      'RSS MB',
    ],
    rows: rows.map((row) => loadCells(row, open)),
  };
}

function loadCells(row: LoadRow, open: boolean): string[] {
  const { rounds } = row;
  const rates = rounds.map(({ client }) => client.ratePerSecond);
  const latency = (pick: (client: Measurement['client']['latency']) => number): string =>
    millisecondsOfUs(median(rounds.map(({ client }) => pick(client.latency))));
  const last = rounds.at(-1)?.server;
  return [
    row.name,
    String(row.connections),
    ...(open ? [row.plannedRate === null ? '-' : figure(row.plannedRate)] : []),
    figure(median(rates)),
    percent((Math.max(...rates) - Math.min(...rates)) / median(rates)),
    latency(({ p50Us }) => p50Us),
    latency(({ p90Us }) => p90Us),
    latency(({ p99Us }) => p99Us),
    latency(({ p999Us }) => p999Us),
    millisecondsOfUs(Math.max(...rounds.map(({ client }) => client.latency.maxUs))),
    // The client's own share of a latency: it had a free connection, but not the core.
    ...(open
      ? [millisecondsOfUs(median(rounds.map(({ client }) => client.lateness?.p99Us ?? Number.NaN)))]
      : []),
    percent(median(rounds.map(({ server }) => server.cpu?.process ?? Number.NaN))),
    figure(serverCpuUs(row)),
    percent(median(rounds.map(({ client }) => client.clientCpu))),
    figure(Math.max(...rounds.map(({ server }) => server.loopDelay?.maxMs ?? Number.NaN))),
    megabytes(last?.residentBytes ?? null),
  ];
}
