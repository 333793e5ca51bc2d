/**
 * Texts of the archive as they were written. Operators' texts of older versions may contain half a surrogate pair,
 * which has no UTF-8 form. SQLite stores three bytes for it but returns U+FFFD for each of them, and the row would not
 * match its checksum. So if a text comes back with U+FFFD, its bytes are read.
 */
import type Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import type { ArchiveCell } from './checksum.js';
import { PLACEMENT, positionsOf, ROUND, ROUND_PROOF, TRANSFER } from './columns.js';

const REPLACEMENT_CHARACTER = '\ufffd';
/** The three bytes of half a surrogate pair, one character each. Valid UTF-8 has no such bytes. */
const SURROGATE_BYTES = /(\xed[\xa0-\xbf][\x80-\xbf])/;

interface FreeText {
  readonly column: string;
  /** The position of the column in the row. */
  readonly at: number;
  /** The table's key: its first columns. */
  readonly key: readonly string[];
}

/** Tables with a free text in a column of its own: `bet` in archives of format 1. */
export type TextTable = 'bet' | 'round' | 'round_proof' | 'transfer';

/** That column of each of them. */
const FREE_TEXTS: Readonly<Record<TextTable, FreeText>> = {
  bet: { column: 'client_seed', at: positionsOf(PLACEMENT).client_seed, key: ['bet'] },
  round: { column: 'void_reason', at: positionsOf(ROUND).void_reason, key: ['market', 'round_number'] },
  // JSON, in which half a pair is escaped.
  round_proof: { column: 'origins', at: positionsOf(ROUND_PROOF).origins, key: ['market', 'round_number'] },
  transfer: { column: 'reference', at: positionsOf(TRANSFER).reference, key: ['seq', 'item'] },
};

export const hasFreeText = (table: string): table is TextTable => Object.hasOwn(FREE_TEXTS, table);

export class ArchiveTexts {
  constructor(private readonly db: Database.Database) {}

  /** `row`, which has all columns of the table in order, with its text as it was written. */
  asWritten(table: TextTable, row: ArchiveCell[]): ArchiveCell[] {
    const { column, at, key } = FREE_TEXTS[table];
    const text = row[at];
    if (typeof text !== 'string' || !text.includes(REPLACEMENT_CHARACTER)) return row;
    const where = key.map((name) => `${name} = ?`).join(' AND ');
    const bytes = this.db
      .prepare<ArchiveCell[], Buffer>(`SELECT CAST(${column} AS BLOB) FROM ${table} WHERE ${where}`)
      .pluck()
      .get(...row.slice(0, key.length));
    return row.with(at, textOfBytes(must(bytes, 'the row that was just read')));
  }
}

function textOfBytes(bytes: Buffer): string {
  const pieces = bytes.toString('latin1').split(SURROGATE_BYTES);
  return pieces.map((piece, index) => (index % 2 === 0 ? utf8Of(piece) : halfPairOf(piece))).join('');
}

const utf8Of = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

const halfPairOf = (bytes: string): string =>
  String.fromCharCode(0xd000 | ((bytes.charCodeAt(1) & 0x3f) << 6) | (bytes.charCodeAt(2) & 0x3f));
