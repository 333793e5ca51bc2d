/** The archive's checksum is that of the cells' JSON, however it is computed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArchiveCell, archiveChecksum } from '../../../persistence/archive/checksum.js';
import { crcHex } from '../../../persistence/journal/segment/batch-row.js';
import { randomOf } from '../support/journal-files.js';

const same = (cells: readonly ArchiveCell[]): void =>
  assert.equal(archiveChecksum(cells), crcHex(JSON.stringify(cells)), JSON.stringify(cells));

test('the checksum equals the plain one for every kind of cell', () => {
  same([]);
  const words = ['', 'UP', 'BTC_ONE_MINUTE', '~ !', 'a"b', 'a\\b', 'a\nb', '\u007f', 'é', '\ud800', '😀'];
  const texts = [...words, 'x'.repeat(900), 'x'.repeat(1_000), 'é'.repeat(2_000)];
  const numbers = [0, -0, 1, -1, 0.1, -2.5, 1e21, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 53];
  for (const cell of [null, ...texts, ...numbers]) {
    same([cell]);
    same([7, cell, 'DOWN', cell, null]);
  }
  same(Array.from({ length: 400 }, (_, index) => index * 1_000_003));
});

test('so for integers of every length', () => {
  for (let power = 1; power <= Number.MAX_SAFE_INTEGER; power *= 10) {
    for (const step of [-1, 0, 1]) same([power + step, -(power + step)]);
  }
  const random = randomOf(6);
  for (let count = 0; count < 5_000; count++) {
    same([random(2 ** 31) * random(2 ** 22), 'WIN', random(10 ** (1 + random(9)))]);
  }
});

test('so for only the first cells', () => {
  const cells = [1, 'UP', null, 1.5];
  for (let count = 0; count <= cells.length; count++) {
    assert.equal(archiveChecksum(cells, count), archiveChecksum(cells.slice(0, count)));
  }
});
