/** CPU time by thread, and what is computed from it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCsv } from '../../bench/client/programs/redis-benchmark.js';
import { byThread, cpuUse } from '../../bench/host/usage.js';
import { capacityOf, capacityTable, roundRatio, type ThreadRow } from '../../bench/load/by-thread.js';

const ORDER_US = {
  ...{ gateway: 16, main: 2, journal: 1, replication: 0 },
  ...{ shadow: 4, roots: 1, operator: 0, other: 1 },
};

test('the gateways are the first bound of two cores', () => {
  const { gateways, limits, ratePerSecond, bound } = capacityOf(ORDER_US, 2);
  assert.equal(gateways, 1);
  assert.deepEqual(limits, {
    gateways: 62_500,
    engine: 500_000,
    journal: 1_000_000,
    shadow: 250_000,
    roots: 1_000_000,
    cores: 2_000_000 / 25,
  });
  assert.deepEqual([ratePerSecond, bound], [62_500, 'gateways']);
});

test('with many cores the slowest of the single threads is the bound', () => {
  const { gateways, ratePerSecond, bound } = capacityOf(ORDER_US, 16);
  assert.deepEqual([gateways, ratePerSecond, bound], [8, 250_000, 'shadow']);
  assert.deepEqual(
    capacityTable(ORDER_US).rows.map((row) => row.at(-1)),
    ['gateways', 'gateways', 'gateways', 'shadow'],
  );
});

test('a ratio is the median over the rounds, not the ratio of the medians', () => {
  const row = (rates: readonly number[]): ThreadRow => ({
    name: '',
    placement: '',
    connections: 1,
    rounds: rates.map((ratePerSecond) => ({ ratePerSecond, p50Us: 1, p99Us: 1, threadUs: ORDER_US })),
  });
  assert.equal(
    roundRatio(row([10, 30, 90]), row([10, 10, 100]), ({ ratePerSecond }) => ratePerSecond),
    1,
  );
});

test('the share of a core counts all threads', () => {
  const at = (takenAtMs: number, ns: number) => ({ takenAtMs, threadNs: byThread(() => ns) });
  const use = cpuUse(at(0, 0), at(1_000, 100_000_000));
  assert.equal(use?.process, 0.8);
  assert.equal(use?.threadNs.gateway, 100_000_000);
});

test('the report of redis-benchmark', () => {
  const report = '"test","rps","avg_latency_ms"\n"SET","55273.12","4.2"\n';
  assert.equal(parseCsv(report), 55_273.12);
  assert.throws(() => parseCsv('Could not connect'), /not a report/);
});
