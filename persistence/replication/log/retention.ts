/** What of the replicated log may go: a standby that has a snapshot needs only what comes after it. */

import { decodeMessage, positionAfter } from './message.js';
import type { ReplicatedLog } from './replicated-log.js';

/**
 * Deletes what no journal needs that reaches command `seq`. The last message up to there stays, so that such a journal
 * finds its place.
 */
export async function deleteCovered(log: ReplicatedLog, seq: number): Promise<void> {
  const { first, last } = await log.bounds();
  let kept = first;
  let low = first;
  let high = last;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const seqThere = await positionAt(log, middle);
    if (seqThere === null) return;
    if (seqThere <= seq) kept = middle;
    if (seqThere <= seq) low = middle + 1;
    else high = middle - 1;
  }
  // A part of a batch before its last one is no place of any journal.
  while (kept > first && !(await isPlace(log, kept))) kept -= 1;
  if (kept > first) await log.deleteBefore(kept);
}

async function isPlace(log: ReplicatedLog, sequence: number): Promise<boolean> {
  const entry = await log.read(sequence);
  return entry !== null && positionAfter(decodeMessage(entry.bytes, sequence)) !== null;
}

/** The journal's sequence number after this message; that before its batch for a part that is not the last. */
async function positionAt(log: ReplicatedLog, sequence: number): Promise<number | null> {
  const entry = await log.read(sequence);
  if (entry === null) return null;
  const message = decodeMessage(entry.bytes, sequence);
  if (message.kind === 'takeover') return message.position.lastSeq;
  return positionAfter(message)?.lastSeq ?? message.row.firstSeq - 1;
}
