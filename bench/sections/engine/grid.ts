/** The engine's costs by number of open bets and of accounts. Each number of accounts runs in a process of its own. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GridCell, GridRow } from '../../engine/grid.js';
import { figure } from '../../report/format.js';
import type { SectionResult, SuiteOptions, Table } from '../../report/section.js';
import type { SuiteResult } from '../../suites/registry.js';
import { suiteOnce } from '../../suites/run.js';

const ACCOUNTS = { full: [100, 1_000, 10_000, 100_000, 1_000_000], quick: [100, 1_000, 100_000] };
const SETTLED_ACCOUNTS = 1_000;
const SETTLED_BETS = 100_000;
const OPEN_BETS = { full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 100_000] };

export async function gridSection(options: SuiteOptions): Promise<SectionResult> {
  const size = options.quick ? 'quick' : 'full';
  const sizes = OPEN_BETS[size];
  const rows: GridRow[] = [];
  for (const accounts of ACCOUNTS[size]) {
    options.progress(`${figure(accounts)} accounts`);
    rows.push(await suiteOnce('grid', { scale: accounts, sizes, dir: '' }, options));
  }
  const settled: SuiteResult<'settle'>[] = [];
  for (const accounts of ACCOUNTS[size]) {
    // Varies the bets with the usual number of accounts, and the accounts with the usual number of bets.
    for (const bets of accounts === SETTLED_ACCOUNTS ? sizes : [SETTLED_BETS]) {
      options.progress(`settling ${figure(bets)} bets of ${figure(accounts)} accounts`);
      settled.push(await suiteOnce('settle', { scale: bets, accounts, dir: '' }, options));
    }
  }
  const snapshots: Snapshot[] = [];
  for (const bets of sizes) {
    options.progress(`a snapshot of ${figure(bets)} bets`);
    const dir = join(options.workDir, `snapshot-${bets}`);
    mkdirSync(dir);
    const written = await suiteOnce('writeSnapshotWithKeys', { scale: bets, dir }, options);
    const loaded = await suiteOnce('loadSnapshot', { scale: bets, dir }, options);
    if (written.digest !== loaded.digest)
      throw new Error(`a snapshot of ${bets} bets came back as another state`);
    snapshots.push({ written, loaded });
  }
  return {
    name: 'grid',
    tables: [
      gridTable('place an order', rows, sizes, ({ placeNs }) => placeNs),
      gridTable('refuse an order (odds_changed)', rows, sizes, ({ rejectNs }) => rejectNs),
      gridTable('replay an order', rows, sizes, ({ replayNs }) => replayNs),
      settlingTable(settled),
      snapshotsTable(snapshots),
    ],
    ratios: [],
    notes: [
      'A constant cost would be the same figure everywhere. Only memory traffic grows: accounts, keys, bets and Idempotency-Keys ' +
        'are in tables that no longer fit the caches, so each look-up becomes a miss; no operation scans a table.',
      'The cost of settling a bet does not depend on their number, and rounds lock and end without reading their bets; small numbers are ' +
        'timed before their code is compiled. A digest of the whole state and a snapshot read all of it, but are not part of an order.',
    ],
    data: { rows, settled, snapshots },
  };
}

interface Snapshot {
  readonly written: SuiteResult<'writeSnapshotWithKeys'>;
  readonly loaded: SuiteResult<'loadSnapshot'>;
}

function settlingTable(settled: readonly SuiteResult<'settle'>[]): Table {
  return {
    title: 'Engine: settling three fifths of the open bets',
    columns: [
      ...['accounts', 'open bets', 'ns a bet', 'us a lock, end or price'],
      ...['longest command ms', 'state digest ms', 'state digest ns a bet'],
    ],
    rows: settled.map(({ accounts, bets, betsPerSecond, boundaryUs, longestMs, stateDigestMs }) =>
      [
        ...[accounts, bets, 1e9 / betsPerSecond, boundaryUs, longestMs],
        ...[stateDigestMs, (stateDigestMs * 1e6) / bets],
      ].map(figure),
    ),
  };
}

function snapshotsTable(snapshots: readonly Snapshot[]): Table {
  return {
    title: 'Engine: a snapshot, a tenth as many accounts as bets, Idempotency-Keys included',
    columns: [
      'open bets',
      'encode ns a bet',
      'encode and write ns a bet',
      'read and decode ns a bet',
      'bytes a bet',
    ],
    rows: snapshots.map(({ written: { bets, encodeMs, writeMs, bytes }, loaded: { loadMs } }) =>
      [bets, (encodeMs * 1e6) / bets, (writeMs * 1e6) / bets, (loadMs * 1e6) / bets, bytes / bets].map(
        figure,
      ),
    ),
  };
}

function gridTable(
  what: string,
  rows: readonly GridRow[],
  sizes: readonly number[],
  pick: (cell: GridCell) => number,
): Table {
  return {
    title: `Engine: nanoseconds to ${what}, by open bets`,
    columns: ['accounts', ...sizes.map(figure)],
    rows: rows.map(({ accounts, cells }) => [figure(accounts), ...cells.map((cell) => figure(pick(cell)))]),
  };
}
