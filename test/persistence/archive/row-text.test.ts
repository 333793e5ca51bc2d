/** The text of a block is the JSON of its rows, however it is written, and each row can be read by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveCell } from '../../../persistence/archive/form/columns.js';
import { RowText, rowOfText, rowStarts, rowsOfText } from '../../../persistence/archive/form/row-text.js';
import { randomOf } from '../support/journal-files.js';

const text = new RowText();

function same(...rows: ArchiveCell[][]): void {
  for (const row of rows) text.add(row);
  const written = text.take();
  assert.equal(written, `[${rows.map((row) => JSON.stringify(row)).join(',\n')}]`);
  assert.deepEqual(rowsOfText(written), JSON.parse(JSON.stringify(rows)));
  const starts = rowStarts(written);
  assert.equal(starts.length, rows.length + 1);
  for (const [index, row] of rows.entries()) {
    assert.deepEqual(rowOfText(written, starts, index), JSON.parse(JSON.stringify(row)));
  }
}

test('every kind of cell is written as JSON', () => {
  const words = [
    ...['', 'UP', 'BTC_ONE_MINUTE', '~ !', 'a"b', 'a\\b', 'a\nb', ',\n', '\u007f', 'é', '\ud800', '😀'],
  ];
  const texts = [...words, 'x'.repeat(900), 'x'.repeat(40_000), 'é'.repeat(20_000), '\u0000'.repeat(30_000)];
  const numbers = [0, -0, 1, -1, 0.1, -2.5, 1e21, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 53];
  for (const cell of [null, ...texts, ...numbers]) {
    same([cell]);
    same([7, cell, 'DOWN', cell, null], [8, 'UP'], [cell, 9]);
  }
  same(Array.from({ length: 4_000 }, (_, index) => index * 1_000_003));
  same(...Array.from({ length: 500 }, (_, index) => [index, 'BTC_ONE_MINUTE', null]));
});

test('so are integers of every length', () => {
  for (let power = 1; power <= Number.MAX_SAFE_INTEGER; power *= 10) {
    for (const step of [-1, 0, 1]) same([power + step, -(power + step)]);
  }
  const random = randomOf(6);
  for (let count = 0; count < 5_000; count++) {
    same([random(2 ** 31) * random(2 ** 22), 'WIN', random(10 ** (1 + random(9)))]);
  }
});

test('so are only the first cells of a row', () => {
  text.add([1, 'UP', null, 1.5], 2);
  text.add([2], 1);
  assert.equal(text.take(), '[[1,"UP"],\n[2]]');
});
