/** The command line of the suite, and how it prints. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  readOptions,
  SECTION_NAMES,
  SLOW_SECTIONS,
  type SuiteRun,
  UsageError,
} from '../../bench/report/options.js';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

function suite(...args: string[]): SuiteRun {
  const run = readOptions(args, NOW_MS);
  assert.ok(run?.kind === 'suite');
  return run;
}

test('defaults, those of a quick run, and given options', () => {
  const [full, quick] = [suite(), suite('--quick')];
  assert.deepEqual(full.sections, SECTION_NAMES);
  const shown = [full.out, full.durability, full.pair];
  assert.deepEqual(shown, ['bench-results/2026-01-02T03-04-05.json', 'fsync', null]);
  assert.ok(quick.rounds < full.rounds && quick.seconds < full.seconds);
  const left = SECTION_NAMES.filter((name) => !quick.sections.includes(name));
  assert.deepEqual(left, SLOW_SECTIONS);
  assert.deepEqual(suite('--quick', '--only', 'minute').sections, ['minute']);
  const given = suite('--only', 'engine,orders', '--rounds', '3', '--seconds=7', '--out', 'x.json');
  assert.deepEqual(given.sections, ['engine', 'orders']);
  assert.deepEqual([given.rounds, given.seconds, given.out, given.report], [3, 7, 'x.json', 'x.html']);
  const { pair, sections } = suite('--pair', '../other');
  assert.deepEqual([pair, sections], ['../other', []]);
});

test('mistakes name the option', () => {
  const url = ['--url', 'http://host', '--keys', 'k'];
  for (const [args, message] of [
    [['--only', 'order'], /--only .*"order" is none/],
    [['--rounds', '0'], /--rounds .* whole number from 1 to 99/],
    [['--seconds', '1.5'], /--seconds .*'1.5' is invalid/],
    [['--only', 'orders,herd', '--seconds', '7'], /--seconds: goes not with --only herd/],
    [['--only', 'orders,minute', '--rounds', '7'], /--rounds: goes not with --only minute/],
    [['--durability', 'none'], /--durability .*'none' is invalid/],
    [['--qick'], /qick/],
    [['--pair', 'x', '--only', 'orders'], /--pair .* cannot be used with option '--only/],
    [['--rate', '5'], /--rate: goes only with --url/],
    [[...url, '--quick'], /--quick: goes not with --url/],
    [['--url', 'http://host'], /--keys: name the file/],
    [['--url', 'host', '--keys', 'k'], /--url .*'host' is invalid/],
    [['--url', 'http://user:word@host', '--keys', 'k'], /--url .* A user and a password/],
    [[...url, '--mix', 'order=1'], /--mix .*"order" is none of orders, /],
    [[...url, '--mix', 'orders'], /--mix .*"orders" is not orders=SHARE/],
    [[...url, '--mix', 'orders=0'], /asks for nothing/],
    [['surplus'], /too many arguments/],
  ] as const) {
    const isRight = (error: unknown): boolean => error instanceof UsageError && message.test(error.message);
    assert.throws(() => readOptions(args, NOW_MS), isRight, args.join(' '));
  }
});

test('economics of a case that nobody knows are a mistake, and no all-clear', () => {
  const main = fileURLToPath(new URL('../../bench/economics/main.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, '--paths', 'none'], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [2, 'no case has such paths, time frames and bettors\n']);
});
