/**
 * Polite clients beside an attack. With two gateways or more, polite requests come to one of them at planned times, while
 * a process floods all the others with requests that have no valid key. Quiet and attacked windows take turns.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must } from '../../../engine/base/assert.js';
import { httpRequest } from '../../client/http-request.js';
import type { LatencySummary } from '../../client/job.js';
import type { AttackJob, AttackNews } from '../../client/lines/attack.js';
import { openLines, someGateway } from '../../client/lines/line.js';
import { askPolitely } from '../../client/lines/polite.js';
import { figure, millisecondsOfUs } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { liveMarkets, makeBettors, openMarkets } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const GATEWAYS = 2;
const POLITE_LINES = 16;
const POLITE_PER_SECOND = 500;
const ATTACK_CONNECTIONS = 64;
const START_MS_MAX = 30_000;
const OK = 200;
const ATTACK = fileURLToPath(new URL('../../client/lines/attack.js', import.meta.url));
/** Well-formed, and no key: it is hashed and looked up. */
const NO_KEY = `tote_${'A'.repeat(43)}`;

interface AttackRound {
  readonly quiet: LatencySummary;
  readonly attacked: LatencySummary;
  readonly attackPerSecond: number;
}

export async function attackSection(options: SuiteOptions): Promise<SectionResult> {
  const { durability, workDir, progress } = options;
  progress('starting the server');
  const start = { dataDir: join(workDir, 'tote'), workDir, core: null, durability };
  const server = await ToteServer.start({ ...start, env: { TOTE_GATEWAYS: String(GATEWAYS) } });
  try {
    const { apiKey } = must((await makeBettors(server, 1))[0], 'bettor');
    await openMarkets(server, apiKey);
    const market = must((await liveMarkets(server, apiKey))[0], 'market');
    const request = httpRequest('GET', `/v1/markets/${market.id}`, [['X-API-Key', apiKey]], '');
    const rounds: AttackRound[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      rounds.push(await measureRound(server.port, request, round, options));
    }
    return sectionOf(rounds);
  } finally {
    await server.process.stop('SIGKILL');
  }
}

/** The lines are opened anew for each round: the server closes silent ones. */
async function measureRound(
  port: number,
  request: string,
  round: number,
  { measureMs, rounds, progress }: SuiteOptions,
): Promise<AttackRound> {
  let reject: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, fail) => {
    reject = fail;
  });
  const spared = await Promise.race([someGateway(port, request, reject), failed]);
  const isSpared = (gateway: string): boolean => gateway === spared;
  const lines = await Promise.race([openLines(port, request, POLITE_LINES, isSpared, reject), failed]);
  const polite = { lines, request, status: OK, ratePerSecond: POLITE_PER_SECOND, measureMs };
  try {
    progress(`polite clients alone, round ${round} of ${rounds}`);
    const quiet = await Promise.race([askPolitely({ ...polite, seed: round }), failed]);
    progress(`polite clients beside an attack, round ${round} of ${rounds}`);
    const job = { port, connections: ATTACK_CONNECTIONS, request: attackRequest(), spared };
    return await besideAttack(job, async (answers) => {
      const before = answers();
      const attacked = await Promise.race([askPolitely({ ...polite, seed: round }), failed]);
      return { quiet, attacked, attackPerSecond: ((answers() - before) / measureMs) * 1000 };
    });
  } finally {
    for (const line of lines) line.close();
  }
}

const attackRequest = (): string => httpRequest('GET', '/v1/markets', [['X-API-Key', NO_KEY]], '');

/** Runs `act` once the attack is under way, and ends the attack. */
async function besideAttack<T>(job: AttackJob, act: (answers: () => number) => Promise<T>): Promise<T> {
  const attack = fork(ATTACK, { execArgv: [] });
  let answers = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the attack did not begin')), START_MS_MAX);
      attack.on('message', (news: AttackNews) => {
        answers = news.answers;
        clearTimeout(timer);
        resolve();
      });
      attack.once('exit', (code) => reject(new Error(`the attack ended with code ${code}`)));
      attack.send(job);
    });
    return await act(() => answers);
  } finally {
    attack.kill('SIGKILL');
  }
}

function sectionOf(rounds: readonly AttackRound[]): SectionResult {
  const ratio = median(rounds.map(({ quiet, attacked }) => attacked.p99Us / quiet.p99Us));
  const row = (name: string, of: (round: AttackRound) => LatencySummary): string[] => [
    name,
    ...(['p50Us', 'p90Us', 'p99Us', 'p999Us', 'maxUs'] as const).map((at) =>
      millisecondsOfUs(median(rounds.map((round) => of(round)[at]))),
    ),
  ];
  const attack = figure(median(rounds.map(({ attackPerSecond }) => attackPerSecond)));
  return {
    name: 'attack',
    tables: [
      {
        title: `Polite clients on one of ${GATEWAYS} gateways, ${POLITE_PER_SECOND} GET /v1/markets/{id} a second`,
        columns: ['', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'max ms'],
        rows: [row('quiet', ({ quiet }) => quiet), row('attacked', ({ attacked }) => attacked)],
      },
    ],
    ratios: [],
    notes: [
      `The attack: ${ATTACK_CONNECTIONS} connections on the other gateways, requests without a valid key as fast as they are answered, ` +
        `${attack} a second. Nothing is pinned: server, polite clients and attackers share all cores.`,
    ],
    measured: [
      {
        goal: 'politeTail',
        value: ratio,
        beside: `${attack} attacking requests a second`,
      },
    ],
    data: rounds,
  };
}
