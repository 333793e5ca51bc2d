/** What resting limit orders cost the orders of their round: see `engine/resting.ts`. */
import type { RestingCost } from '../../engine/resting.js';
import { figure } from '../../report/format.js';
import { median, type SectionResult, type SuiteOptions } from '../../report/section.js';
import { suiteRounds } from '../../suites/run.js';

const FULL_SCALE = 100_000;
const QUICK_SCALE = 10_000;

export async function limitsSection(options: SuiteOptions): Promise<SectionResult> {
  const input = { scale: options.quick ? QUICK_SCALE : FULL_SCALE, dir: '' };
  const resting = await suiteRounds('resting', input, options);
  const of = (pick: (round: RestingCost) => number): string => figure(median(resting.map(pick)));
  return {
    name: 'limits',
    tables: [
      {
        title: `Limit orders: ${figure(input.scale)} rest in a round`,
        columns: ['what', 'CPU us'],
        rows: [
          ['a bet, no order rests', of(({ betAloneUs }) => betAloneUs)],
          ['a bet, their limits far away', of(({ betBesideUs }) => betBesideUs)],
          ['a search in vain, limits far away', of(({ farSearchUs }) => farSearchUs)],
          ['the same, all just out of reach, even odds', of(({ reachSearchUs }) => reachSearchUs)],
          ['the same at long odds', of(({ longSearchUs }) => longSearchUs)],
        ],
      },
      {
        title: 'Limit orders: memory',
        columns: ['what', 'bytes'],
        rows: [['a resting order with its Idempotency-Key', of(({ bytesPerOrder }) => bytesPerOrder)]],
      },
    ],
    ratios: [],
    notes: [
      'Just out of reach: each a cent too large for its limit, at every limit that can be named below the odds.',
    ],
    data: resting,
  };
}
