/** Time from the start of the process to its first answer, each on a new data directory. */
import { join } from 'node:path';
import { figure } from '../report/format.js';
import { type Findings, median, type SuiteOptions } from '../report/section.js';
import { placeOf, ToteServer } from '../tote/server.js';

const STARTS = { full: 9, quick: 3 };

export async function startSection(options: SuiteOptions): Promise<Findings> {
  const startMs: number[] = [];
  const count = STARTS[options.quick ? 'quick' : 'full'];
  for (let at = 1; at <= count; at += 1) {
    options.progress(`start ${at} of ${count}`);
    const dataDir = join(options.workDir, `tote-${at}`);
    const server = await ToteServer.start({ ...placeOf(options), dataDir });
    startMs.push(server.startMs);
    await server.process.stop();
  }
  const [best, worst] = [Math.min(...startMs), Math.max(...startMs)];
  const beside = `median of ${count} starts, ${figure(best)} to ${figure(worst)}`;
  return {
    tables: [
      {
        title: 'Start to first answer, empty data directory',
        columns: ['starts', 'median ms', 'best ms', 'worst ms'],
        rows: [[count, median(startMs), best, worst].map(figure)],
      },
    ],
    notes: [
      'From the start of the process to an answer of its operator API that it is ready, asked for every 5 ms. Each start makes its ' +
        'secret, its journal and its archive, and has a clean end.',
    ],
    measured: [{ goal: 'firstAnswer', value: median(startMs), beside }],
    data: { startMs },
  };
}
