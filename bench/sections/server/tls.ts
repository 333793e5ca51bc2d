/**
 * What TLS costs: handshakes, and orders beside those of a server without it. The servers are alike but for that, and are
 * measured in turn.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import {
  type HandshakeRun,
  hasOpenssl,
  makeCertificate,
  measureHandshakes,
} from '../../client/programs/handshakes.js';
import { hasWrk, measureWithWrk } from '../../client/programs/wrk.js';
import { type ServerProcess, withServers } from '../../host/server-process.js';
import { byThread, cpuTimes, cpuUse } from '../../host/usage.js';
import { orderTemplates } from '../../load/book.js';
import { type ThreadRow, type ThreadRun, threadTable, threadUsOf } from '../../load/by-thread.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from '../../report/section.js';
import { expectConservation } from '../../tote/audit.js';
import { makeBettors, marketsForRun, openMarkets } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';
import { catchUp } from '../../tote/shadow.js';

const BETTORS = 1_000;
const CONNECTIONS = 256;
const RUN_OVERHEAD_MS = 4_000;

type Kind = Pick<HandshakeRun, 'version' | 'isResumed'> & { readonly name: string };
const HANDSHAKES: readonly Kind[] = [
  { name: 'TLS 1.3', version: 'tls1_3', isResumed: false },
  { name: 'TLS 1.2', version: 'tls1_2', isResumed: false },
  { name: 'TLS 1.2, session resumed', version: 'tls1_2', isResumed: true },
];

interface HandshakeRow {
  readonly name: string;
  readonly ratePerSecond: number;
  readonly gatewayUs: number;
  readonly otherUs: number;
}

interface Measured {
  readonly server: ToteServer;
  readonly name: string;
  readonly isTls: boolean;
  readonly templates: ReturnType<typeof orderTemplates>;
  readonly rounds: ThreadRun[];
}

export async function tlsSection(options: SuiteOptions): Promise<SectionResult> {
  if (!hasWrk() || !hasOpenssl()) {
    const notes = ['wrk or openssl is not installed: there are no figures of TLS.'];
    return { name: 'tls', tables: [], ratios: [], notes, data: null };
  }
  return withServers(async (running) => {
    const plain = await startMeasured(false, options, running);
    const tls = await startMeasured(true, options, running);
    const handshakes: HandshakeRow[] = [];
    for (const kind of HANDSHAKES) handshakes.push(await handshakeRow(kind, tls.server, options));
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const measured of round % 2 === 0 ? [tls, plain] : [plain, tls]) {
        options.progress(`${measured.name}, round ${round} of ${options.rounds}`);
        measured.rounds.push(await orderRun(measured, options));
      }
    }
    for (const { server } of [plain, tls]) await expectConservation(server);
    return sectionOf(handshakes, [plain, tls].map(rowOf), options);
  });
}

async function startMeasured(
  isTls: boolean,
  { durability, cores, workDir, rounds, measureMs }: SuiteOptions,
  running: ServerProcess[],
): Promise<Measured> {
  const dir = join(workDir, isTls ? 'tls' : 'plain');
  mkdirSync(dir);
  const tls = isTls ? { tls: makeCertificate(dir) } : {};
  const server = await ToteServer.start({
    dataDir: join(dir, 'data'),
    workDir: dir,
    core: cores.server,
    durability,
    ...tls,
  });
  running.push(server.process);
  const bettors = await makeBettors(server, BETTORS);
  const { apiKey } = must(bettors[0], 'bettor');
  await openMarkets(server, apiKey);
  const neededMs = (rounds * 2 + HANDSHAKES.length) * (measureMs + RUN_OVERHEAD_MS) + 10_000;
  const templates = orderTemplates(bettors, await marketsForRun(server, apiKey, neededMs));
  const name = `POST /v1/orders${isTls ? ', TLS 1.3' : ''}`;
  return { server, name, isTls, templates, rounds: [] };
}

const rowOf = ({ name, rounds }: Measured): ThreadRow => ({
  name,
  connections: CONNECTIONS,
  placement: 'one core',
  rounds,
});

async function orderRun({ server, isTls, templates }: Measured, options: SuiteOptions): Promise<ThreadRun> {
  const run = { port: server.port, isTls, templates, connections: CONNECTIONS, seconds: secondsOf(options) };
  const { ratePerSecond, p50Us, p99Us, answered, cpu } = await measureWithWrk(
    { ...run, dir: options.workDir, core: options.cores.client },
    server.process,
  );
  const threadUs = byThread((name) => (cpu?.threadNs[name] ?? Number.NaN) / answered / 1_000);
  await catchUp(server);
  return { ratePerSecond, p50Us, p99Us, threadUs };
}

async function handshakeRow(
  kind: Kind,
  { port, process }: ToteServer,
  options: SuiteOptions,
): Promise<HandshakeRow> {
  const rounds: HandshakeRow[] = [];
  const { version, isResumed, name } = kind;
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`handshakes, ${name}, round ${round} of ${options.rounds}`);
    const before = cpuTimes(process.pid);
    const seconds = secondsOf(options);
    const made = await measureHandshakes({ port, seconds, version, isResumed, core: options.cores.client });
    const used = cpuUse(before, cpuTimes(process.pid))?.threadNs ?? byThread(() => Number.NaN);
    const { gateway, ...others } = used;
    const otherNs = Object.values(others).reduce((sum, ns) => sum + ns, 0);
    rounds.push({
      name,
      ratePerSecond: made / seconds,
      gatewayUs: gateway / made / 1_000,
      otherUs: otherNs / made / 1_000,
    });
  }
  const of = (pick: (row: HandshakeRow) => number): number => median(rounds.map(pick));
  return {
    name,
    ratePerSecond: of((row) => row.ratePerSecond),
    gatewayUs: of((row) => row.gatewayUs),
    otherUs: of((row) => row.otherUs),
  };
}

const secondsOf = ({ measureMs }: SuiteOptions): number => Math.ceil(measureMs / 1_000);

function sectionOf(
  handshakes: readonly HandshakeRow[],
  rows: readonly ThreadRow[],
  { cores }: SuiteOptions,
): SectionResult {
  const [plain, tls] = rows.map((row) => threadUsOf(row).gateway);
  const more = figure(must(tls, 'orders over TLS') - must(plain, 'plain orders'));
  return {
    name: 'tls',
    tables: [handshakeTable(handshakes), threadTable(rows)],
    ratios: [],
    notes: [
      'Handshakes are those of one client, one connection after another (`openssl s_time`), with an ECDSA certificate on P-256: the ' +
        'CPU time says what a gateway can do, the rate what one client gets. Connecting and closing are in it.',
      `An order over TLS costs its gateway ${more} us more than one without, the handshakes of ${CONNECTIONS} connections included: longer windows (--seconds) make them small.`,
      ...(cores.server === null ? ['Nothing was pinned: client and server shared the cores.'] : []),
    ],
    data: { handshakes, orders: rows },
  };
}

function handshakeTable(rows: readonly HandshakeRow[]): Table {
  return {
    title: 'TLS handshakes, one client (openssl s_time)',
    columns: ['handshake', 'rate/s', 'gateway us', 'other threads us'],
    rows: rows.map(({ name, ratePerSecond, gatewayUs, otherUs }) => [
      name,
      ...[ratePerSecond, gatewayUs, otherUs].map(figure),
    ]),
  };
}
