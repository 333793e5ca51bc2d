/**
 * The commit protocol. No client sees a success that a crash can take back: first the row, its sync and the mark,
 * then the acknowledgement by the caller.
 *
 * A crash within `write` may lose the batches, which nobody was told of. A crash after it leaves batches above the
 * mark, which are recovered. The mark is never ahead of what is durable.
 */
import type { Batch, JournalStore, StoredBatch } from '../../engine/model/ports.js';

/**
 * Batches that follow each other share one sync: a crash leaves all of them, or none. Returns the last. After a throw the
 * store must not be used again.
 */
export function commitBatch(store: JournalStore, ...batches: readonly Batch[]): StoredBatch {
  const stored = store.write(batches);
  store.writeMark({ lastSeq: stored.lastSeq, checksum: stored.checksum });
  return stored;
}
