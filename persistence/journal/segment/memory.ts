/**
 * Files that SQLite cannot read where they are without changing them: segments and an archive without a WAL on a medium on
 * which none can be made, and a segment whose server was killed while it was sealed. The latter has a rollback journal, which SQLite gives
 * back to the file, or else refuses to read. Here the file is read into memory and the journal laid over it there: the
 * segment is as the next start will find it, and neither it nor any other place on disk is touched.
 */
import { readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { rollbackPath, walPath } from '../../data-dir/database-files.js';
import { fileBytes, isMissing } from '../../data-dir/files.js';

/** What can be read into memory at once. */
const BYTES_MAX = 2 ** 31 - 1;
/** Where an SQLite file says in which journal mode it is, two bytes: 1 a rollback journal, 2 WAL. */
const MODE_OFFSET = 18;
/** Errors of a directory in which the side files of a WAL cannot be made, and of a journal to be rolled back. */
const CODES: readonly string[] = [
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY_DIRECTORY',
  'SQLITE_READONLY_CANTINIT',
  'SQLITE_READONLY_ROLLBACK',
];

const JOURNAL_MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
/** The fields of a journal's header; with what fills it up it takes a sector. */
const HEADER_BYTES = 28;
/** Of a sector and of a page. */
const SIZE_MAX = 65_536;
/** Number of records in a header: as many as the file has. */
const ALL_RECORDS = 0xffff_ffff;
/** Every 200th byte of a page, from its end on, goes into the checksum of its record. */
const CHECKSUM_STEP = 200;
/** The page with this byte is that of SQLite's locks, and never has content. */
const LOCK_BYTE = 2 ** 30;

/** One read into memory last, since readers open the open segment for each chunk of its rows. */
let kept: { readonly path: string; readonly files: string; readonly db: Database.Database } | null = null;

/** Whether a file that gave this error code can be read in memory. With content in its WAL it cannot. */
export function canReadInMemory(path: string, code: string): boolean {
  return CODES.includes(code) && fileBytes(walPath(path)) === 0 && fileBytes(path) <= BYTES_MAX;
}

/**
 * The segment, which nobody writes to, in memory. The database is shared among all who ask for it and not to be
 * closed. null: its files have changed meanwhile, as where a server was started; try again to open it.
 */
export function readInMemory(path: string): Database.Database | null {
  const files = stateOfFiles(path);
  if (kept?.path === path && kept.files === files) return kept.db;
  const db = loadIntoMemory(path);
  if (db !== null) kept = { path, files, db };
  return db;
}

/** The same of any file, and the caller's own. */
export function loadIntoMemory(path: string): Database.Database | null {
  const files = stateOfFiles(path);
  const content = rollBack(readFileSync(path), readJournal(path));
  if (stateOfFiles(path) !== files) return null;
  content.fill(1, MODE_OFFSET, MODE_OFFSET + 2);
  return new Database(content, { readonly: true });
}

function readJournal(path: string): Buffer {
  try {
    return readFileSync(rollbackPath(path));
  } catch (thrown) {
    if (isMissing(thrown)) return Buffer.alloc(0);
    throw thrown;
  }
}

/** Differs once anything has been written to the file. */
function stateOfFiles(path: string): string {
  const stateOf = (file: string): string => {
    const info = statSync(file, { bigint: true, throwIfNoEntry: false });
    return info === undefined ? 'none' : `${info.ino} ${info.size} ${info.mtimeNs}`;
  };
  return [path, rollbackPath(path), walPath(path)].map(stateOf).join(', ');
}

/**
 * The database `content` as it was before the transaction of `journal`, in the form that SQLite's file format
 * describes ("The Rollback Journal"): groups of records, each the former content of a page. As SQLite does, it stops
 * at the first one that is not whole: the page of such a one was never written. `content` is used up.
 */
export function rollBack(content: Buffer, journal: Buffer): Buffer {
  const first = readHeader(journal, 0);
  if (first === null || !isSound(first)) return content;
  const { pages, sectorBytes, pageBytes } = first;
  const missingBytes = Math.max(0, pages * pageBytes - content.length);
  const longEnough = missingBytes === 0 ? content : Buffer.concat([content, Buffer.alloc(missingBytes)]);
  const before = longEnough.subarray(0, pages * pageBytes);
  const recordBytes = pageBytes + 8;
  let at = 0;
  for (let header: JournalHeader | null = first; header !== null; header = readHeader(journal, at)) {
    at += sectorBytes;
    const fitting = Math.floor((journal.length - at) / recordBytes);
    const records = header.records === ALL_RECORDS ? fitting : header.records;
    for (let record = 0; record < records; record += 1) {
      if (record >= fitting || !putBack(before, journal, at, pageBytes, header.nonce)) return before;
      at += recordBytes;
    }
    at = Math.ceil(at / sectorBytes) * sectorBytes;
  }
  return before;
}

interface JournalHeader {
  readonly records: number;
  readonly nonce: number;
  /** Of the database before the transaction. */
  readonly pages: number;
  /** Good in the first header only. */
  readonly sectorBytes: number;
  readonly pageBytes: number;
}

function readHeader(journal: Buffer, at: number): JournalHeader | null {
  if (at + HEADER_BYTES > journal.length) return null;
  if (!journal.subarray(at, at + JOURNAL_MAGIC.length).equals(JOURNAL_MAGIC)) return null;
  const [records, nonce, pages, sectorBytes, pageBytes] = [8, 12, 16, 20, 24].map((field) =>
    journal.readUInt32BE(at + field),
  ) as [number, number, number, number, number];
  return { records, nonce, pages, sectorBytes, pageBytes };
}

/** What SQLite wants of the sizes in a header, and a database that fits into memory. */
function isSound({ pages, sectorBytes, pageBytes }: JournalHeader): boolean {
  const isPower = (size: number, atLeast: number): boolean =>
    size >= atLeast && size <= SIZE_MAX && Number.isInteger(Math.log2(size));
  return isPower(sectorBytes, 32) && isPower(pageBytes, 512) && pages * pageBytes <= BYTES_MAX;
}

/** Puts the page of the record at `at` back into `before`. False: it is not a whole record. */
function putBack(before: Buffer, journal: Buffer, at: number, pageBytes: number, nonce: number): boolean {
  const page = journal.readUInt32BE(at);
  if (page === 0 || page === Math.floor(LOCK_BYTE / pageBytes) + 1) return false;
  const offset = (page - 1) * pageBytes;
  // A page that the transaction added.
  if (offset >= before.length) return true;
  const content = journal.subarray(at + 4, at + 4 + pageBytes);
  let sum = nonce;
  for (let index = pageBytes - CHECKSUM_STEP; index > 0; index -= CHECKSUM_STEP) {
    sum = (sum + content.readUInt8(index)) >>> 0;
  }
  if (journal.readUInt32BE(at + 4 + pageBytes) !== sum) return false;
  content.copy(before, offset);
  return true;
}
