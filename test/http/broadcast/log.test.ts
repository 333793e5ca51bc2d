/** The broadcast log: readers get every record, or learn that they were overtaken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BroadcastReader, LogWriter, logMemory } from '../../../http/broadcast/log.js';
import { forAll } from '../../support/for-all.js';

const FORM = { records: 1024, fields: 3 };

function append(writer: LogWriter, seq: number): void {
  const at = writer.begin();
  writer.cells[at] = seq;
  writer.cells[at + 1] = seq * 2;
  writer.cells[at + 2] = -seq;
}

test('a reader gets each record as it was written, or is told that it was overwritten', () => {
  forAll(fc.array(fc.nat(700), { minLength: 1, maxLength: 12, size: 'max' }), (bursts) => {
    const memory = logMemory(FORM);
    const writer = new LogWriter(memory, FORM);
    const reader = new BroadcastReader(memory, FORM);
    const into = new Float64Array(FORM.fields);
    let written = 0;
    for (const burst of bursts) {
      for (let count = 0; count < burst; count++) append(writer, written++);
      assert.ok(reader.end <= written, 'nothing is seen before it is published');
      writer.publish();
      assert.equal(reader.end, written);
      for (let record = 0; record < written; record++) {
        if (reader.read(record, into)) assert.deepEqual([...into], [record, record * 2, -record]);
        else assert.ok(written - record > FORM.records / 2 - 1, 'the newer half is always there');
      }
    }
  });
});

test('firstAfter finds where to resume, and never skips what may be gone', () => {
  forAll(
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3_000, size: 'max' }),
    fc.nat(4_000),
    (steps, since) => {
      const memory = logMemory(FORM);
      const writer = new LogWriter(memory, FORM);
      const reader = new BroadcastReader(memory, FORM);
      const seqs: number[] = [];
      let seq = 0;
      for (const step of steps) {
        seq += step;
        seqs.push(seq);
        append(writer, seq);
      }
      writer.publish();
      const first = seqs.findIndex((one) => one > since);
      const found = reader.firstAfter(since);
      if (found === null) assert.ok(first >= 0 && first <= reader.begin);
      else assert.equal(found, first < 0 ? seqs.length : first);
    },
  );
});

test('a reader that first looks after billions of records gets the right positions', () => {
  const memory = logMemory(FORM);
  const control = new BigInt64Array(memory, 0, 16);
  for (const count of [2 ** 31 + 5, 2 ** 32 + 5, 2 ** 45]) {
    control[0] = BigInt(count);
    control[8] = BigInt(count);
    const reader = new BroadcastReader(memory, FORM);
    assert.deepEqual([reader.end, reader.begin], [count, count - FORM.records]);
  }
});
