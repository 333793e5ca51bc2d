/**
 * The schema of a segment: an SQLite database with the table `meta` (one row about the file), the table `batch` (one
 * row for each commit) and the table `seal` (one row once the segment is finished). Its columns are plain, so that an
 * operator can query it directly:
 *
 *     sqlite3 segment-0000000000000001.db "select json_each.value from batch, json_each(commands)"
 *
 * Nothing that is read is trusted: the tables must be exactly those defined here, and types and checksums are checked.
 */
import type Database from 'better-sqlite3';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { asFileFault, JournalError, otherFormat } from '../../errors.js';
import { type ChainPosition, crcHex } from './batch-row.js';

/** Every later version's `meta` begins with these columns, and their checksum stays the same. */
const FORMAT_VERSION = 1;

/** The large column is last, so that the others can be read without it. */
const BATCH_TABLE = `CREATE TABLE batch (
  first_seq INTEGER NOT NULL,
  last_seq INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  digest TEXT NOT NULL,
  checksum TEXT NOT NULL,
  chain TEXT NOT NULL,
  commands TEXT NOT NULL
) STRICT`;
const META_TABLE = `CREATE TABLE meta (
  format_version INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  previous_chain TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT`;
const SEAL_TABLE = `CREATE TABLE seal (
  last_seq INTEGER NOT NULL,
  digest TEXT NOT NULL,
  chain TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT`;

const TABLES = { batch: BATCH_TABLE, meta: META_TABLE, seal: SEAL_TABLE } as const;

export const BATCH_COLUMNS = 'first_seq, last_seq, time_ms, digest, checksum, chain, commands';
const INSERT_BATCH = `INSERT INTO batch (${BATCH_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

export interface SegmentMeta {
  readonly createdMs: number;
  readonly firstSeq: number;
  /** `CHAIN_START` in the first segment. */
  readonly previousChain: string;
}

/** A finished segment's last row: nothing is added, and the next segment follows `chain`. */
export type SegmentSeal = Pick<StoredBatch, 'lastSeq' | 'digest' | 'chain'>;

export function createTables(db: Database.Database, meta: SegmentMeta): void {
  for (const table of Object.values(TABLES)) db.exec(table);
  const { createdMs, firstSeq, previousChain } = meta;
  db.prepare('INSERT INTO meta VALUES (?, ?, ?, ?, ?)').run(
    FORMAT_VERSION,
    createdMs,
    firstSeq,
    previousChain,
    metaChecksum(FORMAT_VERSION, meta),
  );
}

export function rowInserter(db: Database.Database): (row: StoredBatch) => void {
  const insert = db.prepare(INSERT_BATCH);
  return (row) => {
    insert.run(row.firstSeq, row.lastSeq, row.timeMs, row.digest, row.checksum, row.chain, row.commands);
  };
}

export function insertSeal(db: Database.Database, firstSeq: number, seal: SegmentSeal): void {
  const { lastSeq, digest, chain } = seal;
  db.prepare('INSERT INTO seal VALUES (?, ?, ?, ?)').run(
    lastSeq,
    digest,
    chain,
    sealChecksum(firstSeq, seal),
  );
}

/** Checks the tables, too. Throws `other_format` and `journal_corrupt`. */
export function readMeta(path: string, db: Database.Database): SegmentMeta {
  const columns = db
    .prepare<[], unknown[]>(
      'SELECT format_version, created_ms, first_seq, previous_chain, checksum FROM meta',
    )
    .raw()
    .all();
  const [version, createdMs, firstSeq, previousChain, checksum] = columns[0] ?? [];
  if (columns.length !== 1 || !isInteger(version) || !isInteger(createdMs) || !isInteger(firstSeq)) {
    throw damaged(path, 'its meta table does not hold one good row');
  }
  const meta = { createdMs, firstSeq, previousChain: String(previousChain) };
  if (checksum !== metaChecksum(version, meta)) {
    throw damaged(path, 'the checksum of its meta row does not match');
  }
  if (version !== FORMAT_VERSION) throw otherFormat('journal', path, version, FORMAT_VERSION);
  compareTables(path, db);
  return meta;
}

/** null if the segment is not finished. Throws `journal_corrupt`. */
export function readSeal(path: string, db: Database.Database, meta: SegmentMeta): SegmentSeal | null {
  const rows = db.prepare<[], unknown[]>('SELECT last_seq, digest, chain, checksum FROM seal').raw().all();
  if (rows.length === 0) return null;
  const [lastSeq, digest, chain, checksum] = rows[0] ?? [];
  if (rows.length !== 1 || !isInteger(lastSeq)) {
    throw damaged(path, 'its seal is not one good row');
  }
  const seal = { lastSeq, digest: String(digest), chain: String(chain) };
  if (checksum !== sealChecksum(meta.firstSeq, seal) || lastSeq < meta.firstSeq) {
    throw damaged(path, 'the checksum of its seal does not match');
  }
  return seal;
}

/** `columns` are `BATCH_COLUMNS`. `position`, the row before, is for the error. */
export function toStoredBatch(
  path: string,
  position: ChainPosition,
  columns: readonly unknown[],
): StoredBatch {
  const [firstSeq, lastSeq, timeMs, digest, checksum, chain, commands] = columns;
  if (
    !isInteger(firstSeq) ||
    !isInteger(lastSeq) ||
    !isInteger(timeMs) ||
    typeof digest !== 'string' ||
    typeof checksum !== 'string' ||
    typeof chain !== 'string' ||
    typeof commands !== 'string'
  ) {
    throw badRow(path, position, 'a column is not of its type');
  }
  return { firstSeq, lastSeq, timeMs, digest, checksum, chain, commands };
}

export function badRow(path: string, position: ChainPosition, fault: string): JournalError {
  return damaged(path, `the row after sequence number ${position.lastSeq} is bad: ${fault}`);
}

/** In a backup the last segment lacks what was acknowledged since, and in the place of the damaged one it ends that. */
const REPLACE =
  'Put the file back from a backup unless it is the last segment, else make a new data directory from the good part: npx tote restore DATA_DIR --out NEW_DIR';

export const damaged = (path: string, what: string, cause?: unknown): JournalError =>
  new JournalError('journal_corrupt', `The journal ${path} is damaged: ${what}. ${REPLACE}`, { cause });

/** A cable or a controller may be at fault, and all of the journal there. */
const unread = (path: string, what: string, cause: unknown): JournalError =>
  new JournalError(
    'journal_corrupt',
    `The disk of the journal ${path} does not read it: ${what}. Check the disk and the system log, and try again. If it stays so: ${REPLACE}`,
    { cause },
  );

export const asDamage = (path: string, what: string, thrown: unknown): unknown =>
  asFileFault(`The journal ${path}`, thrown, {
    disk: (reason) => unread(path, `${what} (${reason})`, thrown),
    damage: (reason) => damaged(path, `${what} (${reason})`, thrown),
  });

function compareTables(path: string, db: Database.Database): void {
  const found = db.prepare<[], unknown[]>('SELECT name, sql FROM sqlite_schema ORDER BY name').raw().all();
  if (JSON.stringify(found) !== JSON.stringify(Object.entries(TABLES))) {
    throw damaged(path, 'its tables are not those of a journal');
  }
}

function metaChecksum(version: number, meta: SegmentMeta): string {
  return crcHex(`${version} ${meta.createdMs} ${meta.firstSeq} ${meta.previousChain}`);
}

function sealChecksum(firstSeq: number, seal: SegmentSeal): string {
  return crcHex(`seal ${firstSeq} ${seal.lastSeq} ${seal.digest} ${seal.chain}`);
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
