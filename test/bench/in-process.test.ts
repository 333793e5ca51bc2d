/** The in-process suites on a small scale: their own checks pass, and their results fit their names. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { filledScenario, placingRate } from '../../bench/engine/placing.js';
import { assertLedger, openScenario, orders } from '../../bench/engine/scenario.js';
import { settlementCost } from '../../bench/engine/settling.js';
import { loadSnapshot, writeSnapshot } from '../../bench/engine/snapshots.js';
import { commitRates, journalReplayRate, writeJournal } from '../../bench/journal/journaling.js';
import { newFolder } from '../support/new-folder.js';

test('orders are the same in every run, and all are placed and settled, at a rate', () => {
  assert.deepEqual(orders(100, 50, 7), orders(100, 50, 7));
  assertLedger(filledScenario(20, 5_000), 5_000);
  assert.throws(() => assertLedger(openScenario(2, 10), 1), /1 bets were placed/);
  const placing = placingRate(50, 4_000);
  assert.ok(placing.ordersPerSecond > 0 && placing.orders === 4_000);
  const settlement = settlementCost(50, 1_000, 64);
  assert.ok(settlement.betsPerSecond > 0 && settlement.longestMs > 0);
});

test('a written journal is replayed to the same digest; commits by batch size', () => {
  const dir = newFolder();
  const written = writeJournal(join(dir, 'replay'), 3_000);
  const replayed = journalReplayRate(join(dir, 'replay'), 3_000);
  assert.deepEqual([replayed.commands, replayed.digest], [written.commands, written.digest]);
  const rates = commitRates(dir, 600, 'os');
  const batchSizes = rates.map(({ batchSize }) => batchSize);
  assert.deepEqual(batchSizes, [1, 16, 64, 256, 512]);
  assert.ok(rates.every(({ commandsPerSecond, maxUs }) => commandsPerSecond > 0 && maxUs > 0));
});

test('a written snapshot is loaded to the same digest', () => {
  const dir = newFolder();
  const written = writeSnapshot(dir, 3_000);
  assert.equal(written.accounts, 300);
  assert.ok(written.bytes > 3_000 * 50 && written.writeMs >= written.longestPieceMs);
  assert.equal(loadSnapshot(dir, 3_000).digest, written.digest);
  assert.throws(() => loadSnapshot(dir, 3_001), /3001 bets were placed/);
});
