/**
 * The journal and snapshots: commits by batch size, how fast a start replays a journal, and how fast it loads a
 * snapshot. Real files, the server's own code.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { figure, millisecondsOfUs } from '../report/format.js';
import { type Findings, median, type SuiteOptions, type Table } from '../report/section.js';
import { suiteOnce, suiteRounds } from '../suites/run.js';
import type { SuiteResult } from '../suites/suites.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 100_000;

export async function replaySection(options: SuiteOptions): Promise<Findings> {
  const scale = options.quick ? QUICK_SCALE : FULL_SCALE;
  const folder = (name: string): string => {
    const dir = join(options.workDir, name);
    mkdirSync(dir);
    return dir;
  };
  options.progress('commits by batch size');
  const commits = await suiteOnce('commits', { scale, dir: folder('commits') }, options);
  options.progress(`writing a journal of ${figure(scale)} orders`);
  const dir = folder('replay');
  const written = await suiteOnce('writeJournal', { scale, dir }, options);
  const replays = await suiteRounds('replayJournal', { scale, dir }, options);
  for (const { digest } of replays) {
    if (digest !== written.digest)
      throw new Error(`a replay came to ${digest}, the engine that wrote to ${written.digest}`);
  }
  const snapshot = await snapshotRounds(scale, folder('snapshot'), options);
  const rate = median(replays.map(({ commandsPerSecond }) => commandsPerSecond));
  const cpuRate = median(replays.map(({ commandsPerCpuSecond }) => commandsPerCpuSecond));
  return {
    tables: [
      commitsTable(commits),
      {
        title: 'Replay at a start: checksums, chain, engine, rolling digest of each batch',
        columns: ['commands', 'commands/s', 'commands/CPU s', 'seconds'],
        rows: [[written.commands, rate, cpuRate, written.commands / rate].map(figure)],
      },
      snapshotTable(snapshot),
    ],
    measured: [
      {
        goal: 'replay',
        value: rate,
        beside: `${figure(cpuRate)} a second of CPU time, ${figure(written.commands)} commands`,
      },
    ],
    notes: ['Each replay and each load ended with the rolling digest of the engine that wrote the file.'],
    data: { commits, written, replays, snapshot },
  };
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

async function snapshotRounds(scale: number, dir: string, options: SuiteOptions) {
  options.progress(`writing a snapshot of ${figure(scale)} bets`);
  const written = await suiteOnce('writeSnapshot', { scale, dir }, options);
  const loads = await suiteRounds('loadSnapshot', { scale, dir }, options);
  for (const { digest } of loads) {
    if (digest !== written.digest)
      throw new Error(`a load came to ${digest}, the engine that wrote to ${written.digest}`);
  }
  return { written, loads };
}

function snapshotTable({ written, loads }: Awaited<ReturnType<typeof snapshotRounds>>): Table {
  const { bets, accounts, encodeMs, writeMs, longestPieceMs, bytes } = written;
  const [loadMs, loadCpuMs] = [loads.map((load) => load.loadMs), loads.map((load) => load.loadCpuMs)];
  const columns = ['bets and Idempotency-Keys', 'accounts', 'encode ms', 'write ms', 'longest piece ms'];
  const figures = [bets, accounts, encodeMs, writeMs, longestPieceMs, bytes / bets];
  return {
    title: 'A snapshot: written and synced piece by piece; read, checked and linked at a start',
    columns: [...columns, 'bytes/bet', 'load ms', 'load CPU ms'],
    rows: [[...figures, median(loadMs), median(loadCpuMs)].map(figure)],
  };
}
