/** The HTML report and the comparison of two runs. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { ownEnvironment } from '../../bench/host/environment.js';
import { reportHtml } from '../../bench/report/html.js';
import { readOptions } from '../../bench/report/options.js';
import type { Plot, SectionResult } from '../../bench/report/section.js';
import { speedSection } from '../../bench/report/speed-table.js';

const PLOT: Plot = {
  ...{ title: 'Rate <by> "connections"', xLabel: 'connections', yLabel: 'requests/s' },
  ...{ xLog: true, yLog: false },
  series: [{ name: 'a & b', points: [10, 1_000, 100].map((x) => [x, x === 100 ? Number.NaN : x / 10]) }],
};
const SECTION: SectionResult = {
  ...{ name: 'orders', ratios: [], notes: ['<b>'], plots: [PLOT], data: 0 },
  tables: [
    {
      ...{ title: 'T', columns: ['system', 'conns', 'rate/s', 'client CPU'] },
      rows: ['1,000', '10'].map((rate) => ['tote', '64', rate, '50 %']),
    },
  ],
};

test('the report is one file that loads and runs nothing, and escapes names', () => {
  const options = readOptions([], 0);
  assert.ok(options !== null);
  const environment = ownEnvironment(tmpdir(), 'fsync', { server: null, client: null });
  const html = reportHtml({ environment, options, results: [SECTION] });
  assert.ok(!/<script|<link|<img|src=|href=|url\(|@import/i.test(html));
  assert.ok(html.includes('<svg') && !html.includes('NaN'), 'what has no figure is not drawn');
  assert.ok(html.includes('<td>1,000</td>') && html.includes('&lt;b&gt;') && !html.includes('<b>'));
  assert.ok(html.includes('Rate &lt;by&gt; &quot;connections&quot;') && html.includes('>a &amp; b</text>'));
});

test('the speed table has every goal, maximum or minimum, and says what was not measured', () => {
  const measured = [
    { goal: 'markets', value: 0.8, beside: 'by CPU time 0.70' },
    { goal: 'engineTurn', value: 1.9, beside: 'b' },
    { goal: 'orderBytes', value: 460, beside: '' },
    { goal: 'marketCpuToBare', value: 1.2, beside: '' },
    { goal: 'replay', value: 2_000_000, beside: '' },
  ] as const;
  const rows = speedSection([{ ...SECTION, measured }]).tables[0]?.rows ?? [];
  assert.equal(rows.length, 20);
  const found = rows.filter(([, , , value]) => value !== '-').map((row) => row.slice(1));
  assert.deepEqual(found, [
    ['0.85', '0.95', '0.80', 'times', 'no', 'by CPU time 0.70'],
    ['1.15', '1.05', '1.20', 'times at most', 'no', ''],
    ['10', '3', '1.90', 'ms', 'aim', 'b'],
    ['1,000,000', '2,000,000', '2,000,000', '/s', 'aim', ''],
    ['465', '350', '460', 'bytes', 'must', ''],
  ]);
  assert.match(rows.find(([what]) => what?.startsWith('start to'))?.at(-1) ?? '', /section start/);
});
