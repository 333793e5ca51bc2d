/**
 * `npm run bench`: runs the sections one after the other, prints tables and ratios on stdout and progress on stderr,
 * and writes everything with its environment to a JSON file, and to an HTML file with plots. It fails where a check of a section fails: figures of a
 * server that lost an order are no figures.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { engineSection } from './engine.js';
import { ratiosTable, tableText } from './format.js';
import { gridSection } from './grid.js';
import { herdSection } from './herd.js';
import { findCores } from './host/cores.js';
import { type Environment, environment } from './host/environment.js';
import { marketsSection } from './markets.js';
import { type BenchOptions, readOptions, type SectionName, USAGE, UsageError } from './options.js';
import { ordersSection } from './orders.js';
import { mainOf, pairSection } from './pair.js';
import { replaySection } from './replay.js';
import { compareFiles } from './report/compare.js';
import { reportHtml } from './report/html.js';
import type { Run } from './report/run-file.js';
import type { Section, SectionResult, SuiteOptions } from './section.js';
import { snapshotsSection } from './snapshots.js';
import { workloadsSection } from './workloads.js';

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  orders: ordersSection,
  markets: marketsSection,
  workloads: workloadsSection,
  herd: herdSection,
  replay: replaySection,
  snapshots: snapshotsSection,
  engine: engineSection,
  grid: gridSection,
};
const WARMUP_MS = 1_500;
const QUICK_WARMUP_MS = 500;
const USAGE_EXIT_CODE = 2;

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
  // Even after Ctrl-C nothing stays behind; the servers are told by their own signal.
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => rmSync(workDir, { recursive: true, force: true }));
  const where = environment(workDir, options.durability, cores);
  process.stdout.write(`${environmentText(where)}\n`);
  const results: SectionResult[] = [];
  for (const [name, section] of sectionsOf(options)) {
    const sectionDir = join(workDir, name);
    mkdirSync(sectionDir);
    const startedMs = performance.now();
    const result = await section(suiteOptions(options, sectionDir, where.cores));
    const tookSeconds = Math.round((performance.now() - startedMs) / 1000);
    process.stdout.write(`\n${sectionText(result)}- ${name} took ${tookSeconds} s\n`);
    rmSync(sectionDir, { recursive: true, force: true });
    results.push(result);
  }
  writeRun({ environment: where, options, results });
  return 0;
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

/** One line that is written over on a terminal, a line each elsewhere. */
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
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  const text = isUsage
    ? `${error.message}\n\n${USAGE}`
    : `${error instanceof Error ? error.stack : String(error)}\n`;
  process.stderr.write(`\n${text}`);
  process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
}
