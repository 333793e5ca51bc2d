/** What settlement proofs cost, thread by thread: see `journal/proving.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProvingCost } from '../../journal/proving.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { suiteOnce } from '../../suites/run.js';

const FULL_SCALE = 100_000;
const QUICK_SCALE = 10_000;

export async function proofsSection(options: SuiteOptions): Promise<SectionResult> {
  const scale = options.quick ? QUICK_SCALE : FULL_SCALE;
  const costs: ProvingCost[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    options.progress(`proving, round ${round} of ${options.rounds}`);
    const dir = mkdtempSync(join(options.workDir, 'proofs-'));
    costs.push(await suiteOnce('proving', { scale, dir }, options));
    rmSync(dir, { recursive: true, force: true });
  }
  const of = (pick: (cost: ProvingCost) => number): string => figure(median(costs.map(pick)));
  return {
    name: 'proofs',
    tables: [
      {
        title: `Settlement proofs: a round with ${figure(scale)} bets, CPU time`,
        columns: ['thread', 'what', 'us'],
        rows: [
          ['engine', 'a root is put on record, once a round', of(({ publishUs }) => publishUs)],
          ['shadow', 'to note a bet', of(({ noteUs }) => noteUs)],
          ['roots', 'to hash a bet', of(({ hashUs }) => hashUs)],
          ['roots', 'root and signature at the lock', of(({ lockUs }) => lockUs)],
          ['reader', 'the first path of a round', of(({ firstPathMs }) => 1_000 * firstPathMs)],
          ['reader', 'its longest slice', of(({ longestSliceMs }) => 1_000 * longestSliceMs)],
          ['reader', 'any other path', of(({ pathUs }) => pathUs)],
          ['reader and gateway', "a round's proof, signed", of(({ roundUs }) => roundUs)],
        ],
      },
    ],
    ratios: [],
    notes: [
      'In one thread, through the code that the threads run. An order costs the engine nothing for its proof.',
    ],
    data: costs,
  };
}
