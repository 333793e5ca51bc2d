/**
 * Runs compiled test files, each in a process of its own, and ends with the slowest of them, a summary and an exit
 * code. Not `node --test <folder>`, whose arguments differ between Node versions. Arguments narrow the run to the
 * files whose path contains one of them, `--fast` to those that `selection.ts` takes for fast, `--failed` to those
 * that failed in the run before, one at a time. `--lanes` says how many files run at a time.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { useScratchInMemory } from './scratch.js';
import { select } from './selection.js';
import { integerOption } from './support/integer-option.js';
import { inSuiteOrAtNight } from './support/long-run.js';

const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** Nothing here takes longer than this unless it hangs, in milliseconds. */
const FILE_TIMEOUT_MS = inSuiteOrAtNight(300_000, 3_600_000);
/** Files at a time where `--lanes` says nothing. With more than there are cores, threads of the lowest priority starve. */
const LANES = Math.max(2, availableParallelism());
const SLOWEST_SHOWN = 10;

const { values, positionals } = parseArgs({
  options: {
    fast: { type: 'boolean', default: false },
    failed: { type: 'boolean', default: false },
    lanes: { type: 'string', default: String(LANES) },
  },
  allowPositionals: true,
});
const folder = dirname(fileURLToPath(import.meta.url));
/** The files that failed in the last run, one path a line. */
const failedFile = join(folder, '.failed');
const failedBefore = existsSync(failedFile) ? readFileSync(failedFile, 'utf8').split('\n') : [];
const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.js'),
);
const files = select(found, { parts: positionals, isFast: values.fast })
  .filter((name) => !values.failed || failedBefore.includes(name))
  .map((name) => join(folder, name));
if (files.length === 0)
  throw new Error(`no test file in ${folder} matches ${process.argv.slice(2).join(' ')}`);

useScratchInMemory();
/** The runner's own totals come last, so that the last value of each name is the one for all files. */
const summary = new Map<string, string>();
const secondsByFile = new Map<string, number>();
const failed = new Set<string>();
const events = run({
  files,
  concurrency: values.failed ? 1 : integerOption('lanes', values.lanes),
  timeout: FILE_TIMEOUT_MS,
});
events.on('test:fail', ({ file }) => {
  process.exitCode = 1;
  if (file !== undefined) failed.add(relative(folder, file));
});
events.on('test:diagnostic', ({ message, nesting }) => {
  if (nesting === 0 && SUMMARY.test(message)) summary.set(message.split(' ')[0] ?? '', message);
});
events.on('test:complete', ({ name, file, details }) => {
  // A whole file ends as a test that has the file's name.
  if (file !== undefined && resolve(name) === file) secondsByFile.set(file, details.duration_ms / 1_000);
});
await pipeline(events, new spec(), process.stdout, { end: false });
process.stdout.write('\n');
const slowest = [...secondsByFile].sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
for (const [file, seconds] of slowest) {
  process.stdout.write(`# ${seconds.toFixed(1).padStart(6)} s  ${relative(folder, file)}\n`);
}
writeFileSync(failedFile, [...failed].join('\n'));
process.stdout.write(`# files ${files.length}\n`);
for (const message of summary.values()) process.stdout.write(`# ${message}\n`);
