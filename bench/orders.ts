/**
 * Durable orders: `POST /v1/orders` against the real server, beside a bare handler, a bare handler with the same
 * group commit, and Redis with an fsync before every answer; then at half of the server's own maximum with planned
 * send times. Afterwards every acknowledged order is looked for in the server's books, before and after a SIGKILL.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../engine/assert.js';
import { marketOf } from '../engine/domain.js';
import { orderRequest } from './client/http-request.js';
import type { Expectation, RequestTemplate } from './client/job.js';
import { figure } from './format.js';
import type { ServerProcess } from './host/server-process.js';
import {
  type LoadRow,
  loadRows,
  loadTable,
  medianRate,
  openLoopRow,
  rateRatio,
  type Target,
} from './load-rows.js';
import { captureAnswer, type WireAnswer } from './references/answer.js';
import { type BareServer, startBare } from './references/bare.js';
import { orderCommandBytes } from './references/commit-size.js';
import { hasRedis, redisSets, startRedis } from './references/redis.js';
import type { Ratio, SectionResult, SuiteOptions } from './section.js';
import { Acknowledged, audit } from './tote/audit.js';
import { type Bettor, type MarketState, makeBettors, marketsForRun } from './tote/bettors.js';
import { ToteServer } from './tote/server.js';

const CONNECTIONS = [64, 256];
const OPEN_LOOP_CONNECTIONS = 256;
/** Each may have 10,000 open bets: room for 10 million orders. */
const BETTORS = 1_000;
const STAKE_DOLLARS = 1;
/** Starting a client, draining, auditing: what a run takes beyond its windows. */
const RUN_OVERHEAD_MS = 1_500;

const TOTE = 'tote: POST /v1/orders';
const BARE_COMMIT = 'bare POST + group commit';
const BARE = 'bare POST';
const REDIS = 'Redis SET';

const PLACED = '{"success":true,"data":{"bet":{"id":"bet_';
const LIMIT_HEADERS = ['X-RateLimit-Limit:', 'X-RateLimit-Remaining:', 'X-RateLimit-Reset:'];

export async function ordersSection(options: SuiteOptions): Promise<SectionResult> {
  const running: ServerProcess[] = [];
  try {
    return await measureOrders(options, running);
  } finally {
    await Promise.all(running.map((server) => server.stop('SIGKILL')));
  }
}

async function measureOrders(options: SuiteOptions, running: ServerProcess[]): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  const toteOptions = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  progress('starting the server, its accounts and the references');
  const server = await ToteServer.start(toteOptions);
  running.push(server.process);
  const bettors = await makeBettors(server, BETTORS);
  const book = await openBook(server, bettors, runMs(options));
  const targets = [toteTarget(server, book), ...(await startReferences(options, running, book))];

  const rows: LoadRow[] = [];
  for (const connections of CONNECTIONS) rows.push(...(await loadRows(targets, connections, options)));
  const maximum = medianRate(must(rows.at(-targets.length), "the server's row"));
  const openRows: LoadRow[] = [];
  for (const target of targets.slice(0, 2)) {
    openRows.push(await openLoopRow(target, OPEN_LOOP_CONNECTIONS, maximum / 2, options));
  }

  progress('auditing, killing and restarting the server');
  const audited = await audit(server, bettors, book.markets, book.acknowledged);
  await server.process.stop('SIGKILL');
  const restarted = await ToteServer.start(toteOptions);
  running.push(restarted.process);
  await audit(restarted, bettors, book.markets, book.acknowledged);
  return {
    name: 'orders',
    tables: [
      loadTable('Durable orders, as fast as each answers', rows),
      loadTable(`Planned send times, half of the server's maximum`, openRows),
    ],
    ratios: ratios(rows),
    notes: [
      `${figure(audited.orders)} acknowledged orders by ${audited.accounts} accounts were all found, stake by stake, ` +
        'before and after SIGKILL and restart; money is conserved.',
      `First answer after the restart from that journal: ${figure(restarted.startMs)} ms. ` +
        `First answer on an empty data directory: ${figure(server.startMs)} ms (operator API, polled every 5 ms).`,
      ...(targets.length < 4 ? ['Redis is missing: redis-server is not installed.'] : []),
      'The comparison with Fastify and better-sqlite3, one transaction an order, is not part of this version.',
    ],
    data: { rows, openRows, audited, emptyStartMs: server.startMs, restartMs: restarted.startMs },
  };
}

/** Everything that orders go through: templates, whose they are, and what became of them. */
interface Book {
  readonly templates: readonly RequestTemplate[];
  readonly bettors: readonly Bettor[];
  readonly markets: readonly MarketState[];
  readonly sample: WireAnswer;
  readonly acknowledged: Acknowledged;
}

/** Takes a sample of an answer with an account of its own, then notes where the rounds stand. */
async function openBook(server: ToteServer, bettors: readonly Bettor[], neededMs: number): Promise<Book> {
  const [sampler] = await makeBettors(server, 1);
  const { apiKey } = must(sampler, 'the account of the sample');
  const [market] = await marketsForRun(server, apiKey, neededMs);
  const bet = { marketId: must(market, 'market').id, prediction: 'UP', amount: STAKE_DOLLARS };
  const sample = await captureAnswer('127.0.0.1', server.port, orderRequest(apiKey, 'sample-', bet).text);
  if (sample.status !== 201) throw new Error(`the first order was answered ${sample.status}: ${sample.body}`);
  const markets = await marketsForRun(server, apiKey, neededMs);
  const templates = orderTemplates(bettors, markets);
  return { templates, bettors, markets, sample, acknowledged: new Acknowledged() };
}

/** Accounts and markets in turn, both sides of each market alike, so that its pools stay even. */
function orderTemplates(bettors: readonly Bettor[], markets: readonly MarketState[]): RequestTemplate[] {
  const both = markets.length * 2;
  const count = Math.ceil(bettors.length / both) * both;
  return Array.from({ length: count }, (_, at) => {
    const { apiKey } = must(bettors[at % bettors.length], 'bettor');
    const marketId = must(markets[at % markets.length], 'market').id;
    const prediction = Math.floor(at / markets.length) % 2 === 0 ? 'UP' : 'DOWN';
    const order = orderRequest(apiKey, 'bench-', { marketId, prediction, amount: STAKE_DOLLARS });
    return { ...order, expect: 0, stakeCents: STAKE_DOLLARS * 100 };
  });
}

const placed = (numbered: boolean): Expectation[] => [
  { protocol: 'http', status: 201, bodyStart: PLACED, numbered, headers: LIMIT_HEADERS },
];

function toteTarget(server: ToteServer, book: Book): Target {
  const { templates, bettors, acknowledged } = book;
  return {
    name: TOTE,
    process: server.process,
    port: server.port,
    templates,
    expectations: placed(true),
    onResult: ({ client }) =>
      acknowledged.add(client, templates, (at) => must(bettors[at % bettors.length], 'bettor')),
  };
}

/** The group commit first: it also stands beside the server in the open loop. */
async function startReferences(
  { durability, cores, workDir, progress }: SuiteOptions,
  running: ServerProcess[],
  book: Book,
): Promise<Target[]> {
  const folder = (name: string): string => {
    const path = join(workDir, name);
    mkdirSync(path);
    return path;
  };
  const commandBytes = orderCommandBytes(marketOf(must(book.markets[0], 'market').id), BETTORS);
  const bare = (name: string, { process, port }: BareServer): Target => {
    running.push(process);
    return { name, process, port, templates: book.templates, expectations: placed(false) };
  };
  const served = { gets: [], post: book.sample };
  const commitDir = folder('bare-commit');
  const commit = { file: join(commitDir, 'journal.sqlite'), commandBytes, durability };
  const targets = [
    bare(BARE_COMMIT, await startBare({ ...served, commit }, commitDir, cores.server)),
    bare(BARE, await startBare({ ...served, commit: null }, folder('bare'), cores.server)),
  ];
  if (!hasRedis()) {
    progress('redis-server is not installed: its rows are missing');
    return targets;
  }
  const redis = await startRedis(folder('redis'), durability, cores.server);
  running.push(redis.process);
  return [...targets, { name: REDIS, ...redis, ...redisSets(commandBytes) }];
}

function ratios(rows: readonly LoadRow[]): Ratio[] {
  return CONNECTIONS.flatMap((connections) => {
    const row = (name: string): LoadRow | undefined =>
      rows.find((candidate) => candidate.connections === connections && candidate.name === name);
    const tote = must(row(TOTE), "the server's row");
    const against = (
      name: string,
      what: string,
      goals: readonly [must: number, aim: number] | null,
    ): Ratio[] => {
      const reference = row(name);
      if (reference === undefined) return [];
      const [mustReach, aim] = goals ?? [null, null];
      const text = `orders against ${what}, ${connections} connections`;
      return [{ what: text, value: rateRatio(tote, reference), must: mustReach, aim }];
    };
    const most = connections === Math.max(...CONNECTIONS);
    return [
      ...against(BARE_COMMIT, 'bare POST with group commit', most ? [0.75, 0.9] : null),
      ...against(BARE, 'bare POST without a journal', most ? [0.5, 0.7] : null),
      ...against(REDIS, 'Redis SET, fsync always', [0.8, 1.1]),
    ];
  });
}

/** How long the markets must go on taking bets. */
function runMs({ rounds, warmupMs, measureMs }: SuiteOptions): number {
  const systems = 4;
  const runs = rounds * (systems * CONNECTIONS.length + 2);
  return runs * (warmupMs + measureMs + RUN_OVERHEAD_MS) + 10_000;
}
