/**
 * Makes the row of a batch verifiable. `checksum` detects damage in the row itself; `chain` ties it to every row
 * before it, so that one that is changed, dropped or moved is found. Neither has a key: a forger who writes all rows
 * anew is not found. Both are computed at each write and each read. Every journal store uses them, on disk or in a
 * simulator's memory.
 *
 *     line     = "<firstSeq> <lastSeq> <timeMs> <digest>\n<commands>"
 *     chain    = SHA-256 of "<previous chain>\n<line>", 64 hex digits
 *     checksum = CRC-32 of "<chain>\n<line>", 8 hex digits
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { assert } from '../../../engine/base/assert.js';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';

export const CHAIN_START = '0'.repeat(64);

export interface ChainPosition {
  readonly lastSeq: number;
  readonly chain: string;
}

export function crcHex(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** `batch` must follow `position`. */
export function sealBatch(position: ChainPosition, batch: Batch): StoredBatch {
  const { firstSeq, lastSeq, timeMs, commands, digest } = batch;
  assert(firstSeq === position.lastSeq + 1, `batch ${firstSeq} must follow ${position.lastSeq}`);
  assert(lastSeq >= firstSeq, `batch ${firstSeq} must not end before it begins`);
  assert(Number.isSafeInteger(lastSeq) && Number.isSafeInteger(timeMs), 'sequence and time are integers');
  const line = lineOf(batch);
  const chain = chainOf(position.chain, line);
  return { firstSeq, lastSeq, timeMs, commands, digest, chain, checksum: checksumOf(chain, line) };
}

/** The row is as it was written. `faultOfRow` checks its position, too. */
export function isIntact(row: StoredBatch): boolean {
  return row.checksum === checksumOf(row.chain, lineOf(row));
}

/** null if `row` is good and follows `position`. */
export function faultOfRow(position: ChainPosition, row: StoredBatch): string | null {
  const line = lineOf(row);
  if (row.checksum !== checksumOf(row.chain, line)) return 'its checksum does not match its content';
  if (row.firstSeq !== position.lastSeq + 1 || row.lastSeq < row.firstSeq) {
    return `it holds ${row.firstSeq} to ${row.lastSeq}, but ${position.lastSeq + 1} comes next`;
  }
  if (row.chain !== chainOf(position.chain, line))
    return 'its chain hash does not follow from the row before it';
  return null;
}

function chainOf(previousChain: string, line: string): string {
  return hash('sha256', `${previousChain}\n${line}`);
}

function checksumOf(chain: string, line: string): string {
  return crcHex(`${chain}\n${line}`);
}

function lineOf(batch: Batch): string {
  return `${batch.firstSeq} ${batch.lastSeq} ${batch.timeMs} ${batch.digest}\n${batch.commands}`;
}
