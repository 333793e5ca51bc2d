/** The journal: commits by batch size, and how fast a start replays it. Real files, the server's own code. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { figure, millisecondsOfUs } from './format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from './section.js';
import type { SuiteResult } from './suites/registry.js';
import { suiteOnce, suiteRounds } from './suites/run.js';

const FULL_SCALE = 1_000_000;
const QUICK_SCALE = 200_000;

export async function replaySection(options: SuiteOptions): Promise<SectionResult> {
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
  const rate = median(replays.map(({ commandsPerSecond }) => commandsPerSecond));
  const cpuRate = median(replays.map(({ commandsPerCpuSecond }) => commandsPerCpuSecond));
  return {
    name: 'replay',
    tables: [
      commitsTable(commits),
      {
        title: 'Replay at a start: checksums, chain, engine, rolling digest of each batch',
        columns: ['commands', 'commands/s', 'commands/CPU s', 'seconds'],
        rows: [[figure(written.commands), figure(rate), figure(cpuRate), figure(written.commands / rate)]],
      },
    ],
    ratios: [],
    notes: ['Each replay ended with the rolling digest of the engine that wrote the journal.'],
    data: { commits, written, replays },
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
