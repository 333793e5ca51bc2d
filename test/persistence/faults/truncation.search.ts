/**
 * The journal's files truncated within their last batches, at night at every byte, and a WAL that is bad in its
 * middle. A journal that ends past the mark is recovered as far as it is complete; below the mark a start is refused.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import type { Durability } from '../../../persistence/journal/segment/open.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { byEffort } from '../../support/effort.js';
import {
  alterDatabase,
  batchAt,
  onlySegment,
  recover,
  segmentAt,
  stopped,
  temporaryDir,
  writeSegments,
} from '../support/journal-files.js';
import { type Files, filesOf, Judge } from '../support/judge.js';

const BATCHES = 14;
const LAST = 2;
/** No divisor of a page's or a frame's length, so that the cuts fall everywhere in them. */
const STRIDE_BYTES = byEffort({ test: 41, prove: 11, night: 1 });
const PAGE_BYTES = 512;
const FRAME_BYTES = PAGE_BYTES + 24;
interface Killed {
  readonly files: Files;
  /** After so many batches. */
  readonly marks: readonly Buffer[];
  readonly walName: string;
  /** After so many batches. */
  readonly walBytes: readonly number[];
}

/** All of it in a WAL of small pages, so that there are few bytes to cut at. */
function killedJournal(t: TestContext, durability: Durability = 'fsync'): Killed {
  const dir = openDataDir(join(temporaryDir(t), 'data'));
  recover(dir);
  const path = onlySegment(dir);
  const smaller = `PRAGMA journal_mode = DELETE; PRAGMA page_size = ${PAGE_BYTES}; VACUUM`;
  alterDatabase(path, smaller, 'PRAGMA journal_mode = WAL');
  const store = SqliteStore.open(dir, durability);
  const marks = [readFileSync(dir.markFile)];
  const walBytes = [0];
  for (let index = 0; index < BATCHES; index += 1) {
    commitBatch(store, batchAt(index));
    marks.push(readFileSync(dir.markFile));
    walBytes.push(readFileSync(`${path}-wal`).length);
  }
  const files = filesOf(dir);
  store.close();
  return { files, marks, walName: `${basename(path)}-wal`, walBytes };
}

/** The verdict on the killed journal with another WAL, and the mark of so many batches. */
function judged(judge: Judge, killed: Killed, marked: number, change: (wal: Buffer) => Buffer, what: string) {
  const { files, marks, walName } = killed;
  const wal = change(Buffer.from(must(files.get(walName), 'the WAL')));
  const changed = new Map(files).set(walName, wal).set('mark', must(marks[marked], 'a mark'));
  return judge.judge(changed, what);
}

function lengthsToCutTo(from: number, to: number, ends: readonly number[]): number[] {
  const lengths: number[] = [];
  for (let bytes = from; bytes <= to; bytes += 1) {
    const isBesideAnEnd = ends.some((end) => Math.abs(end - bytes) <= 1);
    if (isBesideAnEnd || (bytes - from) % STRIDE_BYTES === 0) lengths.push(bytes);
  }
  return lengths;
}

test('a WAL cut within its last batches', (t) => {
  const killed = killedJournal(t);
  const marked = BATCHES - LAST;
  const judge = new Judge(t, marked, BATCHES);
  const from = must(killed.walBytes[marked - 1], 'a length');
  const whole = must(killed.walBytes[BATCHES], 'a length');
  const seen = new Map<number, number>();
  let refused = 0;
  for (const bytes of lengthsToCutTo(from, whole, killed.walBytes)) {
    const verdict = judged(judge, killed, marked, (wal) => wal.subarray(0, bytes), `cut at ${bytes}`);
    const expected = killed.walBytes.findLastIndex((length) => length <= bytes);
    if (expected >= marked) {
      assert.equal(verdict.batches, expected, `cut at ${bytes}: ${verdict.sentence}`);
      seen.set(expected, (seen.get(expected) ?? 0) + 1);
    } else {
      assert.equal(verdict.code, 'journal_incomplete', verdict.sentence);
      const { firstSeq, lastSeq } = batchAt(marked - 1);
      const missing = `${lastSeq} was acknowledged: ${firstSeq} to ${lastSeq} are missing`;
      assert.ok(verdict.sentence.includes(missing), verdict.sentence);
      refused += 1;
    }
  }
  assert.deepEqual([...seen.keys()], [12, 13, 14]);
  assert.ok(refused > FRAME_BYTES / STRIDE_BYTES);
});

/** Within its last page, before the zeros at its end, which reading a short page gives back. */
function cutLastPage(t: TestContext, files: Files, name: string): void {
  const judge = new Judge(t, 30, 30);
  const content = must(files.get(name), name);
  assert.equal(judge.judge(files, 'whole').code, null);
  const end = content.findLastIndex((byte) => byte !== 0) + 1;
  for (const bytes of lengthsToCutTo(end - 4_096, end - 1, [end])) {
    const short = content.subarray(0, bytes);
    const { code, sentence } = judge.judge(new Map(files).set(name, short), `${name} cut at ${bytes}`);
    assert.ok(code === 'journal_corrupt' || code === 'journal_incomplete', `cut at ${bytes}: ${code}`);
    assert.ok(sentence.includes(name) || /are missing/.test(sentence), sentence);
  }
}

for (const index of [1, -1])
  test(`${index > 0 ? 'a sealed' : 'the open'} segment cut within its last page`, (t) => {
    const dir = stopped(writeSegments(temporaryDir(t), 30));
    cutLastPage(t, filesOf(dir), basename(segmentAt(dir, index)));
  });

function spoilFrame(wal: Buffer, endOfFrame: number): Buffer {
  const at = endOfFrame - PAGE_BYTES / 2;
  wal.writeUInt8(wal.readUInt8(at) ^ 0x10, at);
  return wal;
}

test('a bad frame with commits behind it is damage, not the end, however old the mark', (t) => {
  const killed = killedJournal(t);
  const judge = new Judge(t, 0, BATCHES);
  for (let batch = 1; batch < BATCHES; batch += 1) {
    const end = must(killed.walBytes[batch], 'a length');
    // The first frame of the next commit may be bad, too.
    for (const ends of [[end], [end, end + FRAME_BYTES]])
      for (const marked of [0, batch - 1, BATCHES]) {
        const spoiled = (wal: Buffer): Buffer => ends.reduce(spoilFrame, wal);
        const { code, sentence } = judged(judge, killed, marked, spoiled, `batch ${batch}, mark ${marked}`);
        assert.equal(code, 'journal_corrupt');
        assert.match(sentence, /frame \d+ of its WAL is bad, and whole commits stand behind it/);
      }
  }
});

test('a bad frame in the last commit is the end, unless the mark says that it was acknowledged', (t) => {
  const killed = killedJournal(t);
  const judge = new Judge(t, BATCHES - 1, BATCHES);
  const end = must(killed.walBytes[BATCHES], 'a length');
  const torn = judged(judge, killed, BATCHES - 1, (wal) => spoilFrame(wal, end), 'torn');
  assert.deepEqual(torn, { code: null, sentence: '', batches: BATCHES - 1 });
  const acknowledged = judged(judge, killed, BATCHES, (wal) => spoilFrame(wal, end), 'lost');
  assert.equal(acknowledged.code, 'journal_incomplete');
});

test('without a sync for each commit such a gap may be the end, and only the mark can refuse it', (t) => {
  const killed = killedJournal(t, 'os');
  const judge = new Judge(t, 5, BATCHES);
  const end = must(killed.walBytes[7], 'a length');
  const early = judged(judge, killed, 5, (wal) => spoilFrame(wal, end), 'past the mark');
  assert.deepEqual(early, { code: null, sentence: '', batches: 6 });
  const late = judged(judge, killed, 7, (wal) => spoilFrame(wal, end), 'below the mark');
  assert.equal(late.code, 'journal_incomplete');
});

test('frames of an earlier use of the WAL behind its end are not damage', (t) => {
  const killed = killedJournal(t);
  const judge = new Judge(t, BATCHES, BATCHES);
  const leftOver = killedJournal(t).files.get(killed.walName);
  const longer = (wal: Buffer): Buffer => Buffer.concat([wal, must(leftOver, 'a WAL').subarray(32)]);
  const verdict = judged(judge, killed, BATCHES, longer, 'left-overs');
  assert.deepEqual(verdict, { code: null, sentence: '', batches: BATCHES });
});
