/**
 * Public market data: `GET /v1/markets/{id}` and `GET /v1/markets`, compared with bare handlers that send the same
 * bytes. Our own client checks the answers and measures latencies. Rates are measured with `wrk` if it is installed,
 * because a client on Node cannot send requests as fast as they are answered.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/base/assert.js';
import { hasWrk } from '../client/wrk.js';
import { captureAnswer, type WireAnswer } from '../load/answer.js';
import { type Row, roundRatio, rowsInTurn, type Target, threadUsOf } from '../load/runs.js';
import { rateRatioOf, rowTables } from '../load/tables.js';
import { type Workload, workloadOf } from '../load/workload.js';
import { expectAsLarge, startBare } from '../references/bare.js';
import { figure } from '../report/format.js';
import type { Measured } from '../report/goals.js';
import type { Findings, SuiteOptions } from '../report/section.js';
import { makeBettors, openMarkets } from '../tote/bettors.js';
import { placeOf, ToteServer } from '../tote/server.js';

const CONNECTIONS = 64;
const KEYS = 100;

interface Read {
  readonly name: string;
  readonly path: string;
  readonly workload: Workload;
  readonly answer: WireAnswer;
}

export async function marketsSection(options: SuiteOptions): Promise<Findings> {
  options.progress('starting the server and the bare handlers');
  const server = await ToteServer.start(placeOf(options));
  const bettors = await makeBettors(server, KEYS);
  const open = await openMarkets(server, must(bettors[0], 'bettor').apiKey);
  const market = must(open.toSorted((a, b) => b.bettingMs - a.bettingMs)[0], 'market');
  const players = { bettors, markets: [market] };
  const read = async (name: string, path: string, workload: Workload): Promise<Read> => {
    const answer = await captureAnswer(server.port, must(workload.templates[0], 'request').text);
    return { name, path, workload, answer };
  };
  const reads = [
    await read('GET /v1/markets/{id}', `/v1/markets/${market.id}`, workloadOf(players, { market: 1 })),
    await read('GET /v1/markets', '/v1/markets', workloadOf(players, { markets: 1 })),
  ];
  const bareDir = join(options.workDir, 'bare');
  mkdirSync(bareDir);
  const gets = reads.map(({ path, answer }) => ({ path, answer }));
  const config = { gets, post: must(reads[0], 'read').answer, commit: null };
  const bare = await startBare(config, bareDir, options.cores.server);
  const own: Row[] = [];
  const wrk: Row[] = [];
  for (const { name, workload, answer } of reads) {
    await expectAsLarge(bare.port, must(workload.templates[0], 'request').text, answer);
    const targets: Target[] = [
      { name: `tote: ${name}`, process: server.process, port: server.port, workload },
      { name: `bare: ${name}`, ...bare, workload },
    ];
    own.push(...(await rowsInTurn(targets, { connections: CONNECTIONS }, options)));
    if (!hasWrk()) continue;
    wrk.push(...(await rowsInTurn(targets, { connections: CONNECTIONS, client: 'wrk' }, options)));
  }
  return sectionOf(reads, own, wrk);
}

function sectionOf(reads: readonly Read[], own: readonly Row[], wrk: readonly Row[]): Findings {
  const hasRates = wrk.length > 0;
  const rows = hasRates ? wrk : own;
  const ratios = reads.map(({ name }, at) =>
    rateRatioOf(
      `${name} against a bare handler that sends the same bytes`,
      must(rows[2 * at], 'tote'),
      must(rows[2 * at + 1], 'bare'),
    ),
  );
  const { value, byCpu } = must(ratios[1], 'GET /v1/markets');
  const ofList = { value, beside: byCpu === null ? '' : `by CPU time ${byCpu.toFixed(2)}` };
  return {
    tables: [
      ...rowTables('Market data, our own client (checks every answer)', own),
      ...(hasRates ? rowTables('Market data, wrk (status only)', wrk) : []),
    ],
    ratios,
    measured: [
      { goal: 'markets', ...ofList },
      ...(hasRates ? [marketCpu(must(wrk[0], 'tote'), must(wrk[1], 'bare'))] : []),
    ],
    notes: hasRates
      ? ['The ratios are of the rates that wrk reached.']
      : [
          'wrk is not installed: the ratios are of our own client, which may be the limit (see its CPU share).',
        ],
    data: { own, wrk },
  };
}

const marketCpu = (tote: Row, bare: Row): Measured => ({
  goal: 'marketCpuToBare',
  value: roundRatio(
    tote,
    bare,
    ({ threadUs }) => threadUs.gateway + threadUs.main,
    ({ threadUs }) => threadUs.main,
  ),
  beside: `the thread that began ${figure(threadUsOf(tote).main)} us`,
});
