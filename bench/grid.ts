/** The engine's cost as it fills: open bets by accounts, each number of accounts in a process of its own. */
import type { GridCell, GridRow } from './engine/grid.js';
import { figure } from './format.js';
import { median, type SectionResult, type SuiteOptions, type Table } from './section.js';
import { suiteOnce } from './suites/run.js';

const ACCOUNTS = { full: [100, 1_000, 10_000, 100_000, 1_000_000], quick: [100, 100_000] };
const OPEN_BETS = { full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 100_000] };
/** A quick look at the extremes takes one round whatever the options say, a full one no more than this. */
const ROUNDS_MAX = 2;

export async function gridSection(options: SuiteOptions): Promise<SectionResult> {
  const size = options.quick ? 'quick' : 'full';
  const sizes = OPEN_BETS[size];
  const rounds = options.quick ? 1 : Math.min(options.rounds, ROUNDS_MAX);
  const rows: GridRow[][] = ACCOUNTS[size].map(() => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [at, accounts] of ACCOUNTS[size].entries()) {
      options.progress(`${figure(accounts)} accounts, round ${round} of ${rounds}`);
      rows[at]?.push(await suiteOnce('grid', { scale: accounts, sizes, dir: '' }, options));
    }
  }
  return {
    name: 'grid',
    tables: [
      gridTable('place an order', rows, sizes, ({ placeNs }) => placeNs),
      gridTable('refuse an order (odds_changed)', rows, sizes, ({ rejectNs }) => rejectNs),
      gridTable('replay an order', rows, sizes, ({ replayNs }) => replayNs),
    ],
    ratios: [],
    notes: [
      'Flat would be the same figure everywhere. What grows is memory traffic: an account, its key, a bet and an Idempotency-Key ' +
        'lie in tables that no longer fit the caches, so each look-up becomes a miss; no operation walks through a table.',
      'Encoding and decoding of snapshots is not measured: this version has none.',
    ],
    data: rows,
  };
}

function gridTable(
  what: string,
  rows: readonly (readonly GridRow[])[],
  sizes: readonly number[],
  pick: (cell: GridCell) => number,
): Table {
  return {
    title: `Engine: nanoseconds to ${what}, by open bets`,
    columns: ['accounts', ...sizes.map(figure)],
    rows: rows.map((rounds) => [
      figure(rounds[0]?.accounts ?? Number.NaN),
      ...sizes.map((_, at) =>
        figure(
          median(
            rounds.map(({ cells }) => {
              const cell = cells[at];
              return cell === undefined ? Number.NaN : pick(cell);
            }),
          ),
        ),
      ),
    ]),
  };
}
