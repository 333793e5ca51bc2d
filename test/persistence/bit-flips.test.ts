/**
 * One flipped bit anywhere in the journal's files: recovery gives exactly the acknowledged batches, or refuses.
 * It never gives others, fewer or more, and what it vouches for can be appended to.
 *
 * Bytes that mean nothing (free space in a page, the padding of the mark) may pass.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commitBatch } from '../../persistence/commit.js';
import type { DataDir } from '../../persistence/data-dir.js';
import { JournalError } from '../../persistence/errors.js';
import { walPath } from '../../persistence/segment-files.js';
import { SqliteStore } from '../../persistence/sqlite-store.js';
import {
  batchAt,
  batchesUpTo,
  crashImage,
  onlySegment,
  plain,
  randomOf,
  recover,
  temporaryDir,
  writeJournal,
} from './journal-files.js';

const FLIPS = 80;
const BATCHES = 40;
const SEED = 20_251_121;

interface Tally {
  refused: number;
  passed: number;
}

/** Flips `FLIPS` random bits of a file, each in a fresh image of `dir`, and recovers. */
function flipBits(t: TestContext, dir: DataDir, fileOf: (dir: DataDir) => string): Tally {
  const scratch = temporaryDir(t);
  const random = randomOf(SEED);
  const tally = { refused: 0, passed: 0 };
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const image = crashImage(dir, join(scratch, String(flip)));
    const file = fileOf(image);
    const content = readFileSync(file);
    const bit = random(content.length * 8);
    const byte = bit >> 3;
    content[byte] = (content[byte] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(file, content);
    if (recoversWhole(image, `seed ${SEED}, flip ${flip}: bit ${bit} of ${file}`)) tally.passed += 1;
    else tally.refused += 1;
    rmSync(image.root, { recursive: true });
  }
  return tally;
}

/** False where recovery refuses; fails the test where it gives anything but the acknowledged batches. */
function recoversWhole(image: DataDir, what: string): boolean {
  try {
    assert.deepEqual(recover(image).given, batchesUpTo(BATCHES), what);
    const store = SqliteStore.open(image, 'fsync');
    for (let index = BATCHES; index < BATCHES + 3; index += 1) commitBatch(store, batchAt(index));
    const reread = [...store.readBatches(0)].map(plain);
    store.close();
    assert.deepEqual(reread, batchesUpTo(BATCHES + 3), `appended after ${what}`);
    return true;
  } catch (thrown) {
    if (thrown instanceof JournalError) return false;
    throw thrown;
  }
}

test('in the database after a clean stop', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), BATCHES);
  store.close();
  const { refused } = flipBits(t, dir, onlySegment);
  assert.ok(refused > FLIPS / 3, `most bits of a full page mean something: ${refused} of ${FLIPS} refused`);
});

test('in the database after a kill, with half of the batches in the WAL', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), BATCHES, BATCHES / 2);
  flipBits(t, dir, onlySegment);
  store.close();
});

test('in the WAL after a kill', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), BATCHES, BATCHES / 2);
  const { refused } = flipBits(t, dir, (image) => walPath(onlySegment(image)));
  assert.ok(refused > FLIPS / 2, `a damaged frame hides those behind it: ${refused} of ${FLIPS} refused`);
  store.close();
});

test('in the mark', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), BATCHES);
  flipBits(t, dir, (image) => image.markFile);
  store.close();
});
