/**
 * The commit protocol, in the one order that keeps the promise "no client ever sees a success that a crash can
 * take back": the row, its sync, the mark, and only then the acknowledgement, which is the caller's.
 *
 * A crash after `append` loses the batch: nobody was told. After `sync` it leaves a batch above the mark: it is
 * recovered, though nobody was told. A mark is never ahead of what is durable.
 */
import type { Batch, JournalStore, StoredBatch } from '../../engine/model/ports.js';

/** Makes `batch` durable and says so in the mark. After a throw the store is not used again. */
export function commitBatch(store: JournalStore, batch: Batch): StoredBatch {
  const stored = store.append(batch);
  store.sync();
  store.writeMark({ lastSeq: stored.lastSeq, checksum: stored.checksum });
  return stored;
}
