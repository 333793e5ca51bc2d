/**
 * The bare server's commit thread: one row and one fsynced transaction a batch, without checksum, chain or mark. WAL
 * and `synchronous` are set as in the journal. Checkpoints are left to SQLite, which makes them within a commit after
 * 1,000 pages; the journal makes them after its answers, every 256 pages.
 */
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { assert, must } from '../../engine/base/assert.js';
import type { BareBatch, BareConfig, BareDurable } from './messages.js';

const port = must(parentPort, 'parent port');
const commit: NonNullable<BareConfig['commit']> = workerData;

const database = new Database(commit.file);
database.pragma('journal_mode = WAL');
database.pragma(`synchronous = ${commit.durability === 'fsync' ? 'FULL' : 'NORMAL'}`);
assert(database.pragma('journal_mode', { simple: true }) === 'wal', 'the bare journal is a WAL');
assert(
  database.pragma('synchronous', { simple: true }) === (commit.durability === 'fsync' ? 2 : 1),
  'the bare journal is as durable as said',
);
database.exec(`CREATE TABLE batches (
  first_seq INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL, time_ms INTEGER NOT NULL, commands TEXT NOT NULL
)`);
const insert = database.prepare('INSERT INTO batches VALUES (?, ?, ?, ?)');

port.on('message', ({ firstSeq, lastSeq, timeMs, commands }: BareBatch) => {
  insert.run(firstSeq, lastSeq, timeMs, commands);
  port.postMessage({ lastSeq } satisfies BareDurable);
});
