/**
 * Runs compiled test files, each in a process of its own, and ends with the slowest of them, a summary and an exit code.
 * `node --test <folder>` does not do it: what it takes differs between Node versions. Arguments narrow the run to the
 * files whose path contains one of them, `--fast` to those that `selection.ts` takes for fast.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const SUMMARY = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** Nothing here takes longer than this unless it hangs, in milliseconds. */
const FILE_TIMEOUT_MS = 600_000;

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort()
  .map((name) => join(folder, name));
if (files.length === 0) throw new Error(`no test file in ${folder} matches ${wanted.join(', ')}`);

/** The runner's own totals come last, so that the last value of each name is the one for all files. */
const summary = new Map<string, string>();
const events = run({ files, concurrency: Math.max(2, availableParallelism()), timeout: FILE_TIMEOUT_MS });
events.on('test:fail', () => {
  process.exitCode = 1;
});
events.on('test:diagnostic', ({ message, nesting }) => {
  if (nesting === 0 && SUMMARY.test(message)) summary.set(message.split(' ')[0] ?? '', message);
});
await pipeline(events, new spec(), process.stdout, { end: false });
process.stdout.write(`\n# files ${files.length}\n`);
for (const message of summary.values()) process.stdout.write(`# ${message}\n`);
