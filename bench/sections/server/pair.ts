/**
 * Compares two built checkouts. Both servers run on the same core and are measured alternately under the same load;
 * every other round in reverse order. Other work of the machine affects both, so small differences show that two runs
 * at different times would hide.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { type ServerProcess, withServers } from '../../host/server-process.js';
import { type Book, openBook } from '../../load/book.js';
import { botsMix, marketReads, ordersOnly, refusedOrders, workloadTarget } from '../../load/requests.js';
import {
  clientLimitNotes,
  cpuRatio,
  type LoadRow,
  loadRows,
  loadTable,
  rateRatio,
  sustainedRatio,
  type Target,
} from '../../load/rows.js';
import { UsageError } from '../../report/options.js';
import type { Ratio, SectionResult, SuiteOptions } from '../../report/section.js';
import { audit } from '../../tote/audit.js';
import { makeBettors } from '../../tote/bettors.js';
import { ToteServer } from '../../tote/server.js';

const BETTORS = 1_000;
const RUNS = [
  { workload: 'orders', connections: 64 },
  { workload: 'orders', connections: 256 },
  { workload: 'one market', connections: 64 },
  { workload: "the bots' mix", connections: 256 },
  { workload: 'refused orders', connections: 256 },
] as const;
const RUN_OVERHEAD_MS = 2_500;

/** The program of a built checkout: `npm run build` puts it into `dist`. */
export function mainOf(dir: string): string {
  const file = [join(dir, 'dist', 'main.js'), join(dir, 'main.js')].find(existsSync);
  if (file === undefined)
    throw new UsageError(`--pair: "${dir}" is no built checkout: it has no dist/main.js`);
  return file;
}

interface Side {
  readonly server: ToteServer;
  readonly book: Book;
  readonly targets: ReadonlyMap<string, Target>;
}

export async function pairSection(dir: string, options: SuiteOptions): Promise<SectionResult> {
  return withServers(async (running) => {
    const other = mainOf(dir);
    const a = await startSide('A', undefined, options, running);
    const b = await startSide('B', other, options, running);
    const pairs: (readonly [LoadRow, LoadRow])[] = [];
    for (const { workload, connections } of RUNS) {
      const targets = [a, b].map(({ targets: own }) => must(own.get(workload), workload));
      const [rowA, rowB] = await loadRows(targets, connections, options);
      pairs.push([must(rowA, 'A'), must(rowB, 'B')]);
    }
    options.progress('auditing');
    for (const { server, book } of [a, b]) {
      await audit(server, book.bettors, book.markets, book.acknowledged);
    }
    return sectionOf(dir, pairs, options);
  });
}

async function startSide(
  name: string,
  main: string | undefined,
  options: SuiteOptions,
  running: ServerProcess[],
): Promise<Side> {
  const { durability, cores, progress } = options;
  progress(`starting ${name}`);
  const workDir = join(options.workDir, name);
  mkdirSync(workDir);
  const start = { dataDir: join(workDir, 'tote'), workDir, core: cores.server, durability };
  const server = await ToteServer.start({ ...start, ...(main === undefined ? {} : { main }) });
  running.push(server.process);
  const bettors = await makeBettors(server, BETTORS);
  const runs = RUNS.length * options.rounds * 2;
  const neededMs = runs * (options.warmupMs + options.measureMs + RUN_OVERHEAD_MS);
  const book = await openBook(server, bettors, neededMs);
  const { markets } = book;
  const workloads = [
    ['orders', ordersOnly(bettors, markets)],
    ['one market', marketReads(bettors, markets)],
    ["the bots' mix", botsMix(bettors, markets)],
    ['refused orders', refusedOrders(bettors, markets)],
  ] as const;
  const targets = workloads.map(
    ([workload, requests]) =>
      [
        workload,
        { ...workloadTarget(workload, server, requests, book), name: `${name}: ${workload}` },
      ] as const,
  );
  return { server, book, targets: new Map(targets) };
}

function sectionOf(
  dir: string,
  pairs: readonly (readonly [LoadRow, LoadRow])[],
  options: SuiteOptions,
): SectionResult {
  return {
    name: 'pair',
    tables: [loadTable('A (this checkout) and B, in turn', pairs.flat())],
    ratios: pairs.map((pair) => ratioOf(pair, options)),
    notes: [
      `A is this checkout, B ${dir}; a ratio above 1 is for A. Behind it: the lowest and the highest of the rounds. ` +
        'Where these lie on both sides of 1, the rounds do not tell A from B.',
      '"sustained" is the ratio with the time counted that each server needed after its windows for what it had put off.',
      ...clientLimitNotes(pairs.flat()),
      'The books of both held every acknowledged order; money is conserved.',
    ],
    data: pairs,
  };
}

function ratioOf([a, b]: readonly [LoadRow, LoadRow], options: SuiteOptions): Ratio {
  const ratios = a.rounds.map(
    ({ client }, round) => client.ratePerSecond / (b.rounds[round]?.client.ratePerSecond ?? Number.NaN),
  );
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const what = `${a.name}, ${a.connections} connections, against B (${range})`;
  const sustained = sustainedRatio(a, b, options);
  return { what, value: rateRatio(a, b), byCpu: cpuRatio(a, b), sustained, must: null, aim: null };
}
