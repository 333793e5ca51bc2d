/**
 * `npm run bench`: runs the sections one after the other, prints tables and ratios on stdout and progress on stderr,
 * and writes everything with its environment to a JSON file, and to an HTML file with plots. A section whose check
 * fails reports no figures: the rate of a server that lost an order means nothing. The others continue, and the exit
 * code is 1.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findCores } from './host/cores.js';
import { type Environment, environment } from './host/environment.js';
import { compareFiles } from './report/compare.js';
import { ratiosTable, tableText } from './report/format.js';
import { speedSection } from './report/goals.js';
import { reportHtml } from './report/html.js';
import { type BenchOptions, readOptions, type SectionName, USAGE, UsageError } from './report/options.js';
import type { Run } from './report/run-file.js';
import type { Section, SectionResult, SuiteOptions } from './report/section.js';
import { engineSection } from './sections/engine/engine.js';
import { replaySection } from './sections/journal/replay.js';
import { replicationSection } from './sections/journal/replication.js';
import { snapshotsSection } from './sections/journal/snapshots.js';
import { startSection } from './sections/journal/start.js';
import { herdSection } from './sections/server/herd.js';
import { marketsSection } from './sections/server/markets.js';
import { memorySection } from './sections/server/memory.js';
import { minuteSection } from './sections/server/minute.js';
import { ordersSection } from './sections/server/orders.js';
import { mainOf, pairSection } from './sections/server/pair.js';
import { streamSection } from './sections/server/stream.js';
import { workloadsSection } from './sections/server/workloads.js';
import { threadsSection } from './sections/threads/threads.js';

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  start: startSection,
  orders: ordersSection,
  threads: threadsSection,
  markets: marketsSection,
  workloads: workloadsSection,
  minute: minuteSection,
  herd: herdSection,
  memory: memorySection,
  stream: streamSection,
  replication: replicationSection,
  replay: replaySection,
  snapshots: snapshotsSection,
  engine: engineSection,
};
const WARMUP_MS = 1_250;
const QUICK_WARMUP_MS = 300;
const USAGE_EXIT_CODE = 2;
/** Time limit of a section: each of its runs has a limit per round, and the section has some slack. */
const SECTION_RUNS_MAX = 16;
const RUN_OVERHEAD_MS_MAX = 3_000;
const SECTION_REST_MS_MAX = 300_000;

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args[0] === 'compare') return compare(args.slice(1));
  const options = readOptions(args, Date.now());
  if (options === null) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.pair !== null) mainOf(options.pair);
  const cores = findCores();
  const workDir = mkdtempSync(join(options.dir, 'tote-bench-'));
  // Cleans up even after Ctrl-C; the servers receive their own signal.
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const where = environment(workDir, options.durability, cores);
  process.stdout.write(`${environmentText(where)}\n`);
  const results: SectionResult[] = [];
  const failures: Error[] = [];
  for (const [name, section] of sectionsOf(options)) {
    const sectionDir = join(workDir, name);
    mkdirSync(sectionDir);
    const startedMs = performance.now();
    try {
      const suite = suiteOptions(options, sectionDir, where.cores);
      const result = await inTime(section(suite), sectionMsMax(suite));
      const tookSeconds = Math.round((performance.now() - startedMs) / 1000);
      process.stdout.write(`\n${sectionText(result)}- ${name} took ${tookSeconds} s\n`);
      results.push({ ...result, tookSeconds });
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      process.stderr.write(`\n${name} failed: ${failure.stack}\n`);
      results.push(failedSection(name, failure));
      failures.push(failure);
      // A process it left running would disturb the next sections.
      if (failure instanceof OverdueError) break;
    }
    rmSync(sectionDir, { recursive: true, force: true });
  }
  if (options.pair === null) {
    const speed = speedSection(results);
    process.stdout.write(`\n${sectionText(speed)}`);
    results.push(speed);
  }
  writeRun({ environment: where, options, results });
  return failures.length === 0 ? 0 : 1;
}

class OverdueError extends Error {}

/** Every wait within a section has its own limit; this one catches the rest. */
async function inTime(result: Promise<SectionResult>, msMax: number): Promise<SectionResult> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new OverdueError(`not over after ${Math.round(msMax / 1000)} s`));
    timer = setTimeout(fail, msMax);
  });
  try {
    return await Promise.race([result, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

function sectionMsMax({ rounds, warmupMs, measureMs }: SuiteOptions): number {
  return rounds * SECTION_RUNS_MAX * (warmupMs + measureMs + RUN_OVERHEAD_MS_MAX) + SECTION_REST_MS_MAX;
}

/** A failed section has no figures: the rate of a server that lost an order means nothing. */
function failedSection(name: string, { message }: Error): SectionResult {
  return { name, tables: [], ratios: [], notes: [`${name} failed: ${message}`], data: null };
}

function sectionsOf({ sections, pair }: BenchOptions): [name: string, section: Section][] {
  if (pair !== null) return [['pair', (options) => pairSection(pair, options)]];
  return sections.map((name) => [name, SECTIONS[name]]);
}

function compare(files: readonly string[]): number {
  const [fileA, fileB] = files;
  if (fileA === undefined || fileB === undefined || files.length > 2) {
    throw new UsageError(`compare: expected two files of figures, not ${files.length}`);
  }
  process.stdout.write(`${compareFiles(fileA, fileB)}\n`);
  return 0;
}

function writeRun(run: Run): void {
  const { out, report } = run.options;
  for (const file of [out, report]) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(out, `${JSON.stringify(run, null, 1)}\n`);
  writeFileSync(report, reportHtml(run));
  process.stdout.write(`\nAll figures are in ${out}, with plots in ${report}\n`);
}

function suiteOptions(options: BenchOptions, workDir: string, cores: SuiteOptions['cores']): SuiteOptions {
  const { quick, rounds, seconds, durability } = options;
  return {
    quick,
    rounds,
    durability,
    cores,
    workDir,
    warmupMs: quick ? QUICK_WARMUP_MS : WARMUP_MS,
    measureMs: seconds * 1000,
    progress: showProgress,
  };
}

/** Overwrites one line on a terminal, prints a line each time elsewhere. */
function showProgress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

function sectionText({ tables, ratios, notes }: SectionResult): string {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const all = ratios.length > 0 ? [...tables, ratiosTable(ratios)] : tables;
  return `${all.map(tableText).join('\n')}\n${notes.map((note) => `- ${note}\n`).join('')}`;
}

function environmentText(where: Environment): string {
  const { cores, versions } = where;
  const pinned =
    cores.server === null
      ? 'nothing is pinned'
      : `servers on core ${cores.server}, client on core ${cores.client}`;
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version ?? 'missing'}`);
  return [
    `${where.cpu}, ${where.cpuCount} cores, ${where.kernel}; load average ${where.loadAverage.toFixed(2)}; ${pinned}`,
    `durability ${where.durability}, ${where.fileSystem} on ${where.device} (${where.dataDir})`,
    installed.join(', '),
    ...(where.fileSystem === 'tmpfs' ? ['An fsync costs nothing on tmpfs: name a disk with --dir.'] : []),
  ].join('\n');
}

try {
  const exitCode = await main();
  // An overdue section may hold timers and processes; exiting ends them.
  process.exit(exitCode);
} catch (error) {
  const isUsage = error instanceof UsageError;
  const text = isUsage
    ? `${error.message}\n\n${USAGE}`
    : `${error instanceof Error ? error.stack : String(error)}\n`;
  process.stderr.write(`\n${text}`);
  process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
}
