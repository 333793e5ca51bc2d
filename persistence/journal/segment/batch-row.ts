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

export type ChainPosition = Pick<StoredBatch, 'lastSeq' | 'chain'>;

/** `before` is the CRC-32 of what comes before. */
export function crcHex(text: string | Uint8Array, before = 0): string {
  return crc32(text, before).toString(16).padStart(8, '0');
}

/** `batch` must follow `position`. */
export function sealBatch(position: ChainPosition, batch: Batch): StoredBatch {
  const { firstSeq, lastSeq, timeMs, commands, digest } = batch;
  assert(firstSeq === position.lastSeq + 1, `batch ${firstSeq} must follow ${position.lastSeq}`);
  assert(lastSeq >= firstSeq, `batch ${firstSeq} must not end before it begins`);
  assert(Number.isSafeInteger(lastSeq) && Number.isSafeInteger(timeMs), 'sequence and time are integers');
  const chain = chainOf(position.chain, batch);
  return { firstSeq, lastSeq, timeMs, commands, digest, chain, checksum: checksumOf(chain, batch) };
}

/** The row is as it was written. `faultOfRow` checks its position, too. */
export function isIntact(row: StoredBatch): boolean {
  return row.checksum === checksumOf(row.chain, row);
}

/** null if `row` is good and follows `position`. */
export function faultOfRow(position: ChainPosition, row: StoredBatch): string | null {
  if (!isIntact(row)) return 'its checksum does not match its content';
  if (row.firstSeq !== position.lastSeq + 1 || row.lastSeq < row.firstSeq) {
    return `it holds ${row.firstSeq} to ${row.lastSeq}, but ${position.lastSeq + 1} comes next`;
  }
  if (row.chain !== chainOf(position.chain, row))
    return 'its chain hash does not follow from the row before it';
  return null;
}

function chainOf(previousChain: string, batch: Batch): string {
  return hash('sha256', headOf(previousChain, batch) + batch.commands);
}

/** Goes on from the head: a string of both would be a copy of the commands. */
function checksumOf(chain: string, batch: Batch): string {
  return crcHex(batch.commands, crc32(headOf(chain, batch)));
}

function headOf(chain: string, { firstSeq, lastSeq, timeMs, digest }: Batch): string {
  return `${chain}\n${firstSeq} ${lastSeq} ${timeMs} ${digest}\n`;
}
