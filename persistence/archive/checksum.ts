/**
 * The checksum of an archive row: CRC-32 of its cells as JSON, 8 hex digits. Each bet needs two of them, so for usual
 * cells, integers and plain words, the bytes of the JSON are written and summed up here, without building a string.
 * Unusual cells go through `JSON.stringify`, with the same result.
 */
import { crcHex } from '../journal/segment/batch-row.js';

/** A cell of the archive. */
export type ArchiveCell = number | string | null;

const COMMA = 0x2c;
const MINUS = 0x2d;
const QUOTE = 0x22;
const ZERO = 0x30;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const SPACE = 0x20;
const DELETE = 0x7f;
const NULL = Buffer.from('null');

const BYTES_MAX = 1_024;
/** Room for any cell but a long text. */
const CELL_BYTES_MAX = 32;
const GROUP = 10_000;
/** The digits of 0 to 9999, four each. */
const GROUPS = Buffer.from(Array.from({ length: GROUP }, (_, n) => `${n}`.padStart(4, '0')).join(''));
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const CRC_POLYNOMIAL = 0xedb88320;
/** What a byte contributes to the CRC with 0, 1, 2 and 3 bytes after it. */
const [CRC_0, CRC_1, CRC_2, CRC_3] = crcTables();

const bytes = Buffer.alloc(BYTES_MAX);

/** The checksum of the first `count` cells, as it is stored in the row. */
export function archiveChecksum(cells: readonly ArchiveCell[], count = cells.length): string {
  const end = writeJson(cells, count);
  if (end < 0) return crcHex(JSON.stringify(cells.slice(0, count)));
  const crc = crcOfBytes(end);
  return (
    (HEX[crc >>> 24] as string) +
    (HEX[(crc >>> 16) & 0xff] as string) +
    (HEX[(crc >>> 8) & 0xff] as string) +
    (HEX[crc & 0xff] as string)
  );
}

/** Whether the last cell is the checksum of those before it. */
export function isIntact(row: readonly ArchiveCell[]): boolean {
  return row.at(-1) === archiveChecksum(row, row.length - 1);
}

/** Writes the JSON of the cells to `bytes` and returns its end; -1 if a cell is unusual. */
function writeJson(cells: readonly ArchiveCell[], count: number): number {
  let at = 0;
  for (let index = 0; index < count; index++) {
    bytes[at++] = index === 0 ? OPEN : COMMA;
    const cell = cells[index] as ArchiveCell;
    const room = typeof cell === 'string' ? cell.length : 0;
    if (at + room + CELL_BYTES_MAX > BYTES_MAX) return -1;
    if (typeof cell === 'number') {
      if (!Number.isSafeInteger(cell)) return -1;
      if (cell < 0) bytes[at++] = MINUS;
      at = writeInteger(Math.abs(cell), at);
    } else if (cell === null) at += NULL.copy(bytes, at);
    else at = writeWord(cell, at);
    if (at < 0) return -1;
  }
  if (count === 0) bytes[at++] = OPEN;
  bytes[at++] = CLOSE;
  return at;
}

/** Writes a text in which every character is one byte of JSON; returns -1 for any other. */
function writeWord(word: string, from: number): number {
  let at = from;
  bytes[at++] = QUOTE;
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return -1;
    bytes[at++] = code;
  }
  bytes[at++] = QUOTE;
  return at;
}

function writeInteger(value: number, from: number): number {
  if (value >= GROUP) {
    const high = Math.floor(value / GROUP);
    return writeGroup(value - high * GROUP, 0, writeInteger(high, from));
  }
  return writeGroup(value, value < 10 ? 3 : value < 100 ? 2 : value < 1_000 ? 1 : 0, from);
}

/** Writes the four digits of `group` except the first `skipped`. */
function writeGroup(group: number, skipped: number, from: number): number {
  let at = from;
  for (let digit = skipped; digit < 4; digit++) bytes[at++] = GROUPS[group * 4 + digit] ?? ZERO;
  return at;
}

/** CRC-32 of the first `end` bytes, four at a time. */
function crcOfBytes(end: number): number {
  let crc = -1;
  let at = 0;
  for (; at + 4 <= end; at += 4) {
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    crc =
      (CRC_3[crc & 0xff] as number) ^
      (CRC_2[(crc >>> 8) & 0xff] as number) ^
      (CRC_1[(crc >>> 16) & 0xff] as number) ^
      (CRC_0[crc >>> 24] as number);
  }
  for (; at < end; at++) crc = (CRC_0[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc;
}

function crcTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
    return crc;
  });
  const next = (table: Int32Array): Int32Array =>
    table.map((crc) => (first[crc & 0xff] as number) ^ (crc >>> 8));
  const second = next(first);
  const third = next(second);
  return [first, second, third, next(third)];
}
