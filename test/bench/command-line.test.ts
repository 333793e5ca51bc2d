/** The suite's command line, and how it prints. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseReport } from '../../bench/client/programs/wrk.js';
import { onCore, parseCpuList } from '../../bench/host/cores.js';
import { NODE_FLAGS } from '../../bench/host/server-process.js';
import { figure, ratiosTable, tableText } from '../../bench/report/format.js';
import { readOptions, SECTION_NAMES, UsageError } from '../../bench/report/options.js';
import { median } from '../../bench/report/section.js';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

test('defaults, those of a quick run, and given options', () => {
  const full = readOptions([], NOW_MS);
  assert.deepEqual(full?.sections, SECTION_NAMES);
  assert.equal(full?.out, 'bench-results/2026-01-02T03-04-05.json');
  assert.equal(full?.durability, 'fsync');
  const quick = readOptions(['--quick'], NOW_MS);
  assert.ok((quick?.rounds ?? 99) < (full?.rounds ?? 0) && (quick?.seconds ?? 99) < (full?.seconds ?? 0));
  assert.deepEqual(
    SECTION_NAMES.filter((name) => !quick?.sections.includes(name)),
    ['minute', 'memory', 'stream', 'replication', 'snapshots'],
  );
  assert.deepEqual(readOptions(['--quick', '--only', 'minute'], NOW_MS)?.sections, ['minute']);
  const given = readOptions(
    ['--only', 'engine,orders', '--rounds', '3', '--seconds=7', '--out', 'x.json'],
    NOW_MS,
  );
  assert.deepEqual(given?.sections, ['engine', 'orders']);
  assert.deepEqual([given?.rounds, given?.seconds, given?.out], [3, 7, 'x.json']);
  assert.equal(readOptions(['--help'], NOW_MS), null);
  assert.deepEqual([given?.report, given?.pair], ['x.html', null]);
  assert.equal(readOptions(['--pair', '../other'], NOW_MS)?.pair, '../other');
});

test('servers run with the flags of npm start', () => {
  const file = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  assert.ok(scripts.start.endsWith(`exec node ${NODE_FLAGS.join(' ')} dist/main.js`), scripts.start);
});

test('mistakes name the option', () => {
  for (const [args, message] of [
    [['--only', 'order'], /--only: "order"/],
    [['--rounds', '0'], /--rounds: "0"/],
    [['--seconds', '1.5'], /--seconds: "1.5"/],
    [['--durability', 'none'], /--durability: "none"/],
    [['--qick'], /qick/],
    [['--pair', 'x', '--only', 'orders'], /--pair: /],
    [['surplus'], /surplus/],
  ] as const) {
    const isRight = (error: unknown): boolean => error instanceof UsageError && message.test(error.message);
    assert.throws(() => readOptions(args, NOW_MS), isRight);
  }
});

test('cores are read from the kernel’s list', () => {
  assert.deepEqual(parseCpuList('0-2,5'), [0, 1, 2, 5]);
  assert.deepEqual(parseCpuList(''), []);
  assert.deepEqual(onCore(3, ['node', 'x']), ['taskset', '--cpu-list', '3', 'node', 'x']);
  assert.deepEqual(onCore(null, ['node', 'x']), ['node', 'x']);
});

test('the median of an even number is the mean of the middle two', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 9]), 3);
  assert.ok(Number.isNaN(median([])));
});

test('figures and tables line up', () => {
  assert.deepEqual([1, 1.234, 12.34, 1234567.8, Number.NaN].map(figure), [
    '1',
    '1.23',
    '12.3',
    '1,234,568',
    '-',
  ]);
  const text = tableText({
    title: 'T',
    columns: ['name', 'n'],
    rows: [
      ['long name', '1'],
      ['x', '1,000'],
    ],
  });
  assert.deepEqual(text.split('\n').slice(4, 6), ['long name      1', 'x          1,000']);
  const ratio = { what: 'w', byCpu: null, must: 0.5, aim: 0.9 };
  const verdicts = ratiosTable([0.4, 0.5, 0.95].map((value) => ({ ...ratio, value }))).rows.map(
    (row) => row[5],
  );
  assert.deepEqual(verdicts, ['not reached', 'reached', 'aim reached']);
  const withPutOff = ratiosTable([
    { ...ratio, value: 0.6, sustained: 0.284 },
    { ...ratio, value: 0.6 },
  ]);
  assert.equal(withPutOff.columns[3], 'sustained');
  assert.deepEqual(
    withPutOff.rows.map((row) => row[3]),
    ['0.28', '-'],
  );
});

test('the report of wrk', () => {
  const report = [
    '  Latency Distribution',
    '     50%  203.00us',
    '     75%  244.00us',
    '     99%    1.50ms',
    '  100 requests in 1.00s, 1MB read',
    'Requests/sec: 316983.35',
  ].join('\n');
  assert.deepEqual(parseReport(report), { ratePerSecond: 316983.35, answered: 100, p50Us: 203, p99Us: 1500 });
  assert.throws(() => parseReport('unable to connect'), /not a report/);
});
