/**
 * What a replicated journal costs, and how long a change of the leader takes. Two machines and three NATS servers on this one
 * machine: the same orders go to a server by itself and to the leader, in turn; then the leader is stopped and killed while a client
 * goes on sending orders to whoever takes them.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../../engine/base/assert.js';
import { hasWrk, measureWithWrk } from '../../client/programs/wrk.js';
import { type ServerProcess, withServers } from '../../host/server-process.js';
import { byThread } from '../../host/usage.js';
import { orderTemplates } from '../../load/book.js';
import { type ThreadRow, type ThreadRun, threadTable, threadUsOf } from '../../load/by-thread.js';
import { hasNats, natsCpuUs, startNats } from '../../replicas/nats-servers.js';
import { Pair } from '../../replicas/pair.js';
import { Prober } from '../../replicas/prober.js';
import { type Watched, watch } from '../../replicas/watch.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from '../../report/section.js';
import { expectConservation } from '../../tote/audit.js';
import { type Bettor, makeBettors, marketsForRun, openMarkets } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import { catchUp } from '../../tote/shadow.js';

const BETTORS = 1_000;
const CONNECTIONS = [64, 256] as const;
const RUN_OVERHEAD_MS = 4_000;
/** Time of a change of the leader, with what follows. */
const CHANGE_MS = 30_000;
const SAMPLE_EVERY_MS = 100;
/** Orders that a prober must have had acknowledged before a change, and after it. */
const PROBED = 20;

interface Kind {
  readonly name: string;
  readonly server: () => ToteServer;
  readonly templates: ReturnType<typeof orderTemplates>;
  /** By number of connections. */
  readonly rounds: Map<number, ThreadRun[]>;
}

export async function replicationSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk() || !hasNats()) {
    const notes = ['wrk or nats-server is not installed: there are no figures of replication.'];
    return { name: 'replication', tables: [], ratios: [], notes, data: null };
  }
  return withServers((running) => measured(options, running));
}

async function measured(options: SuiteOptions, running: ServerProcess[]): Promise<SectionResult> {
  const { workDir, cores, durability, rounds, measureMs } = options;
  options.progress('starting NATS servers and three servers');
  const nats = await startNats(workDir);
  running.push(...nats.processes);
  const pair = new Pair(nats, options, running);
  await pair.start();
  const alone = await ToteServer.start({
    dataDir: join(workDir, 'alone'),
    workDir,
    core: cores.server,
    durability,
  });
  running.push(alone.process);
  const neededMs = rounds * (2 * CONNECTIONS.length * (measureMs + RUN_OVERHEAD_MS) + 2 * CHANGE_MS) + 10_000;
  const single = await kindOf('one machine', () => alone, neededMs);
  const replicated = await kindOf('replicated', () => pair.leader, neededMs);
  const watches: Watched[] = [];
  const natsUs: number[] = [];
  for (const connections of CONNECTIONS) {
    for (let round = 1; round <= rounds; round += 1) {
      for (const kind of round % 2 === 0 ? [replicated, single] : [single, replicated]) {
        options.progress(`${kind.name}, ${connections} connections, round ${round} of ${rounds}`);
        const isReplicated = kind === replicated;
        const beforeUs = natsCpuUs(nats);
        const watched = isReplicated ? await watch(pair) : null;
        const { run, answered } = await orderRun(kind, connections, options);
        if (watched !== null) watches.push(await watched.end());
        if (isReplicated) natsUs.push((natsCpuUs(nats) - beforeUs) / answered);
        kind.rounds.set(connections, [...(kind.rounds.get(connections) ?? []), run]);
        await catchUp(kind.server());
      }
    }
  }
  await pair.followed();
  const order = { apiKey: replicated.bettor.apiKey, marketId: replicated.marketId };
  const gaps = { SIGTERM: [] as number[], SIGKILL: [] as number[] };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let round = 1; round <= rounds; round += 1) {
      options.progress(`a leader ends by ${signal}, round ${round} of ${rounds}`);
      gaps[signal].push(await changeGap(pair, signal, order));
    }
  }
  for (const server of [alone, pair.leader]) await expectConservation(server);
  const rows = [single, replicated].flatMap(rowsOf);
  return sectionOf({ rows, watches, natsUs: median(natsUs), gaps }, options);
}

async function kindOf(
  name: string,
  server: () => ToteServer,
  neededMs: number,
): Promise<Kind & { readonly bettor: Bettor; readonly marketId: string }> {
  const bettors = await makeBettors(server(), BETTORS);
  const bettor = must(bettors[0], 'bettor');
  await openMarkets(server(), bettor.apiKey);
  const markets = await marketsForRun(server(), bettor.apiKey, neededMs);
  const marketId = must(markets[0], 'market').id;
  return { name, server, templates: orderTemplates(bettors, markets), rounds: new Map(), bettor, marketId };
}

const rowsOf = ({ name, rounds }: Kind): ThreadRow[] =>
  [...rounds].map(([connections, runs]) => ({ name, connections, placement: 'orders', rounds: runs }));

async function orderRun(
  { server, templates }: Kind,
  connections: number,
  options: SuiteOptions,
): Promise<{ run: ThreadRun; answered: number }> {
  const { port, process } = server();
  const seconds = Math.ceil(options.measureMs / 1_000);
  const { ratePerSecond, p50Us, p99Us, answered, warmedUp, cpu } = await measureWithWrk(
    { port, templates, connections, seconds, dir: options.workDir, core: options.cores.client },
    process,
  );
  const threadUs = byThread((name) => (cpu?.threadNs[name] ?? Number.NaN) / answered / 1_000);
  return { run: { ratePerSecond, p50Us, p99Us, threadUs }, answered: answered + warmedUp };
}

/** Milliseconds without service while the leader ends by this signal. */
async function changeGap(
  pair: Pair,
  signal: 'SIGKILL' | 'SIGTERM',
  order: { readonly apiKey: string; readonly marketId: string },
): Promise<number> {
  const prober = new Prober(() => pair.ports, order);
  const acknowledged = async (count: number): Promise<void> => {
    while (prober.acknowledged < count) await pause(SAMPLE_EVERY_MS);
  };
  await acknowledged(PROBED);
  const sinceMs = performance.now();
  await pair.change(signal);
  await acknowledged(prober.acknowledged + PROBED);
  return prober.gapAround(sinceMs);
}

interface Found {
  readonly rows: readonly ThreadRow[];
  readonly watches: readonly Watched[];
  readonly natsUs: number;
  readonly gaps: { readonly SIGTERM: readonly number[]; readonly SIGKILL: readonly number[] };
}

const most = (values: readonly number[]): number => Math.max(...values);
const range = (values: readonly number[]): string =>
  `${figure(Math.min(...values))} to ${figure(most(values))} ms`;

function sectionOf(found: Found, { cores }: SuiteOptions): SectionResult {
  const { rows, watches, natsUs, gaps } = found;
  const lags = watches.flatMap((watched) => watched.lags);
  const perBatch = (of: (watched: Watched) => number): string => figure(median(watches.map(of)));
  const medianOf = (row: ThreadRow, of: (run: ThreadRun) => number): number => median(row.rounds.map(of));
  const ratios = CONNECTIONS.flatMap((connections) => {
    const [single, replicated] = rows.filter((row) => row.connections === connections);
    if (single === undefined || replicated === undefined) return [];
    const ratio = (what: string, of: (run: ThreadRun) => number) => ({
      what: `${what}, replicated / one machine, ${connections} connections`,
      value: medianOf(replicated, of) / medianOf(single, of),
      ...{ byCpu: null, must: null, aim: null },
    });
    return [
      ratio('orders a second', (run) => run.ratePerSecond),
      ratio('p50', (run) => run.p50Us),
      ratio('p99', (run) => run.p99Us),
    ];
  });
  const last = must(rows.at(-1), "the leader's row");
  return {
    name: 'replication',
    tables: [threadTable(rows), changeTable(gaps)],
    ratios,
    notes: [
      `The three NATS servers took ${figure(natsUs)} us of CPU time for an order, together; the leader's thread for it ` +
        `${figure(threadUsOf(last).replication)} us at ${last.connections} connections.`,
      `A batch of ${perBatch(({ commands }) => commands)} commands, the mean, took ${perBatch(({ publishMs }) => publishMs)} ms until the stream had it, and ` +
        `${perBatch(({ commitMs }) => commitMs)} ms until stream and disk had it.`,
      `Under that load the standby was at most ${figure(most(lags.map(({ messages }) => messages)))} messages and ` +
        `${figure(Math.round(most(lags.map(({ ms }) => ms))))} ms behind (medians ${figure(median(lags.map(({ messages }) => messages)))} and ` +
        `${figure(Math.round(median(lags.map(({ ms }) => ms))))} ms), in ${figure(lags.length)} looks at the leader's status.`,
      'All servers, their disk and the client share this machine: three NATS servers write what one journal writes.',
      ...(cores.server === null
        ? ['Nothing was pinned.']
        : ['The tote servers share one core; the NATS servers were not pinned.']),
    ],
    measured: [
      {
        goal: 'takeover',
        value: median(gaps.SIGKILL),
        beside: `${range(gaps.SIGKILL)}, the lease of 3 s included`,
      },
      { goal: 'plannedSwitch', value: median(gaps.SIGTERM), beside: range(gaps.SIGTERM) },
    ],
    data: found,
  };
}

function changeTable({ SIGTERM, SIGKILL }: Found['gaps']): Table {
  const row = (what: string, values: readonly number[]): string[] => [
    what,
    ...[median(values), Math.min(...values), most(values)].map((ms) => figure(Math.round(ms))),
    figure(values.length),
  ];
  return {
    title: 'Between two acknowledged orders while the leader changes, ms',
    columns: ['the leader', 'median', 'least', 'most', 'times'],
    rows: [row('hands over (SIGTERM)', SIGTERM), row('is killed (SIGKILL)', SIGKILL)],
  };
}
