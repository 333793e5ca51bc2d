/** What the suite makes of the client's figures: mixes of requests, ratios of rows, and what follows from CPU times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOTS_MIX } from '../../bench/client/kinds.js';
import { parseReport } from '../../bench/client/wrk.js';
import { onCore, parseCpuList } from '../../bench/host/cores.js';
import { byThread, cpuUse } from '../../bench/host/usage.js';
import { cpuUsOf, type Row, type Run, rateOf, roundRatio } from '../../bench/load/runs.js';
import { rowTables } from '../../bench/load/tables.js';
import { mixed } from '../../bench/load/workload.js';
import { orderBytes } from '../../bench/references/bare.js';
import { parseCsv } from '../../bench/references/redis.js';

import { Acknowledged } from '../../bench/tote/audit.js';

const ORDER_US = {
  ...{ gateway: 16, main: 2, journal: 1, replication: 0 },
  ...{ shadow: 4, roots: 1, operator: 0, other: 1 },
};

const run = (ratePerSecond: number): Run => ({
  ...{ ratePerSecond, clientCpu: 0.5, lateP99Us: null, refused: 0, behind: null },
  latency: { p50Us: 1, p90Us: 2, p99Us: 3, p999Us: Number.NaN, maxUs: 5 },
  server: { timeline: [], residentBytes: null },
  threadUs: ORDER_US,
});
const row = (name: string, rounds: readonly Run[]): Row => ({
  ...{ name, connections: 64, plannedRate: null, rounds },
});

test('every key has each share of a mix, and each market as much on UP as on DOWN', () => {
  const apiKeys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const marketIds = ['BTC_ONE_DAY', 'ETH_ONE_DAY', 'SOL_ONE_DAY'];
  const { templates, kinds, owners } = mixed({ mix: BOTS_MIX, apiKeys, marketIds });
  const count = (list: readonly unknown[], of: unknown): number => list.filter((one) => one === of).length;
  assert.equal(count(kinds, 'orders') * 10, kinds.length);
  assert.equal(count(kinds, 'market') * 10, kinds.length * 6);
  for (const owner of apiKeys.keys()) {
    const own = kinds.filter((_, at) => owners[at] === owner);
    assert.equal(count(own, 'orders') * 10, own.length);
  }
  for (const id of marketIds) {
    const sides = ['UP', 'DOWN'].map(
      (side) => templates.filter(({ text }) => text.includes(`"${id}","prediction":"${side}"`)).length,
    );
    assert.ok(Math.abs((sides[0] ?? 0) - (sides[1] ?? 0)) <= 1, `${id}: ${sides}`);
    assert.ok((sides[0] ?? 0) > 0);
  }
  assert.ok(templates.every(({ text }, at) => text.includes(`X-API-Key: ${apiKeys[owners[at] ?? -1]}\r\n`)));
});

test('acknowledged orders are counted for their bettors, reads for nobody', () => {
  const bettors = [
    { accountId: 'acc_1', apiKey: 'a' },
    { accountId: 'acc_2', apiKey: 'b' },
  ] as const;
  const workload = mixed({ mix: { orders: 1, market: 1 }, apiKeys: ['a', 'b'], marketIds: ['BTC_ONE_DAY'] });
  const acknowledged = new Acknowledged();
  acknowledged.addOne(bettors[1], 100);
  const answers = workload.templates.map(() => 3);
  const orders = 3 * workload.kinds.filter((kind) => kind === 'orders').length;
  const numbers = { distinct: orders, repeated: 0 };
  acknowledged.add({ acknowledged: answers, numbers }, workload, bettors);
  assert.deepEqual([acknowledged.orders, acknowledged.distinctBets], [orders + 1, orders + 1]);
  const [first, second] = bettors.map((bettor) => acknowledged.stakeCentsOf(bettor));
  assert.equal((first ?? 0) + 100, second);
});

test('a ratio is the median over the rounds, not the ratio of the medians', () => {
  const rows = [
    [10, 30, 90],
    [10, 10, 100],
  ].map((rates) =>
    row(
      '',
      rates.map((rate) => run(rate)),
    ),
  );
  assert.equal(roundRatio(rows[0] as Row, rows[1] as Row, rateOf), 1);
  assert.equal(roundRatio(rows[0] as Row, rows[1] as Row, cpuUsOf), 1);
});

test('unknown figures are shown as unknown, and threads without work not at all', () => {
  const [load, threads] = rowTables('T', [row('redis', [run(100)])]);
  assert.ok(load?.rows.flat().every((cell) => !cell.includes('NaN')));
  assert.deepEqual(threads?.columns.slice(2), [
    ...['gateways', 'engine (or event loop)', 'journal', 'shadow', 'roots', "V8's own", 'together'],
  ]);
  assert.equal(threads?.rows[0]?.at(-1), '25');
});

test('the share of a core counts all threads', () => {
  const at = (takenAtMs: number, ns: number) => ({ takenAtMs, threadNs: byThread(() => ns) });
  const use = cpuUse(at(0, 0), at(1_000, 100_000_000));
  assert.deepEqual([use?.process, use?.threadNs.gateway], [0.8, 100_000_000]);
});

test('cores are read from the kernel’s list', () => {
  assert.deepEqual(parseCpuList('0-2,5'), [0, 1, 2, 5]);
  assert.deepEqual(parseCpuList(''), []);
  assert.deepEqual(onCore(3, ['node', 'x']), ['taskset', '--cpu-list', '3', 'node', 'x']);
  assert.deepEqual(onCore(null, ['node', 'x']), ['node', 'x']);
});

test('the reports of wrk and redis-benchmark', () => {
  const report = [
    '     50%  203.00us',
    '     90%  244.00us',
    '     99%    1.50ms',
    '  100 requests in 1.00s, 1MB read',
    'Requests/sec: 316983.35',
  ].join('\n');
  const figures = { ratePerSecond: 316983.35, answered: 100, p50Us: 203, p90Us: 244, p99Us: 1500 };
  assert.deepEqual(parseReport(report), figures);
  assert.throws(() => parseReport('unable to connect'), /not a report/);
  assert.equal(parseCsv('"test","rps","avg_latency_ms"\n"SET","55273.12","4.2"\n'), 55_273.12);
  assert.throws(() => parseCsv('Could not connect'), /not a report/);
});

test('the references commit as many bytes as an order has in the journal', () => {
  const bettors = Array.from({ length: 1_000 }, (_, at) => ({ accountId: `acc_${at}`, apiKey: '' }));
  const market = { id: 'BTC_ONE_DAY', bettingMs: 0 };
  const bytes = orderBytes({ markets: [market], bettors });
  assert.ok(bytes > 100 && bytes < 200, `${bytes} bytes`);
});
