/** Two runs side by side: every figure that both have, and by how much it changed. */
import { tableText } from '../format.js';
import type { SectionResult, Table } from '../section.js';
import { readRun } from './run-file.js';

/** Columns whose figures are worth comparing; in the grid's tables all but the first are. */
const COMPARED = [
  ...['rate/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'us/request', 'loop max ms', 'RSS MB'],
  ...['orders/s', 'bytes/bet', 'per second', 'commits/s', 'commands/s', 'measured'],
];
/** Columns that tell rows of the same name apart. */
const IDENTIFYING = ['conns', 'accounts', 'open bets'];
const GRID_TITLE = /^Engine: nanoseconds /;

/** The text of the comparison. Throws `UsageError` where a file is none of the suite's. */
export function compareFiles(fileA: string, fileB: string): string {
  const [a, b] = [readRun(fileA), readRun(fileB)];
  const tables = compareResults(a.results, b.results);
  const differing = (['cpu', 'kernel', 'fileSystem', 'durability'] as const).filter(
    (name) => a.environment[name] !== b.environment[name],
  );
  return [
    `A: ${fileA} (${a.environment.commit ?? 'no commit'}, ${a.environment.takenAt})`,
    `B: ${fileB} (${b.environment.commit ?? 'no commit'}, ${b.environment.takenAt})`,
    ...differing.map(
      (name) => `The runs differ in ${name}: ${a.environment[name]} and ${b.environment[name]}.`,
    ),
    'Two runs at two times also compare what else the machine was doing then: --pair takes turns.',
    '',
    ...(tables.length === 0 ? ['The runs have no figure in common.'] : tables.map(tableText)),
  ].join('\n');
}

/** A table for each one that both runs have. */
export function compareResults(a: readonly SectionResult[], b: readonly SectionResult[]): Table[] {
  const tablesOfB = new Map(b.flatMap(({ tables }) => tables).map((table) => [table.title, table]));
  return a.flatMap(({ tables }) =>
    tables.flatMap((table) => {
      const other = tablesOfB.get(table.title);
      const rows = other === undefined ? [] : comparedRows(table, other);
      return rows.length === 0 ? [] : [{ title: table.title, columns: ['what', 'A', 'B', 'change'], rows }];
    }),
  );
}

function comparedRows(a: Table, b: Table): string[][] {
  const rowsOfB = rowsByName(b);
  return [...rowsByName(a)].flatMap(([name, row]) => {
    const other = rowsOfB.get(name);
    if (other === undefined) return [];
    return a.columns.flatMap((column, at) => {
      const isCompared = COMPARED.includes(column) || (GRID_TITLE.test(a.title) && at > 0);
      const [was, is] = [row[at] ?? '', other[b.columns.indexOf(column)] ?? ''];
      if (!isCompared || was === '' || is === '' || was === '-' || is === '-') return [];
      return [[`${name}: ${column}`, was, is, change(numberOf(was), numberOf(is))]];
    });
  });
}

/** The second row of the same name and identity is another one (a planned rate differs from run to run). */
function rowsByName({ columns, rows }: Table): Map<string, readonly string[]> {
  const named = new Map<string, readonly string[]>();
  for (const row of rows) {
    const identity = IDENTIFYING.filter((column) => columns.indexOf(column) > 0).map(
      (column) => `${row[columns.indexOf(column)]} ${column}`,
    );
    const name = [row[0] ?? '', ...identity].join(', ');
    let unique = name;
    for (let count = 2; named.has(unique); count += 1) unique = `${name} (${count})`;
    named.set(unique, row);
  }
  return named;
}

const numberOf = (cell: string): number => Number(cell.replaceAll(',', ''));

function change(was: number, is: number): string {
  const share = ((is - was) / was) * 100;
  if (!Number.isFinite(share)) return '';
  return `${share >= 0 ? '+' : ''}${share.toFixed(1)} %`;
}
