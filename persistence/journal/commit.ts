/**
 * The commit protocol. No client sees a success that a crash can take back: first the row, its sync and the mark,
 * then the acknowledgement by the caller.
 *
 * A crash after `append` loses the batch, which nobody was told of. A crash after `sync` leaves a batch above the
 * mark, which is recovered. The mark is never ahead of what is durable.
 */
import { must } from '../../engine/base/assert.js';
import type { Batch, JournalStore, StoredBatch } from '../../engine/model/ports.js';

/** After a throw the store must not be used again. */
export function commitBatch(store: JournalStore, batch: Batch): StoredBatch {
  return commitBatches(store, [batch]);
}

/** For batches that follow each other, with one sync: a crash leaves all of them, or none. Returns the last. */
export function commitBatches(store: JournalStore, batches: readonly Batch[]): StoredBatch {
  let last: StoredBatch | null = null;
  for (const batch of batches) last = store.append(batch);
  const stored = must(last, 'a batch to commit');
  store.sync();
  store.writeMark({ lastSeq: stored.lastSeq, checksum: stored.checksum });
  return stored;
}
