/** The HTML report and the comparison of two runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownEnvironment } from '../../bench/host/environment.js';
import { compareFiles, compareResults } from '../../bench/report/compare.js';
import { speedSection } from '../../bench/report/goals.js';
import { reportHtml } from '../../bench/report/html.js';
import { readOptions, UsageError } from '../../bench/report/options.js';
import type { Run } from '../../bench/report/run-file.js';
import type { Plot, SectionResult } from '../../bench/report/section.js';
import { axisOf, plotSvg } from '../../bench/report/svg.js';
import { mainOf } from '../../bench/sections/pair.js';

const PLOT: Plot = {
  ...{
    title: 'Rate <by> "connections"',
    xLabel: 'connections',
    yLabel: 'requests/s',
    xLog: true,
    yLog: false,
  },
  series: [
    {
      name: 'a & b',
      points: [
        [10, 50],
        [1_000, 100],
      ],
    },
  ],
};

function section(rate: string): SectionResult {
  const columns = ['system', 'conns', 'rate/s', 'client CPU'];
  const rows = [
    ['tote', '64', rate, '50 %'],
    ['tote', '64', '10', '50 %'],
  ];
  return {
    name: 'orders',
    tables: [{ title: 'T', columns, rows }],
    ratios: [],
    notes: ['<b>'],
    plots: [PLOT],
    data: 0,
  };
}

function run(rate: string): Run {
  const options = readOptions([], 0);
  assert.ok(options?.kind === 'suite');
  const where = ownEnvironment(tmpdir(), 'fsync', { server: null, client: null });
  return { environment: where, options, results: [section(rate)] };
}

test('the report is one file that loads and runs nothing, and escapes names', () => {
  const html = reportHtml(run('1,000'));
  assert.ok(!/<script|<link|<img|src=|href=|url\(|@import/i.test(html));
  assert.ok(html.includes('<td>1,000</td>') && html.includes('&lt;b&gt;') && !html.includes('<b>'));
  assert.ok(html.includes('Rate &lt;by&gt; &quot;connections&quot;') && html.includes('>a &amp; b</text>'));
});

test('points are placed by the axes', () => {
  const svg = plotSvg(PLOT);
  // From 10 to 1,000 over the whole width of a logarithmic axis; 50 and 100 of 100 over the height of a linear one.
  assert.ok(svg.includes('points="70.0,144.0 520.0,16.0"'), svg);
  const linear = axisOf([3, 97], false);
  assert.deepEqual(linear.ticks, [0, 20, 40, 60, 80, 100]);
  assert.equal(linear.share(50), 0.5);
  const log = axisOf([0, 1, 1_000], true);
  assert.deepEqual(log.ticks, [1, 10, 100, 1_000]);
  assert.ok(Math.abs(log.share(10) - 1 / 3) < 1e-9 && log.share(0) === 0);
  assert.ok(!plotSvg({ ...PLOT, series: [] }).includes('NaN'));
});

test('two runs are compared row by row', () => {
  const [table] = compareResults([section('1,000')], [section('1,250')]);
  assert.deepEqual(table?.rows, [
    ['tote, 64 conns: rate/s', '1,000', '1,250', '+25.0 %'],
    ['tote, 64 conns (2): rate/s', '10', '10', '+0.0 %'],
  ]);
  assert.deepEqual(compareResults([section('1')], []), []);
  const others = [{ ...section('1,000'), name: 'markets' }];
  assert.deepEqual(compareResults([section('1,000')], others), [], 'tables of other sections are others');
});

test('every figure that both runs have is compared, ratios too, but not conditions', () => {
  const of = (load: string, value: number): SectionResult => ({
    ...section('1'),
    tables: [
      {
        title: 'Snapshots',
        columns: ['bets', 'Idempotency-Keys', 'load ms', 'longest piece ms', 'must', 'note', ''],
        rows: [
          ['1,000', '0', load, '-', '5', 'busy', '7'],
          ['1,000', '1,000', '2.50', '3', '5', 'busy', '7'],
        ],
      },
    ],
    ratios: [{ what: 'A to B', value, byCpu: 0.5 }],
  });
  const tables = compareResults([of('1,000', 0.8)], [of('900', 0.4)]);
  assert.deepEqual(
    tables.map(({ rows }) => rows),
    [
      [
        ['1,000, 0 Idempotency-Keys: load ms', '1,000', '900', '-10.0 %'],
        ['1,000, 1,000 Idempotency-Keys: load ms', '2.50', '2.50', '+0.0 %'],
        ['1,000, 1,000 Idempotency-Keys: longest piece ms', '3', '3', '+0.0 %'],
      ],
      [
        ['A to B: ratio', '0.80', '0.40', '-50.0 %'],
        ['A to B: by CPU time', '0.50', '0.50', '+0.0 %'],
      ],
    ],
  );
});

test('the speed table has every goal, maximum or minimum, and says what was not measured', () => {
  const ratio = { what: 'r', value: 0.8, byCpu: 0.7, goal: 'markets' } as const;
  const measured = [
    { goal: 'engineTurn', value: 1.9, beside: 'b' },
    { goal: 'orderBytes', value: 501, beside: '' },
    { goal: 'marketCpuToBare', value: 1.2, beside: '' },
    { goal: 'replay', value: 2_000_000, beside: '' },
  ] as const;
  const rows = speedSection([{ ...section('1'), ratios: [ratio], measured }]).tables[0]?.rows ?? [];
  assert.equal(rows.length, 15);
  const found = rows.filter(([, , , value]) => value !== '-').map((row) => row.slice(1));
  assert.deepEqual(found, [
    ['0.85', '0.95', '0.80', 'times', 'no', 'by CPU time 0.70'],
    ['1.25', '1.05', '1.20', 'times at most', 'must', ''],
    ['10', '3', '1.90', 'ms', 'aim', 'b'],
    ['1,000,000', '2,000,000', '2,000,000', '/s', 'aim', ''],
    ['500', '400', '501', 'bytes', 'no', ''],
  ]);
  assert.match(rows.find(([what]) => what?.startsWith('start to'))?.at(-1) ?? '', /section start/);
});

test('foreign files are named, and so is a folder without a build', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tote-bench-test-'));
  try {
    const [good, bad, other] = [join(dir, 'good.json'), join(dir, 'bad.json'), join(dir, 'other.json')];
    writeFileSync(good, JSON.stringify(run('1,000')));
    writeFileSync(bad, '{}');
    assert.match(compareFiles(good, good), /tote, 64 conns: rate\/s +1,000 +1,000 +\+0\.0 %/);
    assert.ok(!compareFiles(good, good).includes('The runs differ'));
    const quick = run('1,000');
    writeFileSync(other, JSON.stringify({ ...quick, options: { ...quick.options, quick: true } }));
    assert.match(compareFiles(good, other), /The runs differ in quick: false and true\./);
    const isUsage = (pattern: RegExp) => (error: unknown) =>
      error instanceof UsageError && pattern.test(error.message);
    assert.throws(() => compareFiles(good, bad), isUsage(/compare: .*bad\.json is not a file/));
    assert.throws(() => compareFiles(join(dir, 'none.json'), good), isUsage(/compare: .*none\.json/));
    assert.throws(() => mainOf(dir), isUsage(/--pair: .* no dist\/main\.js/));
    writeFileSync(join(dir, 'main.js'), '');
    assert.equal(mainOf(dir), join(dir, 'main.js'));
  } finally {
    rmSync(dir, { recursive: true });
  }
});
