/**
 * The journal and snapshots: commits by batch size, how fast a start replays a journal, and how fast it loads a
 * snapshot. Real files, the server's own code.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { figure, millisecondsOfUs } from '../report/format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from '../report/section.js';

import { type SuiteResult, suiteOnce, suiteRounds } from '../suites/suites.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 100_000;

export async function replaySection(options: SuiteOptions): Promise<SectionResult> {
  const scale = options.quick ? QUICK_SCALE : FULL_SCALE;
  const folder = (name: string): string => {
    const dir = join(options.workDir, name);
    mkdirSync(dir);
    return dir;
  };
  options.progress('commits by batch size');
  const commits = await suiteOnce('commits', { scale, dir: folder('commits') }, options);
  options.progress('acknowledgements by batch size');
  const acknowledged = await suiteOnce('acknowledgements', { scale, dir: folder('acknowledged') }, options);
  options.progress(`writing a journal of ${figure(scale)} orders`);
  const dir = folder('replay');
  const written = await suiteOnce('writeJournal', { scale, dir }, options);
  // As a server starts, on all cores, one of which reads ahead; and pinned to one core, like the servers of the other
  // sections.
  const allCores = { ...options, cores: { server: null, client: null } };
  const replays = await suiteRounds('replayJournal', { scale, dir }, allCores);
  const pinned = await suiteRounds('replayJournal', { scale, dir }, options);
  for (const { digest } of [...replays, ...pinned]) {
    if (digest !== written.digest)
      throw new Error(`a replay came to ${digest}, the engine that wrote to ${written.digest}`);
  }
  const snapshots = [
    await snapshotRounds('writeSnapshot', scale, folder('snapshot'), options),
    await snapshotRounds('writeSnapshotWithKeys', scale, folder('snapshot-with-keys'), options),
  ];
  const { rate, cpuRate } = ratesOf(replays);
  return {
    name: 'replay',
    tables: [
      commitsTable(commits),
      acknowledgedTable(acknowledged),
      {
        title: 'Replay at a start: checksums, chain, engine, rolling digest of each batch',
        columns: ['cores', 'commands', 'commands/s', 'commands/CPU s', 'seconds'],
        rows: [
          replayRow('all (as a server starts)', written.commands, replays),
          replayRow(options.cores.server === null ? 'all' : 'one', written.commands, pinned),
        ],
      },
      snapshotsTable(snapshots),
    ],
    ratios: [],
    measured: [
      {
        goal: 'replay',
        value: rate,
        beside: `on all cores, ${figure(cpuRate)} a second of CPU time, ${figure(written.commands)} commands`,
      },
    ],
    notes: ['Each replay and each load ended with the rolling digest of the engine that wrote the file.'],
    data: { commits, acknowledged, written, replays, pinned, snapshots },
  };
}

type Replays = readonly SuiteResult<'replayJournal'>[];

function ratesOf(replays: Replays): { rate: number; cpuRate: number } {
  return {
    rate: median(replays.map(({ commandsPerSecond }) => commandsPerSecond)),
    cpuRate: median(replays.map(({ commandsPerCpuSecond }) => commandsPerCpuSecond)),
  };
}

function replayRow(cores: string, commands: number, replays: Replays): string[] {
  const { rate, cpuRate } = ratesOf(replays);
  return [cores, figure(commands), figure(rate), figure(cpuRate), figure(commands / rate)];
}

function commitsTable(commits: SuiteResult<'commits'>): Table {
  return {
    title: 'Journal commits (row, sync, mark), one after the other',
    columns: ['commands a batch', 'commits/s', 'commands/s', 'p50 ms', 'p99 ms', 'max ms'],
    rows: commits.map(({ batchSize, commitsPerSecond, commandsPerSecond, p50Us, p99Us, maxUs }) => [
      figure(batchSize),
      figure(commitsPerSecond),
      figure(commandsPerSecond),
      ...[p50Us, p99Us, maxUs].map(millisecondsOfUs),
    ]),
  };
}

function acknowledgedTable(rows: SuiteResult<'acknowledgements'>): Table {
  return {
    title: "Acknowledgement: from handing a batch to the journal's thread to hearing that it is durable",
    columns: ['commands a batch', ...['p50', 'p90', 'p99', 'p99.9', 'max'].map((name) => `${name} ms`)],
    rows: rows.map(({ batchSize, latency: { p50Us, p90Us, p99Us, p999Us, maxUs } }) => [
      figure(batchSize),
      ...[p50Us, p90Us, p99Us, p999Us, maxUs].map(millisecondsOfUs),
    ]),
  };
}

interface SnapshotRounds {
  readonly written: SuiteResult<'writeSnapshot'>;
  readonly loads: readonly SuiteResult<'loadSnapshot'>[];
}

async function snapshotRounds(
  write: 'writeSnapshot' | 'writeSnapshotWithKeys',
  scale: number,
  dir: string,
  options: SuiteOptions,
): Promise<SnapshotRounds> {
  options.progress(`writing a snapshot of ${figure(scale)} bets`);
  const written = await suiteOnce(write, { scale, dir }, options);
  const loads = await suiteRounds('loadSnapshot', { scale, dir }, options);
  for (const { digest } of loads) {
    if (digest !== written.digest)
      throw new Error(`a load came to ${digest}, the engine that wrote to ${written.digest}`);
  }
  return { written, loads };
}

function snapshotsTable(snapshots: readonly SnapshotRounds[]): Table {
  return {
    title: 'Snapshots: written and synced piece by piece; read, checked and linked at a start',
    columns: [
      'bets',
      'accounts',
      'Idempotency-Keys',
      'encode ms',
      'write ms',
      'longest piece ms',
      'bytes/bet',
      'load ms',
      'load CPU ms',
    ],
    rows: snapshots.map(({ written, loads }) => [
      figure(written.bets),
      figure(written.accounts),
      figure(written.idempotencyKeys),
      figure(written.encodeMs),
      figure(written.writeMs),
      figure(written.longestPieceMs),
      figure(written.bytes / written.bets),
      figure(median(loads.map(({ loadMs }) => loadMs))),
      figure(median(loads.map(({ loadCpuMs }) => loadCpuMs))),
    ]),
  };
}
