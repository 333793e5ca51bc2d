/** The in-process suites on a small scale: their own checks pass, and their results are what their names say. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filledScenario, placingRate } from '../../bench/engine/placing.js';
import { assertLedger, openScenario, orders, spreadOrders } from '../../bench/engine/scenario.js';
import { lifecycleCost, settlementCost } from '../../bench/engine/settling.js';
import { loadSnapshot, writeSnapshot } from '../../bench/engine/snapshots.js';
import { acknowledgements } from '../../bench/journal/acknowledging.js';
import { commitRates, journalReplayRate, writeJournal } from '../../bench/journal/journaling.js';

test('orders are the same in every run, and all are placed', () => {
  assert.deepEqual(orders(100, 50, 7), orders(100, 50, 7));
  assertLedger(filledScenario(20, 5_000), 5_000);
  assert.throws(() => assertLedger(openScenario(2, 10), 1), /1 bets were placed/);
});

test('sampled orders are placed ones, each used once before any repeats', () => {
  const keys = new Set(spreadOrders(5_000, 0, 5_000, 20).map(({ idempotency }) => idempotency?.keyHigh));
  assert.equal(keys.size, 5_000);
  const [first] = spreadOrders(5_000, 1, 1, 20);
  assert.deepEqual(first, orders(104_729 % 5_000, 1, 20)[0]);
});

test('rates of placing, settling and boundaries', () => {
  const placing = placingRate(50, 4_000);
  assert.ok(placing.ordersPerSecond > 0 && placing.orders === 4_000);
  const settlement = settlementCost(50, 1_000, 64);
  assert.deepEqual([settlement.accounts, settlement.bets], [50, 1_000]);
  assert.ok(settlement.betsPerSecond > 0 && settlement.longestMs > 0 && settlement.boundaryUs > 0);
  const lifecycle = lifecycleCost(5);
  // Each minute: an end and a price for each of 14 assets, and a lock.
  assert.ok(lifecycle.commands >= 5 * 16);
  assert.ok(lifecycle.advancesPerSecond > 0 && lifecycle.boundaryPricesPerSecond > 0);
});

test('a written journal is replayed to the same digest; commits and acknowledgements by batch size', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tote-bench-test-'));
  try {
    const written = writeJournal(join(dir, 'replay'), 3_000);
    const replayed = journalReplayRate(join(dir, 'replay'), 3_000);
    assert.deepEqual([replayed.commands, replayed.digest], [written.commands, written.digest]);
    const rates = commitRates(dir, 600, 'os');
    assert.deepEqual(
      rates.map(({ batchSize }) => batchSize),
      [1, 16, 64, 256, 512],
    );
    assert.ok(rates.every(({ commandsPerSecond, maxUs }) => commandsPerSecond > 0 && maxUs > 0));
    const acknowledged = await acknowledgements(dir, 600, 'os');
    assert.deepEqual(
      acknowledged.map(({ batchSize, latency }) => [batchSize, latency.count]),
      [1, 16, 64, 256, 512].map((size) => [size, Math.min(500, Math.floor(600 / size))]),
    );
    assert.ok(acknowledged.every(({ latency }) => latency.p50Us > 0));
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('a written snapshot is loaded to the same digest', () => {
  for (const withKeys of [false, true]) {
    const dir = mkdtempSync(join(tmpdir(), 'tote-bench-test-'));
    try {
      const written = writeSnapshot(dir, 3_000, withKeys);
      assert.deepEqual([written.accounts, written.idempotencyKeys], [300, withKeys ? 3_000 : 0]);
      assert.ok(written.bytes > 3_000 * 50 && written.writeMs >= written.longestPieceMs);
      assert.equal(loadSnapshot(dir, 3_000).digest, written.digest);
      assert.throws(() => loadSnapshot(dir, 3_001), /3001 bets were placed/);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }
});
