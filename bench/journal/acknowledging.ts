/**
 * How long an order waits for its journal: from handing a batch to the journal's thread, as the server does, until
 * the event loop receives the acknowledgement. One batch at a time, both threads on one core if the suite is pinned.
 */
import { assert } from '../../engine/base/assert.js';
import type { Batch } from '../../engine/model/ports.js';
import type { Durability } from '../../persistence/journal/segment/open.js';
import { JournalThread } from '../../persistence/journal/thread.js';
import type { LatencySummary } from '../client/job.js';
import { Latencies } from '../client/latencies.js';
import { BATCH_SIZES, newJournal } from './journaling.js';

const COMMITS_MAX = 500;
/** Commits not measured, in which the thread opens its files and compiles its code. */
const WARMUP_COMMITS = 20;

export interface Acknowledgement {
  readonly batchSize: number;
  readonly latency: LatencySummary;
}

/** Measures each batch size on a new journal, with at most `commandsMax` commands and 500 commits. */
export async function acknowledgements(
  dir: string,
  commandsMax: number,
  durability: Durability,
): Promise<Acknowledgement[]> {
  const rows: Acknowledgement[] = [];
  for (const batchSize of BATCH_SIZES) {
    const commits = Math.min(COMMITS_MAX, Math.floor(commandsMax / batchSize));
    const path = `${dir}/acknowledgements-${batchSize}`;
    rows.push({ batchSize, latency: await acknowledge(path, batchSize, commits, durability) });
  }
  return rows;
}

async function acknowledge(
  path: string,
  batchSize: number,
  commits: number,
  durability: Durability,
): Promise<LatencySummary> {
  const { dir, lock, store, source } = newJournal(path, durability);
  // The thread owns it from here on.
  store.close();
  const journal = openThread(new JournalThread({ dir, durability, lastSeq: source.engine.seq }));
  const latencies = new Latencies();
  for (let count = -WARMUP_COMMITS; count < commits; count += 1) {
    const batch = source.batch(batchSize);
    const startedMs = performance.now();
    const lastSeq = await journal.commit(batch);
    if (count >= 0) latencies.record(performance.now() - startedMs);
    assert(lastSeq === batch.lastSeq, 'the batch is durable');
  }
  await journal.close();
  lock.release();
  return latencies.summary();
}

/** Wraps the thread, with a promise for each commit. */
function openThread(thread: JournalThread) {
  let settle: { resolve: (lastSeq: number) => void; reject: (error: Error) => void } | null = null;
  thread.open({
    onDurable: (lastSeq) => settle?.resolve(lastSeq),
    onFailure: (error) => settle?.reject(error),
    onLost: ({ error }) => settle?.reject(error),
    onSpaceLevel: () => {},
  });
  const commit = (batch: Batch): Promise<number> =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      thread.commit(batch);
    });
  return { commit, close: () => thread.close() };
}
