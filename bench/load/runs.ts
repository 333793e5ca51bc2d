/**
 * Rows of load figures. The systems compared are measured alternately, round after round, so that a slow minute of the
 * machine affects all of them. A row's figure is the median of its rounds, a ratio's the median of the ratios per
 * round.
 */
import type { ClientResult, LatencySummary, Pace } from '../client/job.js';
import { measure } from '../client/start.js';
import { measureWithWrk } from '../client/wrk.js';
import type { ServerProcess, ServerUse } from '../host/server-process.js';
import { type ByThread, byThread, type CpuTimes, cpuTimes, sumOf } from '../host/usage.js';
import { figure } from '../report/format.js';
import { median, type SuiteOptions } from '../report/section.js';
import type { Audited } from '../tote/audit.js';
import type { ToteServer } from '../tote/server.js';
import { catchUp } from '../tote/shadow.js';
import type { Workload } from './workload.js';

export interface Target {
  readonly name: string;
  readonly process: ServerProcess;
  readonly port: number;
  readonly workload: Pick<Workload, 'templates' | 'expectations'>;
  /** Instead of a client that sends the requests of `workload`. */
  readonly measure?: (load: Load, options: SuiteOptions) => Promise<Measured>;
  readonly allowed?: readonly string[];
  /** Called after each run, to compare the answers with the system's books. */
  readonly onAnswered?: (answered: Answered) => void;
  /** Waits for background work, beside which the next system would be measured on the same core. Returns how long. */
  readonly catchUp?: () => Promise<number>;
}

/** Answers of a run, warm-up included; `wrk` tells no more than how many. */
export interface Answered {
  readonly count: number;
  readonly client: ClientResult | null;
}

export interface Run {
  readonly ratePerSecond: number;
  /** `wrk` tells p50, p90 and p99 alone. */
  readonly latency: Omit<LatencySummary, 'count'>;
  /** How late requests were sent despite a free connection; null where none is planned. */
  readonly lateP99Us: number | null;
  /** Share of a core; NaN for `wrk`. */
  readonly clientCpu: number;
  readonly refused: number;
  readonly server: Omit<ServerUse, 'cpu'>;
  /** CPU time a request. The shadow's figure has the work that it put off; NaN if /proc is unavailable. */
  readonly threadUs: ByThread;
  /** NaN for a system without background work. */
  readonly caughtUpMs: number;
}

export interface Row {
  readonly name: string;
  readonly connections: number;
  /** null: as fast as it goes. */
  readonly plannedRate: number | null;
  readonly rounds: readonly Run[];
}

export interface Load {
  readonly connections: number;
  readonly pace?: Pace;
  readonly client?: 'own' | 'wrk';
  readonly onMeasuring?: () => void;
}

/** Used once in the life of this process, whatever the target. */
let nextSerial = 1;

/** An answer that is not expected fails the run. */
export async function runOnce(target: Target, load: Load, options: SuiteOptions): Promise<Run> {
  const { pid } = target.process;
  const before = cpuTimes(pid);
  const measured = await (target.measure === undefined
    ? (load.client === 'wrk' ? byWrk : byClient)(target, load, options)
    : target.measure(load, options));
  const caughtUpMs = (await target.catchUp?.()) ?? Number.NaN;
  const putOff = cpuTimes(pid);
  const { answered, measuredAnswers, cpu, ...figures } = measured;
  target.onAnswered?.(answered);
  const threadUs = byThread((name) =>
    name === 'shadow' || name === 'roots'
      ? (threadNs(putOff, name) - threadNs(before, name)) / answered.count / 1000
      : (cpu?.threadNs[name] ?? Number.NaN) / measuredAnswers / 1000,
  );
  return { ...figures, threadUs, caughtUpMs };
}

const threadNs = (times: CpuTimes | null, name: keyof ByThread): number =>
  times?.threadNs[name] ?? Number.NaN;

/** All that a client other than our own does not tell. */
export const UNTOLD = {
  ...{ lateP99Us: null, clientCpu: Number.NaN, refused: 0 },
  server: { timeline: [], residentBytes: null },
} as const;

export type Measured = Omit<Run, 'threadUs' | 'caughtUpMs'> & {
  readonly answered: Answered;
  readonly measuredAnswers: number;
  readonly cpu: ServerUse['cpu'];
};

async function byClient(target: Target, load: Load, options: SuiteOptions): Promise<Measured> {
  const { warmupMs, measureMs, cores } = options;
  const { templates, expectations } = target.workload;
  const { connections, pace = { kind: 'closed' } } = load;
  const { client, server } = await measure(
    {
      ...{ host: '127.0.0.1', port: target.port, connections, warmupMs, measureMs, pace },
      ...{ templates, expectations, firstSerial: nextSerial },
    },
    target.process,
    cores.client,
    load.onMeasuring,
  );
  nextSerial = client.nextSerial;
  const wrong = client.failures.find(({ code }) => !(target.allowed ?? []).includes(code));
  if (wrong !== undefined)
    throw new Error(`${target.name}: ${wrong.count} unexpected answers such as ${wrong.example}`);
  const { cpu, ...rest } = server;
  return {
    ratePerSecond: client.ratePerSecond,
    latency: client.latency,
    lateP99Us: client.lateness?.p99Us ?? null,
    clientCpu: client.clientCpu,
    answered: { count: client.sent, client },
    measuredAnswers: (client.ratePerSecond * client.measuredMs) / 1000,
    refused: client.failures.reduce((sum, { count }) => sum + count, 0),
    server: rest,
    cpu,
  };
}

async function byWrk(target: Target, { connections }: Load, options: SuiteOptions): Promise<Measured> {
  const { templates } = target.workload;
  const seconds = Math.ceil(options.measureMs / 1000);
  const run = { port: target.port, connections, seconds, templates, dir: options.workDir };
  const { cpu, answered, warmedUp, ratePerSecond, p50Us, p90Us, p99Us } = await measureWithWrk(
    { ...run, core: options.cores.client },
    target.process,
  );
  return {
    ...UNTOLD,
    ratePerSecond,
    latency: { p50Us, p90Us, p99Us, p999Us: Number.NaN, maxUs: Number.NaN },
    answered: { count: answered + warmedUp, client: null },
    ...{ measuredAnswers: answered, cpu },
  };
}

/** With `plannedRate` at planned times, the same for all targets of a round; else as fast as each is answered. */
export async function rowsInTurn(
  targets: readonly Target[],
  load: Pick<Load, 'connections' | 'client'> & { readonly plannedRate?: number },
  options: SuiteOptions,
): Promise<Row[]> {
  const { connections, plannedRate = null } = load;
  const planned = plannedRate === null ? '' : `, ${figure(plannedRate)}/s planned`;
  const rounds = targets.map((): Run[] => []);
  for (let round = 1; round <= options.rounds; round += 1) {
    const pace: Pace =
      plannedRate === null ? { kind: 'closed' } : { kind: 'open', ratePerSecond: plannedRate, seed: round };
    // The order alternates, so that warming up and filling affect each equally.
    const order = [...targets.entries()];
    for (const [at, target] of round % 2 === 0 ? order.reverse() : order) {
      const what = `${target.name}, ${connections} connections${planned}`;
      options.progress(`${what}, round ${round} of ${options.rounds}`);
      rounds[at]?.push(await runOnce(target, { ...load, pace }, options));
    }
  }
  return targets.map(({ name }, at) => ({ name, connections, plannedRate, rounds: rounds[at] ?? [] }));
}

export const toteTarget = (
  name: string,
  server: ToteServer,
  workload: Workload,
  { bettors, acknowledged }: Audited,
): Target => ({
  name: `tote: ${name}`,
  process: server.process,
  port: server.port,
  workload,
  catchUp: () => catchUp(server),
  onAnswered: ({ client }) => {
    if (client !== null) acknowledged.add(client, workload, bettors);
  },
});

export function rateReached({ name, rounds }: Row): number {
  const rate = median(rounds.map(({ ratePerSecond }) => ratePerSecond));
  if (!(rate > 0)) throw new Error(`${name}: nothing was answered in the measured time`);
  return rate;
}

export const threadUsOf = ({ rounds }: Row): ByThread =>
  byThread((name) => median(rounds.map(({ threadUs }) => threadUs[name])));

export const rateOf = ({ ratePerSecond }: Run): number => ratePerSecond;
export const cpuUsOf = ({ threadUs }: Run): number => sumOf(threadUs);

/** Median over the rounds of a figure of `row` by one of `reference`. */
export function roundRatio(
  row: Row,
  reference: Row,
  of: (run: Run) => number,
  ofReference: (run: Run) => number = of,
): number {
  return median(
    row.rounds.map((run, at) => {
      const other = reference.rounds[at];
      return other === undefined ? Number.NaN : of(run) / ofReference(other);
    }),
  );
}

/** The ratio of rates if each server used as much of its core as it could; null if /proc is unavailable. */
export function cpuRatio(row: Row, reference: Row): number | null {
  const ratio = roundRatio(reference, row, cpuUsOf);
  return Number.isNaN(ratio) ? null : ratio;
}
