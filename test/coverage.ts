/**
 * Prints each folder's share of lines that ran, in all processes of a run together, and the files with most lines
 * that never ran:
 *
 *     NODE_V8_COVERAGE=/tmp/coverage npm test && node dist/test/coverage.js /tmp/coverage
 *
 * Processes that are killed leave nothing. A line counts if code was made of it, and has run if any part of that code
 * has. Bundles lead to the sources by their maps.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { must } from '../engine/base/assert.js';

/** Beside the product, and generated files. */
const OTHERS = /^(test|bench|client)\//;
const FILES_SHOWN = 15;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
interface Report {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** `offsets` are the beginnings of its pieces, in order; `lines` their lines in the source. */
interface Program {
  readonly offsets: number[];
  readonly lines: string[];
  /** In any process. */
  readonly hasRun: Uint8Array;
}

function readProgram(dist: string, path: string): Program {
  const file = join(dist, path);
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const offsets: number[] = [];
  const lines: string[] = [];
  let begin = 0;
  for (const [row, code] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const { index } of code.matchAll(/\w+|[^\w\s]/g)) {
      const { originalSource, originalLine } = map.findEntry(row, index) as Partial<SourceMapping>;
      if (originalSource === undefined || originalLine === undefined) continue;
      offsets.push(begin + index);
      lines.push(`${relative(dirname(dist), join(dirname(file), originalSource))}:${originalLine + 1}`);
    }
    begin += code.length + 1;
  }
  return { offsets, lines, hasRun: new Uint8Array(offsets.length) };
}

/** The innermost range around a piece says how often it ran. */
function mark({ offsets, hasRun }: Program, ranges: readonly Range[]): void {
  const sorted = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const around: Range[] = [];
  let next = 0;
  for (const [piece, offset] of offsets.entries()) {
    for (
      let range = sorted[next];
      range !== undefined && range.startOffset <= offset;
      range = sorted[++next]
    ) {
      while (around.length > 0 && must(around.at(-1), 'a range').endOffset <= range.startOffset) around.pop();
      around.push(range);
    }
    while (around.length > 0 && must(around.at(-1), 'a range').endOffset <= offset) around.pop();
    if ((around.at(-1)?.count ?? 0) > 0) hasRun[piece] = 1;
  }
}

function readPrograms(dist: string): Map<string, Program> {
  const paths = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.js.map') && !OTHERS.test(path),
  );
  return new Map(
    paths.map((path) => {
      const compiled = path.slice(0, -'.map'.length);
      return [pathToFileURL(join(dist, compiled)).href, readProgram(dist, compiled)];
    }),
  );
}

function markAll(programs: ReadonlyMap<string, Program>, folder: string): void {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    // The process was killed while it wrote.
    if (!text.endsWith('}')) continue;
    for (const { url, functions } of (JSON.parse(text) as Report).result) {
      const program = programs.get(url);
      if (program !== undefined)
        mark(
          program,
          functions.flatMap(({ ranges }) => ranges),
        );
    }
  }
}

function linesOf(programs: ReadonlyMap<string, Program>): Map<string, boolean> {
  const ran = new Map<string, boolean>();
  for (const { lines, hasRun } of programs.values()) {
    for (const [piece, line] of lines.entries()) {
      if (OTHERS.test(line) || line.includes('node_modules')) continue;
      ran.set(line, ran.get(line) === true || hasRun[piece] === 1);
    }
  }
  return ran;
}

interface Share {
  ran: number;
  all: number;
}

function sharesBy(lines: ReadonlyMap<string, boolean>, nameOf: (path: string) => string): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const [line, hasRun] of lines) {
    const name = nameOf(line.split(':')[0] ?? '');
    const share = shares.get(name) ?? { ran: 0, all: 0 };
    share.all += 1;
    if (hasRun) share.ran += 1;
    shares.set(name, share);
  }
  return shares;
}

const [folder, dist] = new Command('node dist/test/coverage.js')
  .argument('<folder>', 'that NODE_V8_COVERAGE named')
  .argument('[dist]', 'the build that ran', dirname(dirname(fileURLToPath(import.meta.url))))
  .parse().processedArgs as [string, string];
const programs = readPrograms(dist);
markAll(programs, folder);
const lines = linesOf(programs);
const write = (name: string, { ran, all }: Share): void => {
  process.stdout.write(
    `${name.padEnd(48)} ${((100 * ran) / all).toFixed(2).padStart(6)} %  ${ran} of ${all}\n`,
  );
};
for (const [name, share] of [...sharesBy(lines, (path) => path.split('/')[0] ?? '')].sort())
  write(name, share);
process.stdout.write('\n');
const files = [...sharesBy(lines, (path) => path)].sort(([, a], [, b]) => b.all - b.ran - (a.all - a.ran));
for (const [name, share] of files.slice(0, FILES_SHOWN)) write(name, share);
