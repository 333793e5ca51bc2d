/** A snapshot with any flipped bit is refused: its name proves every bit, even unused ones. */
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { byEffort } from '../../support/effort.js';
import { digestsOf } from '../../support/engine/snapshots.js';
import { randomEngine } from '../../support/reference/random/stream.js';
import { randomOf, refusal, temporaryDir } from '../support/journal-files.js';

const FLIPS_EACH = byEffort({ test: 50, prove: 300, night: 5_000 });
const SEEDS = [1, 2, 3];

for (const seed of SEEDS) {
  test(`every flipped bit of a snapshot is detected, seed ${seed}`, (t) => {
    const files = new SnapshotFiles(temporaryDir(t));
    const engine = randomEngine(seed, 600);
    const ref = files.save(engine, 'c'.repeat(64));
    const random = randomOf(seed);
    const bits = statSync(ref.name).size * 8;
    const fd = openSync(ref.name, 'r+');
    for (let flip = 0; flip < FLIPS_EACH; flip += 1) {
      const bit = random(bits);
      flipBit(fd, bit);
      assert.throws(() => files.load(ref), refusal('snapshot_damaged'), `bit ${bit} of ${bits}`);
      flipBit(fd, bit);
    }
    closeSync(fd);
    assert.equal(digestsOf(files.load(ref).engine), digestsOf(engine), 'unflipped it is good again');
  });
}

function flipBit(fd: number, bit: number): void {
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, bit >> 3);
  byte[0] = (byte[0] ?? 0) ^ (1 << (bit & 7));
  writeSync(fd, byte, 0, 1, bit >> 3);
}
