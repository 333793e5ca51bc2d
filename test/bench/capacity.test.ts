/** `npm run capacity`: docs/capacity.md has what it prints, and the figures follow what is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measured } from '../../bench/capacity/measured.js';
import { readOptions, UsageError } from '../../bench/capacity/options.js';
import { type Plan, planOf } from '../../bench/capacity/plan.js';
import { planText } from '../../bench/capacity/tables.js';
import { readDocument } from '../support/document.js';

function planWith(...args: string[]): Plan {
  const given = readOptions(args, measured());
  assert.ok(given !== null);
  return planOf(given);
}

const cellsFor = ({ bounds }: Plan, part: string): number =>
  bounds.find(({ what }) => what.includes(part))?.cells ?? Number.NaN;

test('the document has what the command prints', () => {
  const given = readOptions([], measured());
  assert.ok(given !== null);
  const page = readDocument('docs/capacity.md');
  assert.ok(
    page.includes(`\`\`\`\n${planText(given, planOf(given))}\n\`\`\``),
    'print it again: npm run capacity',
  );
});

test('cells are what the scarcest thing needs, and it stands first', () => {
  const { bounds, cells, machines } = planWith();
  assert.equal(cells, bounds[0]?.cells);
  assert.equal(Math.max(...bounds.map((bound) => bound.cells)), cells);
  assert.equal(machines.servers, 2 * cells);
});

test('twice the orders or the CPU time take twice the cells, more accounts more connections and memory', () => {
  const before = planWith();
  const orders = planWith('--orders', '2000000');
  const slower = planWith('--cpu', `shadowUs=${measured().shadowUs * 2},engineUs=20`);
  const accounts = planWith('--accounts', '20000000');
  for (const part of ['shadow', 'engine', 'journal', 'Idempotency']) {
    const [one, two] = [cellsFor(before, part), cellsFor(orders, part)];
    assert.ok(two >= 2 * one - 1 && two <= 2 * one, part);
    assert.equal(cellsFor(accounts, part), one, part);
  }
  assert.ok(cellsFor(slower, 'shadow') >= 2 * cellsFor(before, 'shadow') - 1);
  assert.ok(cellsFor(slower, 'engine') > 3 * cellsFor(before, 'engine'));
  assert.equal(cellsFor(accounts, 'connections'), 2 * cellsFor(before, 'connections'));
  assert.ok(cellsFor(accounts, 'memory') > cellsFor(before, 'memory'));
});

test('own pools are smaller, differ between cells and take seeds in each; one pool does none of these', () => {
  const [own, shown, one] = planWith().pools;
  assert.ok(own !== undefined && shown !== undefined && one !== undefined);
  assert.ok(own.dollars < one.dollars && own.slippage > one.slippage && own.spread > one.spread);
  assert.deepEqual([own.shownBeside, shown.shownBeside, one.shownBeside], [0, own.spread, 0]);
  assert.equal(own.seeds, one.seeds * planWith().cells);
  const single = planWith('--orders', '1000', '--accounts', '1000');
  assert.equal(single.cells, 1);
  assert.equal(single.pools[0]?.dollars, single.pools[2]?.dollars);
});

test('mistakes on the command line are named', () => {
  for (const args of [
    ['--orders', '0'],
    ['--accounts', 'many'],
    ['--speed', '1'],
    ['--cpu', 'wheelUs=1'],
  ])
    assert.throws(() => readOptions(args, measured()), UsageError);
  assert.equal(readOptions(['--help'], measured()), null);
});
