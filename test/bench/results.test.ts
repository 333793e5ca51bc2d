/**
 * The figures that documents quote are those of one run: docs/performance/results.json. With TOTE_TEST_WRITE=1 the newest
 * run in bench-results/ takes its place, and documents and plot follow.
 */
import { equal, fail } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Plot, Run, Table } from '../../bench/report/section.js';
import { plotSvg } from '../../bench/report/svg.js';
import { must } from '../../engine/base/assert.js';
import { project, textOf } from '../house/sources.js';

type Results = ReturnType<typeof resultsOf>;

const RESULTS = 'docs/performance/results.json';
const PLOT = 'docs/performance/latency.svg';
const PAGE = 'docs/performance.md';
const ORDERS = 'Orders by thread (wrk)';
const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

function resultsOf({ environment: { disk, ...environment }, results }: Run) {
  const tables = results.flatMap(({ tables }) => tables);
  const plots = results.flatMap(({ plots = [] }) => plots);
  return {
    environment,
    fileSystem: must(disk, 'disk').fileSystem,
    goals: titled(tables, 'The speed table'),
    orders: titled(tables, ORDERS),
    orderCpu: titled(tables, `${ORDERS}: CPU time, microseconds a request`),
    latencyByLoad: titled(plots, 'Latency by load: tote: orders'),
  };
}

const titled = <T extends Table | Plot>(list: readonly T[], title: string): T =>
  list.find((one) => one.title === title) ?? fail(title);

function cell({ columns, rows }: Table, system: string, connections: string, column: string): string {
  const row = rows.find(([name, conns]) => name === system && conns === connections);
  return must(row?.[columns.indexOf(column)], `${system} at ${connections}: ${column}`);
}

function headline({ orders }: Results): string {
  const at = (connections: string, column: string): string => cell(orders, 'tote', connections, column);
  return `${at('256', 'rate/s')} durable orders a second over 256 connections, and one order in ${at('1', 'p50 ms')} ms`;
}

function machine({ environment, fileSystem }: Results): string {
  const { cpu, cpuCount, kernel, versions, takenAt, commit } = environment;
  const date = new Date(takenAt).toLocaleDateString('en-GB', DAY);
  return `${cpu}, ${cpuCount} cores, ${kernel}, Node ${versions['node']}, ${fileSystem}, commit ${commit}, ${date}`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function section(results: Results): string {
  const { goals, orders, orderCpu } = results;
  const systems = orders.rows.filter(([, connections]) => connections !== '1');
  return [
    `${machine(results)}. Nothing else ran. Server and load generator share the cores.`,
    '',
    line(['System, orders', 'connections', 'a second', 'us of CPU an order']),
    '|---|---|---|---|',
    ...systems.map(([system = '', connections = '']) => {
      const of = (table: Table, column: string): string => cell(table, system, connections, column);
      return line([system, connections, of(orders, 'rate/s'), of(orderCpu, 'together')]);
    }),
    '',
    '![Latency of orders by load](performance/latency.svg)',
    '',
    line(['Goal', 'must', 'aim', 'measured', 'unit', 'reached']),
    '|---|---|---|---|---|---|',
    ...goals.rows.filter(([, , , measured]) => measured !== '-').map((row) => line(row.slice(0, 6))),
    '',
  ].join('\n');
}

/** Replaces the text between two others. The document's end stands for a second one that it lacks. */
function replaced(document: string, from: string, to: string, by: string): string {
  const start = document.indexOf(from) + from.length;
  const end = document.indexOf(to, start);
  return document.slice(0, start) + by + document.slice(end === -1 ? document.length : end);
}

const written = {
  [PLOT]: (_: string, { latencyByLoad }: Results) => `${plotSvg(latencyByLoad)}\n`,
  [PAGE]: (document: string, results: Results) =>
    replaced(
      replaced(document, '# Performance\n\n**', '**', headline(results)),
      '## Results\n\n',
      '\n## ',
      section(results),
    ),
  'README.md': (document: string, results: Results) =>
    replaced(document, '- **Fast enough for bots.** ', ' ([', `${headline(results)} on two cores`),
};

test('the documents quote one run, which stands beside them', () => {
  const isWriting = process.env['TOTE_TEST_WRITE'] === '1';
  const runs = join(project, 'bench-results');
  const files = isWriting && existsSync(runs) ? readdirSync(runs).sort() : [];
  const newest = files.findLast((name) => name.endsWith('.json'));
  if (newest !== undefined) {
    const run = JSON.parse(readFileSync(join(runs, newest), 'utf8')) as Run;
    writeFileSync(join(project, RESULTS), `${JSON.stringify(resultsOf(run), null, 1)}\n`);
  }
  const results = JSON.parse(textOf(RESULTS)) as Results;
  for (const [file, textFrom] of Object.entries(written)) {
    const shown = existsSync(join(project, file)) ? textOf(file) : '';
    const expected = textFrom(shown, results);
    if (isWriting) writeFileSync(join(project, file), expected);
    equal(
      isWriting ? expected : shown,
      expected,
      `${file}: TOTE_TEST_WRITE=1 npm test -- bench/results writes it`,
    );
  }
});
