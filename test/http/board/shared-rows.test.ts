/** Rows in shared memory: every reader sees whole rows, the newest at last, while one thread writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { factsMemory, SharedRows } from '../../../http/board/shared-rows.js';

const FIELDS = 9;

test('a row is what was written last, and its version says that it is another', () => {
  const facts = new SharedRows(factsMemory(2, FIELDS), 2, FIELDS);
  const into = new Float64Array(FIELDS);
  const before = [facts.version, facts.versionOf(0), facts.versionOf(1)];
  for (let value = 1; value <= 5; value++) {
    facts.write(1, new Float64Array(FIELDS).fill(value));
    assert.equal(facts.read(1, into), facts.versionOf(1));
    assert.ok(into.every((field) => field === value));
  }
  facts.read(0, into);
  assert.ok(into.every((field) => field === 0));
  assert.equal(facts.versionOf(0), before[1]);
  assert.notEqual(facts.version, before[0]);
});

const WRITER = `
  const { workerData } = require('node:worker_threads');
  import(workerData.module).then(({ SharedRows }) => {
    const facts = new SharedRows(workerData.memory, 1, workerData.fields);
    const row = new Float64Array(workerData.fields);
    for (let value = 1; value <= workerData.count; value++) {
      row.fill(value);
      facts.write(0, row);
    }
  });
`;

test('no reader sees half a row, and none sees an older one after a newer', async () => {
  const memory = factsMemory(1, FIELDS);
  const count = 300_000;
  const module = new URL('../../../http/board/shared-rows.js', import.meta.url).href;
  const worker = new Worker(WRITER, { eval: true, workerData: { memory, fields: FIELDS, count, module } });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  const facts = new SharedRows(memory, 1, FIELDS);
  const into = new Float64Array(FIELDS);
  let newest = 0;
  while (newest < count) {
    for (let look = 0; look < 10_000; look++) {
      facts.read(0, into);
      const [value = -1] = into;
      const isWhole = into.every((field) => field === value);
      assert.ok(isWhole, `a torn row: ${into}`);
      assert.ok(value >= newest, `${value} after ${newest}`);
      newest = value;
    }
    await Promise.race([new Promise(setImmediate), failed]);
  }
});
