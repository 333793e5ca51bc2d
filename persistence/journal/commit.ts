/**
 * The commit protocol, in the order that keeps the promise "no client ever sees a success that a crash can take
 * back": the row, its sync, the mark, and only then the acknowledgement, which is up to the caller.
 *
 * A crash after `append` loses the batch, which nobody was told of. A crash after `sync` leaves a batch above the mark,
 * which is recovered. The mark is never ahead of what is durable.
 */
import type { Batch, JournalStore, StoredBatch } from '../../engine/model/ports.js';

/** Makes `batch` durable and records it in the mark. After a throw the store must not be used again. */
export function commitBatch(store: JournalStore, batch: Batch): StoredBatch {
  const stored = store.append(batch);
  store.sync();
  store.writeMark({ lastSeq: stored.lastSeq, checksum: stored.checksum });
  return stored;
}
