/**
 * The cost of a replicated journal, and the time of a change of the leader. Two machines and three NATS servers on this
 * one machine: the same orders go to a server by itself and to the leader, in turn; then the leader is stopped and
 * killed while a client goes on sending orders to the machine that takes them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { hasWrk } from '../client/wrk.js';
import { countedTarget, ORDERS, openBook } from '../load/book.js';
import { type Answered, type Row, type Run, rateOf, roundRatio, runOnce } from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { hasNats, natsCpuUs, startNats } from '../replicas/nats-servers.js';
import { Pair } from '../replicas/pair.js';
import { type ProbedOrders, Prober } from '../replicas/prober.js';
import { figure } from '../report/format.js';
import { type Findings, median, type SuiteOptions, type Table } from '../report/section.js';
import { CountedOrders } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = [64, 256] as const;
const RUN_OVERHEAD_MS = 4_000;
const CHANGE_MS = 30_000;
const LOOK_EVERY_MS = 100;
const PROBED = 20;

interface Found {
  readonly rows: Row[];
  readonly lags: Lag[];
  /** CPU time of the three NATS servers for an order. */
  readonly natsUs: number[];
  readonly gaps: Readonly<Record<'SIGTERM' | 'SIGKILL', number[]>>;
}

export async function replicationSection(options: SuiteOptions): Promise<Findings> {
  if (!hasWrk() || !hasNats()) {
    const notes = ['wrk or nats-server is not installed: there are no figures of replication.'];
    return { tables: [], notes };
  }
  const { workDir, rounds, measureMs } = options;
  options.progress('starting NATS servers and three servers');
  const nats = await startNats(workDir);
  const pair = new Pair(nats, options);
  await pair.start();
  const aloneDir = join(workDir, 'alone');
  mkdirSync(aloneDir);
  const alone = await ToteServer.start(placeOf({ ...options, workDir: aloneDir }));
  const neededMs = rounds * (2 * CONNECTIONS.length * (measureMs + RUN_OVERHEAD_MS) + 2 * CHANGE_MS) + 10_000;
  const bookAlone = await openBook(alone, neededMs);
  const book = await openBook(pair.leader, neededMs);
  const single = countedTarget(`${ORDERS}, one machine`, alone, bookAlone);
  const leader = countedTarget(`${ORDERS}, replicated`, pair.leader, book);
  const found: Found = { rows: [], lags: [], natsUs: [], gaps: { SIGTERM: [], SIGKILL: [] } };
  for (const connections of CONNECTIONS) {
    const load = { connections, client: 'wrk' } as const;
    const [ofSingle, ofLeader]: [Run[], Run[]] = [[], []];
    for (let round = 1; round <= rounds; round += 1) {
      options.progress(`${connections} connections, round ${round} of ${rounds}`);
      ofSingle.push(await runOnce(single.target, load, options));
      const before = natsCpuUs(nats);
      let answered = 0;
      const onAnswered = (ofRun: Answered): void => {
        answered = ofRun.count;
        leader.counted.addRun(ofRun);
      };
      const watching = watchLag(pair, found.lags);
      ofLeader.push(await runOnce({ ...leader.target, onAnswered }, load, options));
      await watching.end();
      found.natsUs.push((natsCpuUs(nats) - before) / answered);
    }
    const row = (name: string, runs: readonly Run[]): Row => {
      return { name, connections, plannedRate: null, rounds: runs };
    };
    found.rows.push(row(single.target.name, ofSingle), row(leader.target.name, ofLeader));
  }
  await pair.followed();
  await single.counted.audit(alone);
  // By themselves: answers that `wrk` left unread would hide orders that a change of the leader lost.
  const probed = new CountedOrders(await leader.counted.audit(pair.leader));
  const { apiKey } = must(book.bettors[0], 'bettor');
  const orders = { apiKey, marketIds: book.markets.map(({ id }) => id) };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let round = 1; round <= rounds; round += 1) {
      options.progress(`a leader ends by ${signal}, round ${round} of ${rounds}`);
      found.gaps[signal].push(await changeGap(pair, signal, orders, probed));
    }
  }
  await probed.audit(pair.leader);
  return sectionOf(found, options);
}

interface Lag {
  readonly messages: number;
  readonly ms: number;
}

function watchLag(pair: Pair, lags: Lag[]): { end(): Promise<void> } {
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const [standby] = (await pair.status()).replication.standbys;
      if (standby !== undefined) lags.push({ messages: standby.messagesBehind, ms: standby.behindMs });
      await pause(LOOK_EVERY_MS);
    }
  };
  const ended = look();
  // Awaited by end(), unless the run fails first.
  ended.catch(() => undefined);
  return {
    end: () => {
      isOver = true;
      return ended;
    },
  };
}

async function changeGap(
  pair: Pair,
  signal: 'SIGKILL' | 'SIGTERM',
  orders: ProbedOrders,
  probed: CountedOrders,
): Promise<number> {
  const prober = new Prober(() => pair.ports, orders);
  const acknowledged = async (count: number): Promise<void> => {
    while (prober.acknowledged < count) await pause(LOOK_EVERY_MS);
  };
  await acknowledged(PROBED);
  const sinceMs = performance.now();
  await pair.change(signal);
  await acknowledged(prober.acknowledged + PROBED);
  const gapMs = await prober.gapAround(sinceMs);
  probed.add(prober.acknowledged, prober.unanswered);
  return gapMs;
}

const most = (values: readonly number[]): number => Math.max(...values);
const range = (values: readonly number[]): string =>
  `${figure(Math.min(...values))} to ${figure(most(values))} ms`;

function sectionOf({ rows, lags, natsUs, gaps }: Found, { cores }: SuiteOptions): Findings {
  const ratios = CONNECTIONS.flatMap((connections) => {
    const [single, replicated] = rows.filter((row) => row.connections === connections) as [Row, Row];
    const ratio = (what: string, of: (run: Run) => number) => ({
      what: `${what}, replicated / one machine, ${connections} connections`,
      value: roundRatio(replicated, single, of),
      byCpu: null,
    });
    return [
      ratio('orders a second', rateOf),
      ratio('p50', ({ latency }) => latency.p50Us),
      ratio('p99', ({ latency }) => latency.p99Us),
    ];
  });
  return {
    tables: [...rowTables('Orders with and without a replicated journal', rows), changeTable(gaps)],
    ratios,
    notes: [
      `The three NATS servers took ${figure(median(natsUs))} us of CPU time for an order, together.`,
      `Under that load the standby was at most ${figure(most(lags.map(({ messages }) => messages)))} messages and ` +
        `${figure(Math.round(most(lags.map(({ ms }) => ms))))} ms behind, in ${figure(lags.length)} looks at the leader's status.`,
      'All servers, their disk and the client share this machine: three NATS servers write what one journal writes.',
      cores.server === null
        ? 'Nothing was pinned.'
        : 'The tote servers share one core; the NATS servers were not pinned.',
    ],
    measured: [
      {
        goal: 'takeover',
        value: median(gaps.SIGKILL),
        beside: `${range(gaps.SIGKILL)}, the lease of 3 s included`,
      },
      { goal: 'plannedSwitch', value: median(gaps.SIGTERM), beside: range(gaps.SIGTERM) },
    ],
    data: { rows, lags, natsUs, gaps },
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
