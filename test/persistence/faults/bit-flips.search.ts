/**
 * One flipped bit anywhere in the journal's files: recovery gives exactly the acknowledged batches, or refuses. Flips
 * in unused bytes (free space in a page, the padding of the mark) may pass. `TOTE_TEST_SEED` chooses other flips.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { byEffort } from '../../support/effort.js';
import { digestsOf } from '../../support/engine/snapshots.js';
import { Rng } from '../../support/reference/random/rng.js';
import { randomEngine } from '../../support/reference/random/stream.js';
import {
  refusal,
  temporaryDir,
  type Written,
  writeJournal,
  writeSegments,
} from '../support/journal-files.js';
import { type Files, filesOf, Judge } from '../support/judge.js';

const FLIPS = byEffort({ test: 200, prove: 2_000, night: 20_000 });
const SNAPSHOT_FLIPS_EACH = byEffort({ test: 50, prove: 300, night: 5_000 });
const SEED = Number(process.env['TOTE_TEST_SEED'] ?? 20_251_121);
const BATCHES = 24;

function cleanFiles({ dir, store }: Written): Files {
  store.close();
  return filesOf(dir);
}

function killedFiles({ dir, store }: Written): Files {
  const files = filesOf(dir);
  store.close();
  return files;
}

const stopped = (folder: string): Files => cleanFiles(writeJournal(folder, BATCHES));
const halfInWal = (folder: string): Files => killedFiles(writeJournal(folder, BATCHES, BATCHES / 2));

function flipped(whole: Buffer, bit: number): Buffer {
  const content = Buffer.from(whole);
  content.writeUInt8(content.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return content;
}

/** `share` of all flips goes into the files whose names match; returns the share that was refused. */
function flipBits(t: TestContext, files: Files, isTarget: RegExp, share: number): number {
  const targets = [...files.keys()].filter((name) => isTarget.test(name));
  assert.ok(targets.length > 0);
  const judge = new Judge(t, BATCHES, BATCHES);
  assert.equal(judge.judge(files, 'no flip').code, null);
  const rng = new Rng(SEED);
  const count = Math.ceil(FLIPS * share);
  let refused = 0;
  for (let flip = 0; flip < count; flip += 1) {
    const name = must(targets[rng.below(targets.length)], 'a file');
    const whole = must(files.get(name), name);
    const bit = rng.below(whole.length * 8);
    const content = flipped(whole, bit);
    const what = `seed ${SEED}, flip ${flip}: bit ${bit} of ${name}`;
    if (judge.judge(new Map(files).set(name, content), what).code !== null) refused += 1;
  }
  t.diagnostic(`${count} flips, ${refused} refused`);
  return refused / count;
}

type Case = [where: string, files: (folder: string) => Files, RegExp, share: number, refused: number];
const CASES: readonly Case[] = [
  ['sealed segments', (folder) => cleanFiles(writeSegments(folder, BATCHES)), /001\.db$|035\.db$/, 0.25, 0.2],
  ['the open segment after a clean stop', stopped, /\.db$/, 0.2, 0.2],
  ['the open segment after a kill, with half of the batches in the WAL', halfInWal, /\.db$/, 0.15, -1],
  ['the WAL after a kill', halfInWal, /-wal$/, 0.3, 0.5],
  ['the mark', (folder) => killedFiles(writeJournal(folder, BATCHES)), /^mark$/, 0.1, -1],
];

for (const [where, filesIn, isTarget, share, least] of CASES) {
  test(`in ${where}`, (t) => {
    const refused = flipBits(t, filesIn(temporaryDir(t)), isTarget, share);
    assert.ok(refused > least, `many bits mean something: ${refused} refused`);
  });
}

for (const seed of [1, 2, 3]) {
  test(`in a snapshot each one is detected, even in unused bytes: its name proves them, seed ${seed}`, (t) => {
    const files = new SnapshotFiles(temporaryDir(t));
    const engine = randomEngine(seed, 600);
    const ref = files.save(engine, 'c'.repeat(64));
    const whole = readFileSync(ref.name);
    const rng = new Rng(seed);
    for (let flip = 0; flip < SNAPSHOT_FLIPS_EACH; flip += 1) {
      const bit = rng.below(whole.length * 8);
      writeFileSync(ref.name, flipped(whole, bit));
      assert.throws(() => files.load(ref), refusal('snapshot_damaged'), `bit ${bit}`);
    }
    writeFileSync(ref.name, whole);
    assert.equal(digestsOf(files.load(ref).engine), digestsOf(engine), 'unflipped it is good again');
  });
}
