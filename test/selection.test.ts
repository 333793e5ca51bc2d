/** Every file of the suite runs once, the slow ones first; the fast ones are those of two folders. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { select } from './selection.js';

const folder = dirname(fileURLToPath(import.meta.url));
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.js'),
);

test('all files run, each once, and a slow one first', () => {
  const all = select(paths, { parts: [], isFast: false });
  assert.deepEqual(all.toSorted(), paths.toSorted());
  assert.equal(all[0], 'torture/torture.test.js');
});

test('parts narrow the run, fast leaves out slow files and other folders', () => {
  assert.deepEqual(select(paths, { parts: ['selection'], isFast: false }), ['selection.test.js']);
  const fast = select(paths, { parts: [], isFast: true });
  assert.ok(fast.includes('engine/rounds/fairness.test.js') && fast.includes('http/kit/params.test.js'));
  assert.ok(!fast.includes('engine/memory.test.js') && !fast.includes('main.test.js'));
});

test('a slow file that was moved is detected', () => {
  const others = paths.filter((path) => path !== 'main.test.js');
  assert.throws(() => select(others, { parts: [], isFast: false }), /not there: main\.test\.js/);
});
