/**
 * Reading ahead on a thread compared with reading row by row: the same batches from every journal, and the same error
 * at the same place from a damaged one, whatever happens to the thread.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { journalReplayRate, writeJournal } from '../../../bench/journal/journaling.js';
import { must } from '../../../engine/base/assert.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { JournalError } from '../../../persistence/errors.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { type JournalReader, openJournalReader } from '../../../persistence/journal/reader.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { readAhead } from '../../../persistence/replay/read-ahead.js';
import { type DecodedBatch, decodeBatches } from '../../../persistence/replay/replay.js';
import { anyCommand, anyOrder } from '../../support/engine/any-command.js';
import { CLOCK, crashImage, randomOf, recover, temporaryDir } from '../support/journal-files.js';

const SMALL_SEGMENT_BYTES = 60_000;
const LARGE_SEGMENT_BYTES = 100_000_000;
/** More than the thread keeps ready. */
const MANY_ORDERS = 40_000;

interface Outcome {
  readonly batches: readonly DecodedBatch[];
  readonly error: string;
}

/** Everything that comes of `batches`, and what ended it. */
function outcomeOf(batches: Iterable<DecodedBatch>): Outcome {
  const got: DecodedBatch[] = [];
  try {
    for (const { row, commands } of batches) {
      const { firstSeq, lastSeq, digest, checksum } = row;
      got.push({ row: { firstSeq, lastSeq, digest, checksum }, commands });
    }
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    return { batches: got, error: `${thrown.code} ${thrown.message}` };
  }
  return { batches: got, error: '' };
}

/** The result of both, which must be the same. */
function bothWays(dir: DataDir, afterSeq = 0): Outcome {
  return withReader(dir, (reader) => {
    const expected = outcomeOf(decodeBatches(reader.readBatches(afterSeq)));
    assert.deepEqual(outcomeOf(readAhead(dir, reader, afterSeq)), expected);
    return expected;
  });
}

function withReader<T>(dir: DataDir, use: (reader: JournalReader) => T): T {
  const reader = openJournalReader(dir);
  try {
    return use(reader);
  } finally {
    reader.close();
  }
}

/** A closed journal of these batches. */
function journalOf(
  t: TestContext,
  batches: readonly (readonly string[])[],
  segmentBytes = SMALL_SEGMENT_BYTES,
): DataDir {
  const dir = openDataDir(temporaryDir(t));
  recover(dir);
  const store = SqliteStore.open(dir, 'os', segmentBytes);
  for (const texts of batches) {
    const firstSeq = store.lastSeq + 1;
    const lastSeq = store.lastSeq + texts.length;
    const digest = lastSeq.toString(16).padStart(16, '0');
    commitBatch(store, { firstSeq, lastSeq, timeMs: lastSeq, commands: `[${texts.join(',')}]`, digest });
    store.rollIfDue(CLOCK.nowMs());
  }
  store.close();
  return dir;
}

function sampleOf(arbitrary: fc.Arbitrary<Command>, count: number, seed: number): string[] {
  return fc.sample(arbitrary, { numRuns: count, seed }).map(encodeCommand);
}

/** Mostly orders, and every other kind of command, in batches of 1 to 9. */
function mixedBatches(count: number, seed: number): string[][] {
  const random = randomOf(seed);
  const mixed = fc.oneof({ arbitrary: anyOrder, weight: 3 }, anyCommand);
  return Array.from({ length: count }, (_, index) => sampleOf(mixed, 1 + random(9), seed * 1_000 + index));
}

function writeTo(path: string, sql: string, ...values: unknown[]): void {
  const db = new Database(path);
  try {
    const { changes } = db.prepare(sql).run(...values);
    assert.equal(changes, 1, sql);
  } finally {
    db.close();
  }
}

test('all kinds of commands over several segments, from the beginning and from the end of any batch', (t) => {
  const dir = journalOf(t, mixedBatches(150, 1));
  assert.ok(findSegments(dir.journal).length >= 3);
  const { batches, error } = bothWays(dir);
  assert.deepEqual([batches.length, error], [150, '']);
  for (const at of [0, 1, 40, 90, 148, 149]) {
    const { lastSeq } = must(batches[at], 'a batch').row;
    assert.equal(bothWays(dir, lastSeq).batches.length, 149 - at);
  }
});

test('an empty journal', (t) => {
  assert.deepEqual(bothWays(journalOf(t, [])), { batches: [], error: '' });
});

test('more orders than the thread keeps ready, in batches of one and of many', (t) => {
  const orders = sampleOf(anyOrder, 500, 7);
  const texts = Array.from({ length: MANY_ORDERS }, (_, index) => must(orders[index % 500], 'an order'));
  const batches: string[][] = [];
  for (let at = 0; at < texts.length; ) {
    const size = batches.length < 3_000 ? 1 : batches.length === 3_001 ? 9_000 : 700;
    batches.push(texts.slice(at, at + size));
    at += size;
  }
  assert.equal(bothWays(journalOf(t, batches, LARGE_SEGMENT_BYTES)).batches.length, batches.length);
});

const DAMAGES: readonly string[] = [
  `commands = replace(commands, '"placeOrder"', '"placeorder"')`,
  `commands = commands || ' '`,
  `checksum = '00000000'`,
  `checksum = ''`,
  `chain = upper(chain) || 'x'`,
  `digest = digest || '0'`,
  'first_seq = first_seq + 1',
  'time_ms = time_ms + 1',
];

test('with a damaged row there are the same batches before it, and the same error', (t) => {
  const random = randomOf(11);
  const whole = journalOf(t, mixedBatches(60, 2));
  const { batches } = bothWays(whole);
  for (const damage of DAMAGES) {
    const dir = crashImage(whole, temporaryDir(t));
    const { lastSeq } = must(batches[random(batches.length)], 'a batch').row;
    const path = must(
      findSegments(dir.journal).findLast((candidate) => Number(/(\d+)\.db$/.exec(candidate)?.[1]) <= lastSeq),
      'its segment',
    );
    writeTo(path, `UPDATE batch SET ${damage} WHERE last_seq = ?`, lastSeq);
    const { error } = bothWays(dir);
    assert.match(
      error,
      damage.startsWith('commands = replace') ? /^(journal_corrupt|$)/ : /^journal_corrupt/,
    );
  }
});

test('so with a missing row, first or last of a segment or anywhere', (t) => {
  const whole = journalOf(t, mixedBatches(120, 3));
  for (const order of ['last_seq', 'last_seq DESC', 'last_seq % 7']) {
    for (const index of [0, 1]) {
      const dir = crashImage(whole, temporaryDir(t));
      const [first, second, third] = findSegments(dir.journal);
      assert.ok(third !== undefined);
      const path = must([first, second][index], 'a segment');
      const nth = `(SELECT last_seq FROM batch ORDER BY ${order} LIMIT 1)`;
      writeTo(path, `DELETE FROM batch WHERE last_seq = ${nth}`);
      assert.match(bothWays(dir).error, /^journal_corrupt/);
    }
  }
});

test('so with an unknown command in a good row', (t) => {
  for (const unknown of ['["tomorrow",1,5,{}]', '["advance",99,5,{}]', '["advance",1', 'null', '{}']) {
    const batches = mixedBatches(20, 4);
    must(batches[13], 'a batch').push(unknown);
    assert.match(
      bothWays(journalOf(t, batches)).error,
      /^replay_mismatch Batch \d+ to \d+ cannot be replayed/,
    );
  }
});

test('batches that the scanner cannot parse are read, too', (t) => {
  const batches = mixedBatches(20, 5);
  must(batches[13], 'a batch')[0] = ' ["advance", 1, 5, {}] ';
  assert.deepEqual([bothWays(journalOf(t, batches)).batches.length], [20]);
});

test('a thread that does nothing, or fails to start, delays nothing', (t) => {
  const dir = journalOf(t, mixedBatches(20, 6));
  const { batches } = bothWays(dir);
  for (const script of ['', 'throw new Error("no")', 'process.exit(1)']) {
    const worker = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const got = withReader(dir, (reader) =>
      outcomeOf(readAhead(dir, reader, 0, { silenceMsMax: 20, worker })),
    );
    assert.deepEqual(got, { batches, error: '' });
  }
});

test('a reader that stops early or fails ends the thread, so that the process can end', (t) => {
  const orders = sampleOf(anyOrder, 500, 8);
  const dir = journalOf(
    t,
    Array.from({ length: MANY_ORDERS / 500 }, () => orders),
  );
  withReader(dir, (reader) => {
    for (const batch of readAhead(dir, reader, 0)) {
      assert.equal(batch.row.firstSeq, 1);
      break;
    }
    const failing = (): void => {
      for (const { row } of readAhead(dir, reader, 0)) throw new RangeError(`at ${row.lastSeq}`);
    };
    assert.throws(failing, /at 500/);
  });
});

test('a start that replays many commands recovers the engine that wrote them', (t) => {
  const dir = temporaryDir(t);
  const written = writeJournal(dir, 25_000);
  const { commands, digest } = journalReplayRate(dir, 25_000);
  assert.deepEqual({ commands, digest }, written);
});
