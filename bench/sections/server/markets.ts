/**
 * Public market data: `GET /v1/markets/{id}` and `GET /v1/markets`, compared with bare handlers that send the same
 * bytes. Our own client checks the answers and measures latencies. Rates are measured with `wrk` if it is installed,
 * because a client on Node cannot send requests as fast as they are answered.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { httpRequest } from '../../client/http-request.js';
import type { RequestTemplate } from '../../client/job.js';
import { hasWrk, measureWithWrk, type WrkMeasurement } from '../../client/programs/wrk.js';
import { type ServerProcess, withServers } from '../../host/server-process.js';
import { captureAnswer, type WireAnswer } from '../../load/answer.js';
import {
  clientLimitNotes,
  cpuRatio,
  type LoadRow,
  loadRows,
  loadTable,
  rateRatio,
  type Target,
} from '../../load/rows.js';
import { expectAsLarge, startBare } from '../../references/bare.js';
import { figure, millisecondsOfUs, percent } from '../../report/format.js';
import { ratioGoal } from '../../report/goals.js';
import {
  median,
  type Ratio,
  type SectionResult,
  type SuiteOptions,
  type Table,
} from '../../report/section.js';
import { makeBettors, openMarkets } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const CONNECTIONS = 64;
const KEYS = 100;
const ALL_MARKETS = '/v1/markets';

export async function marketsSection(options: SuiteOptions): Promise<SectionResult> {
  return withServers((running) => measureMarkets(options, running));
}

async function measureMarkets(options: SuiteOptions, running: ServerProcess[]): Promise<SectionResult> {
  const { durability, cores, workDir, progress } = options;
  progress('starting the server and the bare handlers');
  const server = await ToteServer.start({
    dataDir: join(workDir, 'tote'),
    workDir,
    core: cores.server,
    durability,
  });
  running.push(server.process);
  const keys = (await makeBettors(server, KEYS)).map(({ apiKey }) => apiKey);
  const firstKey = must(keys[0], 'key');
  const market = (await openMarkets(server, firstKey)).toSorted((a, b) => b.bettingMs - a.bettingMs)[0];
  const paths = [`/v1/markets/${must(market, 'market').id}`, ALL_MARKETS];
  const answers: WireAnswer[] = [];
  for (const path of paths) {
    answers.push(
      await captureAnswer('127.0.0.1', server.port, getTemplates([firstKey], path)[0]?.text ?? ''),
    );
  }
  const gets = paths.map((path, at) => ({ path, answer: must(answers[at], 'answer') }));
  const bareDir = join(workDir, 'bare');
  mkdirSync(bareDir);
  const bare = await startBare(
    { gets, post: must(answers[0], 'answer'), commit: null },
    bareDir,
    cores.server,
  );
  running.push(bare.process);
  for (const { path, answer } of gets) {
    await expectAsLarge(bare.port, must(getTemplates([firstKey], path)[0], 'request').text, answer);
  }

  const results: PathResult[] = [];
  for (const { path } of gets) {
    const templates = getTemplates(keys, path);
    const targets = [
      marketTarget(`tote: GET ${nameOf(path)}`, server, templates),
      marketTarget(`bare: GET ${nameOf(path)}`, bare, templates),
    ];
    results.push(await measurePath(path, targets, options));
  }
  return sectionOf(results);
}

/** The market depends on the time of day, but rows of two runs are compared by name. */
const nameOf = (path: string): string => (path === ALL_MARKETS ? path : `${ALL_MARKETS}/{id}`);

function getTemplates(keys: readonly string[], path: string): RequestTemplate[] {
  return keys.map((apiKey) => ({
    text: httpRequest('GET', path, [['X-API-Key', apiKey]], ''),
    serialAt: -1,
    expect: 0,
    stakeCents: 0,
  }));
}

function marketTarget(
  name: string,
  { process, port }: { readonly process: ServerProcess; readonly port: number },
  templates: readonly RequestTemplate[],
): Target {
  const headers = ['X-RateLimit-Limit:', 'X-RateLimit-Remaining:', 'X-RateLimit-Reset:'];
  const expectation = { status: 200, bodyStart: '{"success":true,"data":', numbered: false, headers };
  return { name, process, port, templates, expectations: [{ protocol: 'http', ...expectation }] };
}

interface WrkRow {
  readonly name: string;
  readonly rounds: readonly WrkMeasurement[];
}

interface PathResult {
  readonly path: string;
  readonly rows: readonly LoadRow[];
  /** null if wrk is not installed. */
  readonly wrkRows: readonly WrkRow[] | null;
}

async function measurePath(
  path: string,
  targets: readonly Target[],
  options: SuiteOptions,
): Promise<PathResult> {
  const rows = await loadRows(targets, CONNECTIONS, options);
  if (!hasWrk()) return { path, rows, wrkRows: null };
  const rounds = targets.map((): WrkMeasurement[] => []);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [at, { name, port, templates, process }] of targets.entries()) {
      options.progress(`${name}, wrk, round ${round} of ${options.rounds}`);
      const seconds = Math.ceil(options.measureMs / 1000);
      const run = {
        port,
        templates,
        seconds,
        connections: CONNECTIONS,
        dir: options.workDir,
        core: options.cores.client,
      };
      rounds[at]?.push(await measureWithWrk(run, process));
    }
  }
  return { path, rows, wrkRows: targets.map(({ name }, at) => ({ name, rounds: rounds[at] ?? [] })) };
}

function sectionOf(results: readonly PathResult[]): SectionResult {
  const wrkRows = results.flatMap((result) => result.wrkRows ?? []);
  const tables = [
    loadTable(
      'Market data, our own client (checks every answer)',
      results.flatMap(({ rows }) => rows),
    ),
    ...(wrkRows.length > 0 ? [wrkTable(wrkRows)] : []),
  ];
  const missing = wrkRows.length === 0;
  return {
    name: 'markets',
    tables,
    ratios: results.map(pathRatio),
    notes: missing
      ? [
          'wrk is not installed: the ratios are of our own client, which may be the limit (see its CPU share).',
          ...clientLimitNotes(results.flatMap(({ rows }) => rows)),
        ]
      : ['The ratios are of the rates that wrk reached.', ...wrkLimitNotes(wrkRows)],
    data: results,
  };
}

function pathRatio({ path, rows, wrkRows }: PathResult): Ratio {
  const what = `GET ${nameOf(path)} against a bare handler that sends the same bytes`;
  const goals = path === ALL_MARKETS ? ratioGoal('markets') : { must: null, aim: null };
  const [tote, bare] = rows;
  const [wrkTote, wrkBare] = wrkRows ?? [];
  if (wrkTote === undefined || wrkBare === undefined) {
    const [row, reference] = [must(tote, 'row'), must(bare, 'row')];
    return { what, value: rateRatio(row, reference), byCpu: cpuRatio(row, reference), ...goals };
  }
  const ratios = wrkTote.rounds.map(
    ({ ratePerSecond }, round) => ratePerSecond / (wrkBare.rounds[round]?.ratePerSecond ?? Number.NaN),
  );
  const byCpu = wrkCpuUs(wrkBare) / wrkCpuUs(wrkTote);
  return { what, value: median(ratios), byCpu: Number.isNaN(byCpu) ? null : byCpu, ...goals };
}

/** A server that waits only for requests uses its whole core, unless too few arrive. */
const BUSY_SERVER_CPU = 0.9;

/** Names the rows in which wrk may have been the limit: ratios against them are too favourable. */
function wrkLimitNotes(rows: readonly WrkRow[]): string[] {
  return rows.flatMap(({ name, rounds }) => {
    const serverCpu = median(rounds.map(({ cpu }) => cpu?.process ?? Number.NaN));
    if (!(serverCpu < BUSY_SERVER_CPU)) return [];
    return [
      `${name}: the server used ${percent(serverCpu)} of its core, so wrk, or something else that ran, was the limit; ` +
        'the ratio by CPU time does not depend on that.',
    ];
  });
}

/** CPU time of the server per request, in microseconds; NaN if /proc is unavailable. */
function wrkCpuUs({ rounds }: WrkRow): number {
  return median(rounds.map(({ cpu, ratePerSecond }) => ((cpu?.process ?? Number.NaN) * 1e6) / ratePerSecond));
}

function wrkTable(rows: readonly WrkRow[]): Table {
  return {
    title: 'Market data, wrk (status only)',
    columns: ['system', 'conns', 'rate/s', 'p50 ms', 'p99 ms', 'server CPU', 'us/request'],
    rows: rows.map((row) => {
      const { name, rounds } = row;
      const of = (pick: (round: WrkMeasurement) => number): number => median(rounds.map(pick));
      return [
        name,
        String(CONNECTIONS),
        figure(of(({ ratePerSecond }) => ratePerSecond)),
        millisecondsOfUs(of(({ p50Us }) => p50Us)),
        millisecondsOfUs(of(({ p99Us }) => p99Us)),
        percent(of(({ cpu }) => cpu?.process ?? Number.NaN)),
        figure(wrkCpuUs(row)),
      ];
    }),
  };
}
