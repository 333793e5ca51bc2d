/** Compares two runs: every figure that both have, and its change. */
import { ratiosTable, tableText } from './format.js';
import { type Run, readRun } from './run-file.js';
import type { SectionResult, Table } from './section.js';

/** Columns that distinguish rows of the same name. */
const IDENTIFYING = ['conns', 'accounts', 'open bets', 'Idempotency-Keys'];
/** Columns with conditions, not results; all other columns with figures are compared. */
const GIVEN = ['planned/s', 'must', 'aim', 'starts', 'commands', 'from snapshot', ...IDENTIFYING];
/** A figure as `figure` prints it. */
const FIGURE = /^-?\d[\d,]*(\.\d+)?$/;

/** The text of the comparison. Throws `UsageError` if a file is not one of the suite's. */
export function compareFiles(fileA: string, fileB: string): string {
  const [a, b] = [readRun(fileA), readRun(fileB)];
  const tables = compareResults(a.results, b.results);
  return [
    `A: ${fileA} (${a.environment.commit ?? 'no commit'}, ${a.environment.takenAt})`,
    `B: ${fileB} (${b.environment.commit ?? 'no commit'}, ${b.environment.takenAt})`,
    ...differences(a, b),
    'Two runs at two times also compare what else the machine was doing then: --pair takes turns.',
    '',
    ...(tables.length === 0 ? ['The runs have no figure in common.'] : tables.map(tableText)),
  ].join('\n');
}

/** Differences other than the program that may explain a change. */
function differences(a: Run, b: Run): string[] {
  const factsOf = ({ environment: where, options }: Run) => ({
    ...{ cpu: where.cpu, cores: where.cpuCount, kernel: where.kernel, node: where.versions['node'] },
    ...{ fileSystem: where.disk?.fileSystem, durability: where.disk?.durability },
    ...{ seconds: options.seconds },
    ...(options.kind === 'suite'
      ? { quick: options.quick, rounds: options.rounds }
      : { url: options.url, rate: options.rate, connections: options.connections }),
  });

  const texts = (facts: object): Map<string, string> =>
    new Map(Object.entries(facts).map(([name, value]) => [name, String(value)]));
  const [inA, inB] = [texts(factsOf(a)), texts(factsOf(b))];
  return [...new Set([...inA.keys(), ...inB.keys()])]
    .filter((name) => inA.get(name) !== inB.get(name))
    .map((name) => `The runs differ in ${name}: ${inA.get(name)} and ${inB.get(name)}.`);
}

/** A table for each table that both runs have, including the ratios of a section. */
export function compareResults(a: readonly SectionResult[], b: readonly SectionResult[]): Table[] {
  return a.flatMap((section) => {
    const other = b.find(({ name }) => name === section.name);
    if (other === undefined) return [];
    const tablesOfB = tablesOf(other);
    return tablesOf(section).flatMap((table) => {
      const same = tablesOfB.find(({ title }) => title === table.title);
      const rows = same === undefined ? [] : comparedRows(table, same);
      return rows.length === 0 ? [] : [{ title: table.title, columns: ['what', 'A', 'B', 'change'], rows }];
    });
  });
}

const tablesOf = ({ tables, ratios = [] }: SectionResult): readonly Table[] =>
  ratios.length === 0 ? tables : [...tables, ratiosTable(ratios)];

function comparedRows(a: Table, b: Table): string[][] {
  const rowsOfB = rowsByName(b);
  return [...rowsByName(a)].flatMap(([name, row]) => {
    const other = rowsOfB.get(name);
    if (other === undefined) return [];
    return a.columns.flatMap((column, at) => {
      const [was, is] = [row[at] ?? '', other[b.columns.indexOf(column)] ?? ''];
      const isCompared = at > 0 && column !== '' && !GIVEN.includes(column);
      if (!isCompared || !FIGURE.test(was) || !FIGURE.test(is)) return [];
      return [[`${name}: ${column}`, was, is, change(numberOf(was), numberOf(is))]];
    });
  });
}

/** Of rows with the same name and conditions, the second is a different one (planned rates differ between runs). */
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
