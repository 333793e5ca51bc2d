/** The systems whose CPU time is told by thread, and what `wrk` asks of each, again and again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { marketOf } from '../../../engine/model/domain.js';
import { httpRequest } from '../../client/http-request.js';
import type { RequestTemplate } from '../../client/job.js';
import { hasRedisBenchmark } from '../../client/programs/redis-benchmark.js';
import type { ServerProcess } from '../../host/server-process.js';
import { captureAnswer } from '../../load/answer.js';
import { type Book, openBook } from '../../load/book.js';
import { startBare } from '../../references/bare.js';
import { orderCommandBytes } from '../../references/commit-size.js';
import { hasRedis, startRedis } from '../../references/redis.js';
import type { SuiteOptions } from '../../report/section.js';
import { expectConservation } from '../../tote/audit.js';
import { type Bettor, liveMarkets, makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import { catchUp } from '../../tote/shadow.js';

const BETTORS = 1_000;
const CONNECTIONS = 256;
/** Bets in a list of positions. */
const LISTED = 20;

export interface Asked {
  readonly name: string;
  readonly connections: number;
  readonly process: ServerProcess;
  readonly port: number;
  readonly templates: readonly RequestTemplate[];
  /** Waits for what the server has put off. */
  readonly catchUp?: () => Promise<unknown>;
  /** Called with the answers of a run, warm-up included. */
  readonly onAnswered?: (answered: number) => void;
}

/** In this order: the lists have bets to show after the orders. */
export const ASKED = [
  'orders',
  'post',
  'commit',
  'market',
  'get',
  'list',
  'positions',
  'oneOrder',
  'oneCommit',
] as const;
export type AskedName = (typeof ASKED)[number];

export interface Systems {
  readonly asked: Readonly<Record<AskedName, Asked>>;
  /** null where it is not installed. */
  readonly redis: { readonly port: number; readonly valueBytes: number } | null;
  /** Throws unless the server has every order that it answered; returns how many. */
  readonly audit: () => Promise<number>;
}

export async function startSystems(
  options: SuiteOptions,
  bettingMs: number,
  running: ServerProcess[],
): Promise<Systems> {
  const { durability, cores, workDir } = options;
  const dataDir = join(workDir, 'tote');
  const server = await ToteServer.start({ dataDir, workDir, core: cores.server, durability });
  running.push(server.process);
  const bettors = await makeBettors(server, BETTORS);
  const book = await openBook(server, bettors, bettingMs);
  const market = must(book.markets[0], 'market').id;
  const valueBytes = orderCommandBytes(marketOf(market), bettors.length);
  const bare = await startBares(server, book, `/v1/markets/${market}`, valueBytes, options, running);
  const orders = countedOrders(server, book);
  const reads = (path: string) => ({
    process: server.process,
    port: server.port,
    templates: gets(bettors, path),
  });
  const many = { connections: CONNECTIONS };
  const one = { connections: 1 };
  return {
    asked: {
      orders: { name: 'tote: POST /v1/orders', ...many, ...orders.asked },
      post: { name: 'bare POST', ...many, ...bare.post },
      commit: { name: 'bare POST + group commit', ...many, ...bare.commit },
      market: { name: 'tote: GET /v1/markets/{id}', ...many, ...reads(`/v1/markets/${market}`) },
      get: { name: 'bare GET, same bytes', ...many, ...bare.get },
      list: { name: 'tote: GET /v1/markets', ...many, ...reads('/v1/markets') },
      positions: {
        name: `tote: GET /v1/positions, ${LISTED} bets`,
        ...many,
        ...reads(`/v1/positions?limit=${LISTED}`),
      },
      oneOrder: { name: 'tote: POST /v1/orders', ...one, ...orders.asked },
      oneCommit: { name: 'bare POST + group commit', ...one, ...bare.commit },
    },
    redis: await startedRedis(options, valueBytes, running),
    audit: orders.audit,
  };
}

const gets = (bettors: readonly Bettor[], path: string): RequestTemplate[] =>
  bettors.map(({ apiKey }) => ({
    text: httpRequest('GET', path, [['X-API-Key', apiKey]], ''),
    serialAt: -1,
    expect: 0,
    stakeCents: 0,
  }));

/** One that answers at once, and one that commits before. */
async function startBares(
  server: ToteServer,
  { bettors, templates, sample }: Book,
  path: string,
  commandBytes: number,
  { durability, cores, workDir }: SuiteOptions,
  running: ServerProcess[],
) {
  const ofMarket = gets(bettors, path);
  const answer = await captureAnswer('127.0.0.1', server.port, must(ofMarket[0], 'request').text);
  const start = async (name: string, isCommitting: boolean) => {
    const dir = join(workDir, name);
    mkdirSync(dir);
    const commit = isCommitting ? { file: join(dir, 'journal.sqlite'), commandBytes, durability } : null;
    const config = { gets: [{ path, answer }], post: sample, commit };
    const started = await startBare(config, dir, cores.server);
    running.push(started.process);
    return started;
  };
  const plain = await start('bare', false);
  return {
    post: { ...plain, templates },
    get: { ...plain, templates: ofMarket },
    commit: { ...(await start('bare-commit', true)), templates },
  };
}

/** wrk leaves the last request of each connection unread, so that many bets more may be found. */
function countedOrders(server: ToteServer, { templates, bettors, markets }: Book) {
  let answered = 0;
  let runs = 0;
  const asked = {
    process: server.process,
    port: server.port,
    templates,
    catchUp: () => catchUp(server),
    onAnswered: (more: number) => {
      answered += more;
      runs += 1;
    },
  };
  const audit = async (): Promise<number> => {
    const before = new Map(markets.map(({ roundId, totalBets }) => [roundId, totalBets]));
    const now = await liveMarkets(server, must(bettors[0], 'bettor').apiKey);
    const found = now.reduce((sum, { roundId, totalBets }) => {
      const had = before.get(roundId);
      return had === undefined ? sum : sum + totalBets - had;
    }, 0);
    await expectConservation(server);
    // A run has a warm-up, which ends in the same way.
    const unread = found - answered;
    if (unread < 0 || unread > 2 * CONNECTIONS * runs + 1)
      throw new Error(`${answered} orders were answered, and the rounds have ${found} bets more`);
    return answered;
  };
  return { asked, audit };
}

async function startedRedis(
  { durability, cores, workDir }: SuiteOptions,
  valueBytes: number,
  running: ServerProcess[],
): Promise<Systems['redis']> {
  if (!hasRedis() || !hasRedisBenchmark()) return null;
  const dir = join(workDir, 'redis');
  mkdirSync(dir);
  const { process, port } = await startRedis(dir, durability, cores.server);
  running.push(process);
  return { port, valueBytes };
}
