/**
 * CPU time an order by thread with nothing pinned, as a user runs it, by connections and gateways, beside bare handlers and
 * Redis. The client is `wrk`, since one on Node could not keep several threads busy.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/base/assert.js';
import { hasWrk } from '../client/wrk.js';
import { bettorsOf, countedTarget, ORDERS, openBook } from '../load/book.js';
import { cpuUsOf, type Row, type Run, rateOf, roundRatio, rowsInTurn, threadUsOf } from '../load/runs.js';
import { rowTables } from '../load/tables.js';
import { BARE, BARE_COMMIT, orderBytes, startPost } from '../references/bare.js';
import { hasRedis, REDIS, startRedis } from '../references/redis.js';
import { figure } from '../report/format.js';
import type { GoalName, Measured } from '../report/goals.js';
import { type Findings, median, type SuiteOptions } from '../report/section.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = { full: [1, 64, 256], quick: [1, 256] };
/** '' leaves the number to the server: none on one and two cores. */
const GATEWAYS = { full: ['', '1', '2'], quick: [''] };
const RUN_OVERHEAD_MS = 4_000;

export async function threadsSection(options: SuiteOptions): Promise<Findings> {
  if (!hasWrk()) {
    const notes = ['wrk is not installed: there are no figures by thread.'];
    return { tables: [], notes };
  }
  options.progress('starting the servers, their accounts and the references');
  const free = { ...options, cores: { server: null, client: null } };
  return sectionOf(await measureSystems(free), options);
}

/** For each number of connections, `rows` are the servers by `GATEWAYS`, the bare handlers, and Redis where it is installed. */
async function measureSystems(options: SuiteOptions) {
  const { rounds, measureMs } = options;
  const extent = options.quick ? 'quick' : 'full';
  const gateways = GATEWAYS[extent];
  const runs = rounds * CONNECTIONS[extent].length * (gateways.length + 4);
  const servers: Awaited<ReturnType<typeof startServer>>[] = [];
  for (const count of gateways)
    servers.push(await startServer(count, runs * (measureMs + RUN_OVERHEAD_MS), options));
  const { book } = must(servers[0], 'the first server');
  const commit = await startPost(BARE_COMMIT, book, options);
  const { target: bare } = await startPost(BARE, book, options);
  const redis = hasRedis() ? await startRedis(orderBytes(book), options) : null;
  const targets = [...servers.map(({ target }) => target), bare, commit.target];
  const rows: Row[] = [];
  for (const connections of CONNECTIONS[extent]) {
    // Its trial of so many SETs would take long over one connection.
    const all = redis === null || connections === 1 ? targets : [...targets, redis.target];
    rows.push(...(await rowsInTurn(all, { connections, client: 'wrk' }, options)));
  }
  commit.audit();
  await redis?.audit();
  for (const { counted, server } of servers) await counted.audit(server);
  return { rows, orders: servers.reduce((sum, { counted }) => sum + counted.answered, 0) };
}

async function startServer(gateways: string, neededMs: number, options: SuiteOptions) {
  const workDir = join(options.workDir, `gateways-${gateways}`);
  mkdirSync(workDir);
  const env: Record<string, string> = gateways === '' ? {} : { TOTE_GATEWAYS: gateways };
  const server = await ToteServer.start({ ...placeOf({ ...options, workDir }), env });
  const book = await openBook(server, neededMs + 10_000, bettorsOf(options));
  const { target, counted } = countedTarget(ORDERS, server, book);
  const name = gateways === '' ? 'tote' : `tote, TOTE_GATEWAYS=${gateways}`;
  return { server, book, target: { ...target, name }, counted };
}

type Systems = Awaited<ReturnType<typeof measureSystems>>;

function sectionOf({ rows, orders }: Systems, { durability }: SuiteOptions): Findings {
  const fsync = durability === 'fsync' ? 'always' : 'no';
  return {
    tables: rowTables('Orders by thread (wrk)', rows),
    notes: [
      'Nothing is pinned: client and server share all cores. Without TOTE_GATEWAYS a server takes 0 on one and two cores.',
      `All of ${figure(orders)} answered orders are open bets; money is conserved.`,
      rows.some(({ name }) => name === REDIS)
        ? `${REDIS} is by redis-benchmark, with appendfsync ${fsync}.`
        : 'Redis is missing: redis-server, redis-benchmark or redis-cli is not installed.',
    ],
    measured: goalsOf(rows),
    data: { rows },
  };
}

function goalsOf(rows: readonly Row[]): Measured[] {
  const at = (name: string, connections: number): Row | undefined =>
    rows.find((row) => row.name === name && row.connections === connections);
  const goals: Measured[] = [];
  const add = (
    goal: GoalName,
    row: Row | undefined,
    reference: Row | undefined,
    of: (run: Run) => number,
    ofReference = of,
  ) => {
    if (row === undefined || reference === undefined) return;
    const value = roundRatio(row, reference, of, ofReference);
    const middle = ({ rounds }: Row, figureOf: typeof of): string => figure(median(rounds.map(figureOf)));
    goals.push({ goal, value, beside: `${middle(row, of)} to ${middle(reference, ofReference)}` });
  };
  for (const connections of [64, 256] as const) {
    const [own, bare] = [at('tote', connections), at(BARE, connections)];
    add(`orderCpu${connections}`, own, bare, cpuUsOf);
    add(`ordersToBare${connections}`, own, bare, rateOf);
    add(`ordersToRedis${connections}`, own, at(REDIS, connections), rateOf);
  }
  const behind = at('tote, TOTE_GATEWAYS=1', 256);
  const bare = at(BARE, 256);
  add('gatewayCpu', behind, bare, ({ threadUs }) => threadUs.gateway, cpuUsOf);
  add('engineCpu', behind, bare, ({ threadUs }) => threadUs.main, cpuUsOf);
  add('firstOrderLatency', at('tote', 1), at(BARE_COMMIT, 1), ({ latency }) => latency.p50Us);
  if (behind !== undefined) {
    const value = median(behind.rounds.map(({ threadUs }) => threadUs.shadow / threadUs.main));
    goals.push({ goal: 'shadowCpu', value, beside: `${figure(threadUsOf(behind).shadow)} us an order` });
  }
  return goals.filter(({ value }) => !Number.isNaN(value));
}
