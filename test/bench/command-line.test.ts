/** The command line of the suite, and how it prints. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../bench/host/server-process.js';
import { figure, tableText } from '../../bench/report/format.js';
import {
  type DriveRun,
  readOptions,
  SECTION_NAMES,
  SLOW_SECTIONS,
  type SuiteRun,
  UsageError,
} from '../../bench/report/options.js';
import { median } from '../../bench/report/section.js';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

function suite(...args: string[]): SuiteRun {
  const run = readOptions(args, NOW_MS);
  assert.ok(run?.kind === 'suite');
  return run;
}
function drive(...args: string[]): DriveRun {
  const run = readOptions(args, NOW_MS);
  assert.ok(run?.kind === 'drive');
  return run;
}

test('defaults, those of a quick run, and given options', () => {
  const [full, quick] = [suite(), suite('--quick')];
  assert.deepEqual(full.sections, SECTION_NAMES);
  assert.deepEqual(
    [full.out, full.durability, full.pair],
    ['bench-results/2026-01-02T03-04-05.json', 'fsync', null],
  );
  assert.ok(quick.rounds < full.rounds && quick.seconds < full.seconds);
  assert.deepEqual(
    SECTION_NAMES.filter((name) => !quick.sections.includes(name)),
    SLOW_SECTIONS,
  );
  assert.deepEqual(suite('--quick', '--only', 'minute').sections, ['minute']);
  const given = suite('--only', 'engine,orders', '--rounds', '3', '--seconds=7', '--out', 'x.json');
  assert.deepEqual(given.sections, ['engine', 'orders']);
  assert.deepEqual([given.rounds, given.seconds, given.out, given.report], [3, 7, 'x.json', 'x.html']);
  assert.equal(suite('--pair', '../other').pair, '../other');
  assert.equal(readOptions(['--help'], NOW_MS), null);
});

test('a server that runs already: its address, the mix, and the load', () => {
  const run = drive('--url', 'https://host', '--keys', 'keys.txt');
  assert.deepEqual([run.url, run.keys, run.rate, run.connections], ['https://host/v1', 'keys.txt', 100, 64]);
  assert.deepEqual(run.mix, { orders: 10, market: 60, markets: 20, positions: 10 });
  const other = drive(
    '--url',
    'http://[::1]:8080/api/v1/',
    '--keys',
    'k',
    '--mix',
    'account=1, prices=2,orders=0',
  );
  assert.deepEqual([other.url, other.mix], ['http://[::1]:8080/api/v1', { account: 1, prices: 2 }]);
});

test('mistakes name the option', () => {
  const url = ['--url', 'http://host', '--keys', 'k'];
  for (const [args, message] of [
    [['--only', 'order'], /--only: "order"/],
    [['--rounds', '0'], /--rounds: "0"/],
    [['--seconds', '1.5'], /--seconds: "1.5"/],
    [['--durability', 'none'], /--durability: "none"/],
    [['--qick'], /qick/],
    [['--pair', 'x', '--only', 'orders'], /--pair: /],
    [['--rate', '5'], /--rate: goes only with --url/],
    [[...url, '--quick'], /--quick: goes not with --url/],
    [['--url', 'http://host'], /--keys: name the file/],
    [['--url', 'host', '--keys', 'k'], /--url: "host"/],
    [[...url, '--mix', 'order=1'], /--mix: "order" is none of orders, /],
    [[...url, '--mix', 'orders'], /--mix: "orders" is not orders=SHARE/],
    [[...url, '--mix', 'orders=0'], /asks for nothing/],
    [['surplus'], /surplus/],
  ] as const) {
    const isRight = (error: unknown): boolean => error instanceof UsageError && message.test(error.message);
    assert.throws(() => readOptions(args, NOW_MS), isRight, args.join(' '));
  }
});

test('servers run with the flags of npm start', () => {
  const file = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  assert.ok(scripts.start.endsWith(`exec node ${NODE_FLAGS.join(' ')} dist/main.js`), scripts.start);
});

test('the median of an even number is the mean of the middle two', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([4, 1, 2, 9]), 3);
  assert.ok(Number.isNaN(median([])));
});

test('figures and tables line up', () => {
  const figures = [1, 1.234, 12.34, 1234567.8, Number.NaN].map(figure);
  assert.deepEqual(figures, ['1', '1.23', '12.3', '1,234,568', '-']);
  const rows = [
    ['long name', '1'],
    ['x', '1,000'],
  ];
  const text = tableText({ title: 'T', columns: ['name', 'n'], rows });
  assert.deepEqual(text.split('\n').slice(4, 6), ['long name      1', 'x          1,000']);
});
