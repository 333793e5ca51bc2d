/** The journal's store on real files: it returns what was written, with proof, and an operator can read it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { fileBytes, walPath } from '../../../persistence/data-dir/files.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { crcHex, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import {
  alterDatabase,
  batchAt,
  batchesUpTo,
  CLOCK,
  onlySegment,
  plain,
  readAll,
  recover,
  refusal,
  stopped,
  temporaryDir,
  writeJournal,
} from '../support/journal-files.js';

test('batches come back in order, after any sequence number, before and after a clean close', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 20);
  const written = batchesUpTo(20);
  assert.deepEqual(readAll(dir).map(plain), written);
  for (const afterSeq of [0, 1, 2, 28, 29, 55]) {
    const expected = written.filter((batch) => batch.lastSeq > afterSeq);
    assert.deepEqual(readAll(dir, afterSeq).map(plain), expected, `after ${afterSeq}`);
  }
  for (const name of readdirSync(dir.journal))
    assert.equal(statSync(`${dir.journal}/${name}`).mode & 0o777, 0o600, name);
  store.close();
  assert.deepEqual(readdirSync(dir.journal).sort(), ['absent', 'mark', 'segment-0000000000000001.db']);
  assert.deepEqual(recover(dir).given, written);
});

test('batches that share a sync are there together, or not at all', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 3);
  const { lastSeq, checksum } = commitBatch(store, batchAt(3), batchAt(4), batchAt(5));
  assert.deepEqual(store.mark, { lastSeq, checksum });
  assert.throws(() => store.write([batchAt(6), batchAt(8)]), /follow/);
  assert.throws(() => store.write([batchAt(6)]), /not used again/);
  store.close();
  assert.ok(existsSync(dir.inUseFile), 'recovery finds that it failed');
  assert.deepEqual(readAll(dir).map(plain), batchesUpTo(6));
});

test('the chain is SHA-256 over the chain before and the row, in the documented form', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 9);
  let chain = '0'.repeat(64);
  for (const row of readAll(dir)) {
    const line = `${row.firstSeq} ${row.lastSeq} ${row.timeMs} ${row.digest}\n${row.commands}`;
    chain = createHash('sha256').update(`${chain}\n${line}`).digest('hex');
    assert.equal(row.chain, chain);
  }
  store.close();
});

test('synchronous is what the durability asks for, on the connection that writes', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 1);
  assert.equal(store.synchronous, 2);
  store.close();
  const lax = SqliteStore.open(dir, 'os');
  assert.equal(lax.synchronous, 1);
  lax.close();
});

test('an operator reads the commands with ordinary SQL while the server writes', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 3);
  const reader = new Database(onlySegment(dir), { readonly: true });
  const each = 'SELECT json_each.value FROM batch, json_each(commands) ORDER BY last_seq, json_each.key';
  const stored = reader.prepare<[], string>(each).pluck().all();
  const expected = batchesUpTo(3).flatMap((batch) => JSON.parse(batch.commands) as unknown[]);
  const parsed = stored.map((text): unknown => JSON.parse(text));
  assert.deepEqual(parsed, expected);
  commitBatch(store, batchAt(3));
  assert.equal(reader.prepare('SELECT max(last_seq) FROM batch').pluck().get(), batchAt(3).lastSeq);
  reader.close();
  store.close();
});

test('the WAL stays short however much is written, and a clean close removes it', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 0);
  const commands = JSON.stringify(['x'.repeat(100_000)]);
  for (let seq = 1; seq <= 100; seq += 1) {
    commitBatch(store, { firstSeq: seq, lastSeq: seq, timeMs: seq, commands, digest: '0'.repeat(16) });
    store.checkpointIfDue();
  }
  assert.ok(fileBytes(walPath(onlySegment(dir))) < 4_000_000);
  assert.ok(existsSync(dir.inUseFile));
  store.close();
  assert.deepEqual([existsSync(walPath(onlySegment(dir))), existsSync(dir.inUseFile)], [false, false]);
});

function alteredJournal(t: TestContext, sql: string): DataDir {
  const dir = stopped(writeJournal(temporaryDir(t), 5));
  alterDatabase(onlySegment(dir), sql);
  return dir;
}

const metaCrc = (version: number, createdMs: number): string =>
  crcHex(`${version} ${createdMs} 1 ${'0'.repeat(64)}`);

test('another format is refused, and so is a foreign meta row or table', (t) => {
  const createdMs = CLOCK.nowMs();
  for (const format of [0, 2]) {
    const values = `format_version = ${format}, checksum = '${metaCrc(format, createdMs)}'`;
    const other = alteredJournal(t, `UPDATE meta SET ${values}`);
    const told = `has format ${format}; this version reads format 1\\. Start the version that`;
    assert.throws(() => recover(other), refusal('other_format', new RegExp(told)));
  }
  const flipped = alteredJournal(t, 'UPDATE meta SET format_version = 2');
  assert.throws(() => recover(flipped), refusal('journal_corrupt', /checksum of its meta row/));
  const widened = alteredJournal(t, 'ALTER TABLE batch ADD COLUMN extra TEXT');
  assert.throws(() => recover(widened), refusal('journal_corrupt', /tables are not those/));
  const empty = alteredJournal(t, 'DELETE FROM meta');
  assert.throws(() => recover(empty), refusal('journal_corrupt', /one good row/));
});

const CHECKSUM = /number 3 is bad: its checksum/;
const ALTERATIONS: readonly [alteration: string, sentence: RegExp, lastSeq?: number][] = [
  ["UPDATE batch SET commands = replace(commands, 'order', 'ordem')", CHECKSUM],
  ['UPDATE batch SET time_ms = time_ms + 1', CHECKSUM],
  ["UPDATE batch SET digest = 'ffffffffffffffff'", CHECKSUM],
  ['UPDATE batch SET chain = (SELECT chain FROM batch WHERE last_seq = 3)', CHECKSUM],
  ["UPDATE batch SET checksum = '00000000'", CHECKSUM],
  ['UPDATE batch SET first_seq = 5', CHECKSUM],
  ['DELETE FROM batch', /number 3 is bad: it holds 7 to 10, but 4 comes next/],
  ['DELETE FROM batch', /number 0 is bad: it holds 2 to 3/, 1],
];

for (const [alteration, sentence, lastSeq = 6] of ALTERATIONS) {
  test(`the first bad row is named: ${alteration}, ${lastSeq}`, (t) => {
    const dir = alteredJournal(t, `${alteration} WHERE last_seq = ${lastSeq}`);
    assert.throws(() => recover(dir), refusal('journal_corrupt', sentence));
  });
}

test('a row rewritten with a valid checksum breaks the chain', (t) => {
  const { dir, store } = writeJournal(temporaryDir(t), 5);
  const rows = readAll(dir);
  store.close();
  const changed = { ...plain(must(rows[1], 'a second row')), commands: '[["deposit"],["deposit"]]' };
  const { commands, chain, checksum } = sealBatch({ lastSeq: 1, chain: 'f'.repeat(64) }, changed);
  const values = `commands = '${commands}', chain = '${chain}', checksum = '${checksum}'`;
  alterDatabase(onlySegment(dir), `UPDATE batch SET ${values} WHERE last_seq = 3`);
  assert.throws(() => recover(dir), refusal('journal_corrupt', /number 1 is bad: its chain hash/));
});

test('damage outside of rows, which the next append would spread, is found', (t) => {
  const dir = stopped(writeJournal(temporaryDir(t), 5));
  const file = readFileSync(onlySegment(dir));
  // The header of a leaf page says at byte 5 where its rows begin; the first page after the schema's is the table's.
  const rowsBeginAt = file.readUInt16BE(4_096 + 5);
  file.writeUInt16BE(rowsBeginAt + 300, 4_096 + 5);
  writeFileSync(onlySegment(dir), file);
  const segment = Segment.open(onlySegment(dir), 'write');
  assert.deepEqual([...segment.batches()].map(plain), batchesUpTo(5));
  segment.close();
  assert.throws(() => recover(dir), refusal('journal_corrupt', /Page 2|page 2/));
});
