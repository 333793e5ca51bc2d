/**
 * Compares two built checkouts. Both servers run on the same core and are measured alternately under the same load;
 * every other round in reverse order. Other work of the machine affects both, so small differences show that two runs
 * at different times would hide.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../engine/base/assert.js';
import { BOTS_MIX } from '../client/kinds.js';
import { commitOf } from '../host/environment.js';
import { type Book, openBook } from '../load/book.js';
import { type Row, rateOf, rowsInTurn, type Target, toteTarget } from '../load/runs.js';
import { rateRatioOf, rowTables } from '../load/tables.js';
import { refusedOrders, workloadOf } from '../load/workload.js';
import { UsageError } from '../report/options.js';
import type { Findings, Ratio, SuiteOptions } from '../report/section.js';
import { audit } from '../tote/audit.js';
import { placeOf, ToteServer } from '../tote/server.js';

const RUNS = [
  { workload: 'orders', connections: 1 },
  { workload: 'orders', connections: 64 },
  { workload: 'orders', connections: 256 },
  { workload: 'one market', connections: 64 },
  { workload: "the bots' mix", connections: 256 },
  { workload: 'refused orders', connections: 256 },
] as const;
const RUN_OVERHEAD_MS = 2_500;

export function mainOf(dir: string): string {
  const file = [join(dir, 'dist', 'main.js'), join(dir, 'main.js')].find(existsSync);
  if (file === undefined)
    throw new UsageError(`--pair: "${dir}" is no built checkout: it has no dist/main.js`);
  return file;
}

export async function pairSection(dir: string, options: SuiteOptions): Promise<Findings> {
  const a = await startSide('A', {}, options);
  const b = await startSide('B', { main: mainOf(dir) }, options);
  const rows: Row[] = [];
  for (const { workload, connections } of RUNS) {
    const targets = [a.targets[workload], b.targets[workload]];
    rows.push(...(await rowsInTurn(targets, { connections }, options)));
  }
  options.progress('auditing');
  for (const { server, book } of [a, b]) await audit(server, book);
  return sectionOf(dir, rows);
}

async function startSide(name: string, program: { readonly main?: string }, options: SuiteOptions) {
  options.progress(`starting ${name}`);
  const workDir = join(options.workDir, name);
  mkdirSync(workDir);
  const server = await ToteServer.start({ ...placeOf({ ...options, workDir }), ...program });
  const runs = RUNS.length * options.rounds * 2;
  const book = await openBook(server, runs * (options.warmupMs + options.measureMs + RUN_OVERHEAD_MS));
  const { markets } = book;
  const target = (what: string, workload: Book['orders']): Target => ({
    ...toteTarget(what, server, workload, book),
    name: `${name}: ${what}`,
  });
  const targets = {
    orders: target('orders', book.orders),
    'one market': target('one market', workloadOf({ ...book, markets: markets.slice(0, 1) }, { market: 1 })),
    "the bots' mix": target("the bots' mix", workloadOf(book, BOTS_MIX)),
    'refused orders': target('refused orders', refusedOrders(book)),
  };
  return { server, book, targets };
}

function sectionOf(dir: string, rows: readonly Row[]): Findings {
  return {
    tables: rowTables('A (this checkout) and B, in turn', rows),
    ratios: RUNS.map((_, at) => ratioOf(must(rows[2 * at], 'A'), must(rows[2 * at + 1], 'B'))),
    notes: [
      `A is this checkout, B ${dir} (commit ${commitOf(dir) ?? 'unknown'}); a ratio above 1 is for A. Behind it: the lowest and the highest of the rounds. ` +
        'Where these lie on both sides of 1, the rounds do not tell A from B.',
      'The books of both held every acknowledged order; money is conserved.',
    ],
    data: rows,
  };
}

function ratioOf(a: Row, b: Row): Ratio {
  const ratios = a.rounds.map((run, round) => rateOf(run) / rateOf(must(b.rounds[round], 'round')));
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return rateRatioOf(`${a.name}, ${a.connections} connections, against B (${range})`, a, b);
}
