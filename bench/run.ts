/**
 * `npm run bench`: runs the sections one after the other, or drives a server that runs already. Tables and ratios go to
 * stdout, progress to stderr, everything with its environment to a JSON file, and to an HTML file with plots. A section
 * whose check fails reports no figures: the rate of a server that lost an order means nothing. The others continue, and
 * the exit code is 1.
 */
import {
  accessSync,
  constants as files,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { orRefuse } from '../engine/base/attempt.js';
import { drive } from './drive/drive.js';
import { findCores } from './host/cores.js';
import { type Environment, environment, ownEnvironment } from './host/environment.js';
import { killServers } from './host/server-process.js';
import { ratiosTable, tableText } from './report/format.js';
import { reportHtml } from './report/html.js';
import {
  type DriveRun,
  readOptions,
  type SectionName,
  SLOW_SECTIONS,
  type SuiteRun,
  UsageError,
} from './report/options.js';
import type { Findings, Run, Section, SectionResult, SuiteOptions } from './report/section.js';
import { speedSection } from './report/speed-table.js';
import { engineSection } from './sections/engine.js';
import { herdSection } from './sections/herd.js';
import { marketsSection } from './sections/markets.js';
import { memorySection } from './sections/memory.js';
import { minuteSection } from './sections/minute.js';
import { ordersSection } from './sections/orders.js';
import { mainOf, pairSection } from './sections/pair.js';
import { replaySection } from './sections/replay.js';
import { replicationSection } from './sections/replication.js';
import { snapshotsSection } from './sections/snapshots.js';
import { startSection } from './sections/start.js';
import { streamSection } from './sections/stream.js';
import { threadsSection } from './sections/threads.js';
import { workloadsSection } from './sections/workloads.js';

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
/** A server that was killed may write for another moment. */
const REMOVE_TRIES = 10;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Date.now());
  if (options === null) return 0;
  for (const file of [options.out, options.report]) makePlaceFor(file);
  return options.kind === 'drive' ? driveServer(options) : measureOwn(options);
}

/** A place that cannot be written to is found out before the run, not with the figures in hand. */
function makePlaceFor(file: string): void {
  const folder = dirname(file);
  const make = (): void => {
    const known = statSync(file, { throwIfNoEntry: false });
    if (known?.isDirectory()) throw new Error(`"${file}" is a folder`);
    mkdirSync(folder, { recursive: true });
    accessSync(known === undefined ? folder : file, files.W_OK);
  };
  orRefuse(make, (reason) => new UsageError(`--out: ${reason}`));
}

async function driveServer(options: DriveRun): Promise<number> {
  const where = environment();
  process.stdout.write(`${machineText(where)}\n`);
  const { result, isGood } = await drive(options, showProgress);
  process.stdout.write(`\n${sectionText(result)}`);
  writeRun({ environment: where, options, results: [result] });
  return isGood ? 0 : 1;
}

async function measureOwn(options: SuiteRun): Promise<number> {
  if (options.pair !== null) mainOf(options.pair);
  const cores = findCores();
  const make = (): string => mkdtempSync(join(options.dir, 'tote-bench-'));
  const workDir = orRefuse(make, (reason) => new UsageError(`--dir: ${reason}`));
  // At the exit the servers are killed and the files removed, also after Ctrl-C or a kill.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  process.once('exit', () => rmSync(workDir, { recursive: true, force: true, maxRetries: REMOVE_TRIES }));
  const where = ownEnvironment(workDir, options.durability, cores);
  process.stdout.write(`${machineText(where)}\n${diskText(where)}\n`);
  const isShort = options.quick && options.pair === null;
  const leftOut = SLOW_SECTIONS.filter((name) => isShort && !options.sections.includes(name));
  if (leftOut.length > 0) process.stdout.write(`--quick leaves out ${leftOut.join(', ')}.\n`);
  const results: SectionResult[] = [];
  const failures: Error[] = [];
  for (const [name, section] of sectionsOf(options)) {
    const sectionDir = join(workDir, name);
    mkdirSync(sectionDir);
    const startedMs = performance.now();
    try {
      const found = await section(suiteOptions(options, sectionDir, cores));
      const tookSeconds = Math.round((performance.now() - startedMs) / 1000);
      process.stdout.write(`\n${sectionText(found)}- ${name} took ${tookSeconds} s\n`);
      results.push({ name, ...found, tookSeconds });
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      process.stderr.write(`\n${name} failed: ${failure.stack}\n`);
      const notes = [`${name} failed: ${failure.message}`];
      results.push({ name, tables: [], notes });
      failures.push(failure);
    }
    await killServers();
    rmSync(sectionDir, { recursive: true, force: true });
  }
  if (options.durability === 'os')
    process.stdout.write('\nThe goals are those of durable orders: none is compared with --durability os.\n');
  else if (options.pair === null) {
    const speed = speedSection(results);
    process.stdout.write(`\n${sectionText(speed)}`);
    results.push(speed);
  }
  writeRun({ environment: where, options, results });
  return failures.length === 0 ? 0 : 1;
}

function sectionsOf({ sections, pair }: SuiteRun): [name: string, section: Section][] {
  if (pair !== null) return [['pair', (options) => pairSection(pair, options)]];
  return sections.map((name) => [name, SECTIONS[name]]);
}

function writeRun(run: Run): void {
  const { out, report } = run.options;
  writeFileSync(out, `${JSON.stringify(run, null, 1)}\n`);
  writeFileSync(report, reportHtml(run));
  process.stdout.write(`\nAll figures are in ${out}, with plots in ${report}\n`);
}

function suiteOptions(options: SuiteRun, workDir: string, cores: SuiteOptions['cores']): SuiteOptions {
  const { quick, rounds, seconds, durability } = options;
  const warmupMs = quick ? QUICK_WARMUP_MS : WARMUP_MS;
  const windows = { warmupMs, measureMs: seconds * 1000 };
  return { quick, rounds, durability, cores, workDir, ...windows, progress: showProgress };
}

/** Overwrites one line on a terminal, prints a line each time elsewhere. */
function showProgress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

function sectionText({ tables, ratios = [], notes }: Findings): string {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const all = ratios.length > 0 ? [...tables, ratiosTable(ratios)] : tables;
  return `${all.map(tableText).join('\n')}\n${notes.map((note) => `- ${note}\n`).join('')}`;
}

function machineText({ cpu, cpuCount, kernel, loadAverage, versions }: Environment): string {
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version ?? 'missing'}`);
  return `${cpu}, ${cpuCount} cores, ${kernel}; load average ${loadAverage.toFixed(2)}\n${installed.join(', ')}`;
}

function diskText({ disk }: Required<Environment>): string {
  const { server, client } = disk.cores;
  const pinned =
    server === null ? 'Nothing is pinned' : `Servers run on core ${server}, the client on core ${client}`;
  return [
    `${pinned}; durability ${disk.durability}, ${disk.fileSystem} on ${disk.device} (${disk.dataDir})`,
    ...(disk.fileSystem === 'tmpfs' ? ['An fsync costs nothing on tmpfs: name a disk with --dir.'] : []),
  ].join('\n');
}

try {
  process.exit(await main());
} catch (error) {
  const isUsage = error instanceof UsageError;
  const text = isUsage
    ? `${error.message}\n\n"npm run bench -- --help" says how.\n`
    : `${error instanceof Error ? error.stack : String(error)}\n`;
  process.stderr.write(`\n${text}`);
  process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
}
