/**
 * A wrong snapshot is refused. In every table every number is changed, and every row is left out or duplicated; a
 * contradiction to the engine's other numbers is detected. Independent facts (a name, a time, a limit) are protected
 * only by the file's hash (`persistence/snapshot/files.ts`).
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError, must } from '../../../engine/base/assert.js';
import type { Cell } from '../../../engine/base/rows-text.js';
import { BET } from '../../../engine/snapshot/bets.js';
import type { Row } from '../../../engine/snapshot/columns.js';
import { TABLES } from '../../../engine/snapshot/tables.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { engineOf, type Tables, tablesOf } from '../../support/engine/snapshots.js';
import { BTC_5M, BTC_15M, Exchange } from '../../support/reference/exchange.js';
import { randomEngine } from '../../support/reference/random/stream.js';

/** Every change in these columns contradicts another number. */
const GUARDED: readonly string[] = [
  ...['account.account', 'account.balance_cents', 'account.open_bets', 'api_key.key'],
  ...['awaiting_price.round_number', 'bet.settled_position', 'engine.accounts', 'engine.accounts_cents'],
  ...['engine.bets_retained', 'engine.house_balance_cents', 'engine.house_deposits_cents'],
  ...['engine.house_withdrawals_cents', 'engine.keys', 'engine.open_stakes_cents', 'engine.pots_cents'],
  ...['engine.rules_version', 'engine.trading_enabled', 'late_bet.bet', 'market.current_round'],
  ...['round.end_time_ms', 'round.pool_down_cents', 'round.pool_up_cents', 'round.round_number'],
  ...['round.settled_position', 'round.tree_size', 'round.volume_cents', 'settling_round.next_bet'],
  ...['settling_round.round_number', 'transfer.amount_cents'],
];

function samples(): Tables[] {
  const busy = new BusyEngine(3);
  busy.round(30);
  busy.round(30);
  const streams = [20, 9, 3].map((seed) => randomEngine(seed, 400, false, true));
  return [busy.engine, ...streams, randomEngine(11, 400, true, true)].map(tablesOf);
}
const SAMPLES = samples();

const isRefused = (tables: Tables): boolean => {
  try {
    engineOf(tables);
    return false;
  } catch (thrown) {
    if (thrown instanceof AssertionError) return true;
    throw thrown;
  }
};

function withRow(tables: Tables, name: string, at: number, row: Row): Tables {
  return new Map(tables).set(name, must(tables.get(name), name).with(at, row));
}

/** These rows may be missing or duplicated without contradicting another table. */
const UNGUARDED: readonly string[] = [
  ...['estimate less', 'estimate twice', 'idempotency less', 'late_bet less', 'limit_order less'],
  ...['open_price less', 'open_price twice', 'round less'],
];

const numbersOf = (row: Row): number[] => [...row.keys()].filter((index) => typeof row[index] === 'number');

const raised = (row: Row, index: number): Row => row.with(index, Number(row[index]) + 1);

const rowsOf = (tables: Tables) =>
  TABLES.flatMap(({ name, columns }) => {
    const rows = must(tables.get(name), name);
    return rows.map((row, at) => ({ tables, name, columns, rows, at, row }));
  });
const ALL = SAMPLES.flatMap(rowsOf);

test('a number off by one is detected if other numbers depend on it', () => {
  const seen = new Set<string>();
  const passed = new Set<string>();
  for (const { tables, name, columns, at, row } of ALL)
    for (const index of numbersOf(row)) {
      const column = `${name}.${must(columns[index], 'column')}`;
      seen.add(column);
      // One number that passed answers for its column.
      if (passed.has(column)) continue;
      if (!isRefused(withRow(tables, name, at, raised(row, index)))) passed.add(column);
    }
  deepEqual([...seen].filter((column) => !passed.has(column)).sort(), GUARDED);
});

test('a missing or duplicate row is detected', () => {
  const passed = new Set<string>();
  for (const { tables, name, rows, at, row } of ALL) {
    const altered = { less: rows.toSpliced(at, 1), twice: rows.toSpliced(at, 0, row) };
    for (const [how, others] of Object.entries(altered)) {
      if (passed.has(`${name} ${how}`)) continue;
      if (!isRefused(new Map(tables).set(name, others))) passed.add(`${name} ${how}`);
    }
  }
  deepEqual([...passed].sort(), UNGUARDED);
});

test('a cell of another type is detected', () => {
  for (const { tables, name, columns, at, row } of rowsOf(must(SAMPLES[0], 'tables'))) {
    if (at >= 3) continue;
    for (const [index, column] of columns.entries()) {
      const wrong = [7, 'seven'].filter((cell) => typeof cell !== typeof row[index]);
      ok(wrong.map((cell) => withRow(tables, name, at, row.with(index, cell))).some(isRefused), column);
    }
  }
});

type Cells = Readonly<Record<string, Cell>>;

/** Rows that no engine writes: the table, cells by which a row is found, and each of the changes. */
const CHANGES: readonly (readonly [table: string, where: Cells, ...changes: Cells[]])[] = [
  ['engine', {}, { lifecycle_seq: 1e9 }],
  ['api_key', {}, { account: 999 }],
  ['transfer', {}, { account: 999 }, { seq: 1e9 }],
  ['market', {}, { market: 'BTC_FIVE_MINUTES' }, { suspended_seq: 1e9 }],
  ['market', { last_round: 28_333_442 }, { last_round: 28_333_441 }],
  ['open_price', {}, { price: 0 }, { price: '5' }],
  ['round', {}, { paid_cents: 1e12 }],
  ['round', { status: 'SETTLING', resolved_at_ms: null }, { resolved_at_ms: 1 }],
  ['round', { status: 'SETTLING', result: 'UP' }, { resolved_at_ms: null }],
  ['round', { status: 'LIVE' }, { status: 'SETTLING' }, { bet_count: 1e9 }, { seed_up_cents: 1 }],
  ['round', { status: 'LIVE' }, { payout_up_cents: 1e9 }, { payout_down_cents: 1e9 }],
  ['round', { status: 'SETTLED' }, { settled_position: null }, { merkle_root: 'f' }],
  ['round', { status: 'SETTLED' }, { merkle_root: 'g'.repeat(64) }],
  ['bet', {}, { placed_at_ms: 1.5 }, { placed_at_ms: -1 }, { entry_percent_e2: 10_001 }],
  ['bet', { result: 'NONE' }, { settled_at_ms: 1 }, { settled_position: 1 }, { changed_seq: 1e9 }],
  ['bet', { settled_position: 3 }, { settled_position: 2 }],
  ['bet', { result: 'WIN' }, { result: 'CANCELLED' }],
  ['limit_order', {}, { bet: 1e9 }, { bet: 0 }, { limit_odds_e4: 10_099 }, { limit_odds_e4: 10_000_001 }],
  ['limit_order', { filled_at_ms: null }, { rested: 0 }],
  ['limit_order', { rested: 0 }, { valid_until_ms: 1 }],
  ['idempotency', {}, { seq: 1e9 }, { account: 999 }],
  ['idempotency', { type: 1 }, { limit_odds_e4: 0 }],
];

test('a row that no engine writes is detected', () => {
  for (const [table, where, ...changes] of CHANGES) {
    const cells = Object.entries(where);
    const isAsked = ({ name, columns, row }: (typeof ALL)[number]): boolean =>
      name === table && cells.every(([column, cell]) => row[columns.indexOf(column)] === cell);
    const found = SAMPLES.flatMap((tables) => rowsOf(tables).findLast(isAsked) ?? []);
    ok(found.length > 0, table);
    for (const [column, cell] of changes.flatMap((change) => Object.entries(change)))
      for (const { tables, columns, at, row } of found) {
        const changed = row.with(columns.indexOf(column), cell);
        ok(isRefused(withRow(tables, table, at, changed)), `${table} ${column}`);
      }
  }
});

test('a change of account, round, stake or payout of an open bet is detected', () => {
  const exchange = new Exchange({ markets: [BTC_5M, BTC_15M] });
  for (const market of [BTC_5M, BTC_15M]) exchange.openLate(market, 100);
  for (let count = 0; count < 3; count += 1) {
    const account = exchange.account('GOLD', 10_000_00);
    for (const market of [BTC_5M, BTC_15M]) exchange.placed({ account, market, side: 'DOWN' });
  }
  const tables = tablesOf(exchange.pair.engine);
  const { name, columns } = BET;
  must(tables.get(name), name).forEach((row, at) => {
    for (const column of ['account', 'round_number', 'stake_cents', 'payout_cents', 'recently_placed'])
      ok(isRefused(withRow(tables, name, at, raised(row, columns.indexOf(column)))), `${column} of ${row}`);
    const otherSide = row.map((cell) => (cell === 'DOWN' ? 'UP' : cell));
    const otherMarket = row.map((cell) => (cell === 'BTC_FIVE_MINUTES' ? 'BTC_FIFTEEN_MINUTES' : cell));
    ok(isRefused(withRow(tables, name, at, otherSide)));
    equal(isRefused(withRow(tables, name, at, otherMarket)), row.includes('BTC_FIVE_MINUTES'));
  });
});
