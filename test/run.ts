/**
 * Runs compiled test files and ends with the slowest of them, a summary and an exit code (`npm test -- --help`). A file
 * fails, too, if it cannot be loaded, declares no test, or ends its process.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { useScratchInMemory } from './scratch.js';
import { intoProcesses, select, type Times } from './selection.js';
import type { Effort } from './support/effort.js';
import { wholeNumber } from './support/seeded-program.js';
import { NO_TIME, type TestFile } from './together.js';

const SUMMARY = /^(tests|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** A file that takes longer hangs. */
const FILE_TIMEOUT_MS: Readonly<Record<Effort, number>> = { test: 180_000, prove: 300_000, night: 3_600_000 };
/** A run that takes longer hangs: the files that have not ended have failed. */
const RUN_TIMEOUT_MS: Readonly<Record<Effort, number>> = {
  test: 1_200_000,
  prove: 1_200_000,
  night: 86_400_000,
};
/** By default. With more processes than there are cores, threads of the lowest priority starve. */
const LANES = Math.max(2, availableParallelism());
const SLOWEST_SHOWN = 10;

/** The last run of each file, of `npm test` and of the searches. */
interface Kept {
  readonly seconds: Times;
  readonly failed: readonly string[];
}

const program = new Command('npm test --')
  .description('runs the test files whose path contains one of the parts; all without one')
  .argument('[parts...]', 'part of a path')
  .option('--prove', 'run the searches instead, each in a process of its own')
  .option('--night', 'the same, for hours')
  .option('--failed', 'those that failed in the run before, one at a time')
  .option('--lanes <n>', 'processes at a time', wholeNumber, LANES)
  .option('--seconds <n>', 'begin files in a random order, and none after so many seconds', wholeNumber)
  .option('--folder <folder>', 'the compiled files', dirname(fileURLToPath(import.meta.url)))
  .parse();
interface Options {
  readonly prove?: true;
  readonly night?: true;
  readonly failed?: true;
  readonly lanes: number;
  readonly seconds?: number;
  readonly folder: string;
}
const { prove, night, failed: onlyFailed, lanes, seconds: wantedSeconds, folder } = program.opts<Options>();
const effort: Effort = night ? 'night' : prove ? 'prove' : 'test';
const isProve = effort !== 'test';
const untilMs = wantedSeconds === undefined ? null : Date.now() + wantedSeconds * 1_000;
/** A build replaces dist/, so it is not kept there. */
const keptFolder = join(folder, '..', '..', 'node_modules', '.cache', 'tote');
const keptFile = join(keptFolder, `${effort}-runs.json`);
const kept = readKept();

function readKept(): Kept {
  try {
    return JSON.parse(readFileSync(keptFile, 'utf8')) as Kept;
  } catch {
    // No run yet, or one that was killed while it wrote.
    return { seconds: {}, failed: [] };
  }
}

const found = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const paths = select(found, { isProve, parts: program.args }).filter(
  (path) => !onlyFailed || kept.failed.includes(path),
);
if (paths.length === 0) program.error(`no test file in ${folder} matches ${process.argv.slice(2).join(' ')}`);

process.env['TEST_EFFORT'] = effort;
// Each Node would read all of these certificates at its start, and no test calls the internet.
delete process.env['NODE_EXTRA_CA_CERTS'];
useScratchInMemory();

const programs = new Map<string, readonly string[]>();
const programFolder = mkdtempSync(join(tmpdir(), 'tote-test-programs-'));
process.once('exit', () => rmSync(programFolder, { recursive: true, force: true }));
for (const together of intoProcesses(paths, kept.seconds, !isProve && !onlyFailed)) {
  const program = join(programFolder, `${programs.size}.mjs`);
  const from = new URL('together.js', import.meta.url).href;
  const files: TestFile[] = together.map((path) => ({ path, url: pathToFileURL(join(folder, path)).href }));
  writeFileSync(
    program,
    `import { runTogether } from '${from}';\nrunTogether(${JSON.stringify(files)}, ${FILE_TIMEOUT_MS[effort]}, ${untilMs});\n`,
  );
  programs.set(program, together);
}

/** The runner's own totals come last, so that the last value of each name is the one for all files. */
const summary = new Map<string, string>();
const secondsByPath = new Map<string, number>();
const failed = new Set<string>();
const leftOut = new Set<string>();
let reported = 0;
const events = run({
  files: untilMs === null ? [...programs.keys()] : shuffled([...programs.keys()]),
  concurrency: onlyFailed ? 1 : lanes,
  // For a process; each file has its own.
  timeout: FILE_TIMEOUT_MS[effort] * Math.max(...[...programs.values()].map(({ length }) => length)),
});
events.on('test:pass', ({ name, nesting, skip }) => {
  if (nesting === 0 && skip === NO_TIME) leftOut.add(name);
  else report(name, nesting, true);
});
events.on('test:fail', ({ name, nesting }) => {
  process.exitCode = 1;
  report(name, nesting, false);
});
events.on('test:diagnostic', ({ message, nesting }) => {
  if (nesting === 0 && SUMMARY.test(message)) summary.set(message.split(' ')[0] ?? '', message);
});
events.on('test:complete', ({ name, nesting, details }) => {
  if (nesting === 0 && paths.includes(name)) secondsByPath.set(name, details.duration_ms / 1_000);
});
const timedOut = sleep(RUN_TIMEOUT_MS[effort], true, { ref: false });
const ended = pipeline(events, new spec(), process.stdout, { end: false });
if ((await Promise.race([ended, timedOut])) === true) process.stdout.write('\n# the run took too long\n');
// A process that ended early, or not at all, has not told how its files ended.
for (const path of paths) if (!secondsByPath.has(path)) failed.add(path);
for (const path of leftOut) secondsByPath.delete(path);
if (failed.size > 0) process.exitCode = 1;

function report(name: string, nesting: number, hasPassed: boolean): void {
  if (nesting > 0) reported++;
  else {
    if (paths.includes(name) && (reported === 0 || !hasPassed)) failed.add(name);
    reported = 0;
  }
}

const slowest = [...secondsByPath].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
process.stdout.write('\n');
for (const [path, seconds] of slowest)
  process.stdout.write(`# ${seconds.toFixed(1).padStart(6)} s  ${path}\n`);
const seconds = Object.fromEntries(
  Object.entries({ ...kept.seconds, ...Object.fromEntries(secondsByPath) }).filter(([path]) =>
    found.includes(path),
  ),
);
mkdirSync(keptFolder, { recursive: true });
writeFileSync(keptFile, JSON.stringify({ seconds, failed: [...failed] } satisfies Kept));
process.stdout.write(`# files ${paths.length} in ${programs.size} processes\n`);
if (leftOut.size > 0) process.stdout.write(`# no time left for ${[...leftOut].sort().join(' ')}\n`);
if (failed.size > 0) process.stdout.write(`# failed ${[...failed].join(' ')}\n`);
for (const message of summary.values()) process.stdout.write(`# ${message}\n`);
// A process that a test has left behind may hold a pipe open, which keeps this process up.
process.stdout.write(`# cpu ${cpuSeconds().toFixed(0)} s\n`, () => process.exit());

function shuffled<T>(list: readonly T[]): T[] {
  const keyed = list.map((value): [number, T] => [Math.random(), value]);
  return keyed.sort(([one], [other]) => one - other).map(([, value]) => value);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  // Behind the program's name, in brackets; the 14th and 15th from there are hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / 100;
}
