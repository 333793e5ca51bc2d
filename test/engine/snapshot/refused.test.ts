/**
 * A wrong snapshot is refused. In every table every number is changed, and every row is left out or duplicated; a
 * contradiction to the engine's other numbers is detected. Independent facts (a name, a time, a limit) are protected
 * only by the file's hash (`persistence/snapshot/files.ts`).
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError, must } from '../../../engine/base/assert.js';
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
  busy.round(60);
  busy.round(60);
  const streams = [3, 14, 5].map((seed) => randomEngine(seed, 400, false, true));
  return [busy.engine, ...streams, randomEngine(11, 400, true, true)].map(tablesOf);
}

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
  const rows = must(tables.get(name), name).with(at, row);
  return new Map(tables).set(name, rows);
}

/** These rows may be missing or duplicated without contradicting another table. */
const UNGUARDED: readonly string[] = [
  ...['estimate less', 'estimate twice', 'idempotency less', 'late_bet less', 'limit_order less'],
  ...['open_price less', 'open_price twice', 'round less'],
];

const numbersOf = (row: Row): number[] => [...row.keys()].filter((index) => typeof row[index] === 'number');

const raised = (row: Row, index: number): Row => row.with(index, Number(row[index]) + 1);

test('a number off by one is detected if other numbers depend on it', () => {
  const seen = new Set<string>();
  const passed = new Set<string>();
  for (const tables of samples()) {
    for (const { name, columns } of TABLES) {
      must(tables.get(name), name).forEach((row, at) => {
        for (const index of numbersOf(row)) {
          const column = `${name}.${must(columns[index], 'column')}`;
          seen.add(column);
          // One number that passed answers for its column.
          if (passed.has(column)) continue;
          if (!isRefused(withRow(tables, name, at, raised(row, index)))) passed.add(column);
        }
      });
    }
  }
  deepEqual([...seen].filter((column) => !passed.has(column)).sort(), GUARDED);
});

test('a missing or duplicate row is detected', () => {
  const passed = new Set<string>();
  for (const tables of samples()) {
    for (const { name } of TABLES) {
      const rows = must(tables.get(name), name);
      rows.forEach((row, at) => {
        const altered = { less: rows.toSpliced(at, 1), twice: rows.toSpliced(at, 0, row) };
        for (const [how, others] of Object.entries(altered)) {
          if (passed.has(`${name} ${how}`)) continue;
          if (!isRefused(new Map(tables).set(name, others))) passed.add(`${name} ${how}`);
        }
      });
    }
  }
  deepEqual([...passed].sort(), UNGUARDED);
});

test('a cell of another type is detected', () => {
  const [tables] = samples();
  const whole = must(tables, 'tables');
  for (const { name, columns } of TABLES) {
    must(whole.get(name), name)
      .slice(0, 3)
      .forEach((row, at) => {
        columns.forEach((column, index) => {
          const wrong = [7, 'seven'].filter((cell) => typeof cell !== typeof row[index]);
          ok(
            wrong.some((cell) => isRefused(withRow(whole, name, at, row.with(index, cell)))),
            column,
          );
        });
      });
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
    for (const column of ['account', 'round_number', 'stake_cents', 'payout_cents', 'recently_placed']) {
      const index = columns.indexOf(column);
      ok(isRefused(withRow(tables, name, at, raised(row, index))), `${column} of ${row}`);
    }
    const otherSide = row.map((cell) => (cell === 'DOWN' ? 'UP' : cell));
    const otherMarket = row.map((cell) => (cell === 'BTC_FIVE_MINUTES' ? 'BTC_FIFTEEN_MINUTES' : cell));
    ok(isRefused(withRow(tables, name, at, otherSide)));
    equal(isRefused(withRow(tables, name, at, otherMarket)), row.includes('BTC_FIVE_MINUTES'));
  });
});
