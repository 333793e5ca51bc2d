/**
 * The journal's thread. It owns the connection and writes one batch after the other: row, sync and mark before the
 * acknowledgement (`commit.ts`), and after it what can wait: the checkpoint, the next segment and the check of the free
 * space. The first error ends its work for good; nothing is acknowledged after it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { assert, must } from '../../engine/base/assert.js';
import type { Batch } from '../../engine/model/ports.js';
import { DEFAULT_SPACE_THRESHOLDS, freeBytesOf, SpaceWatch } from '../data-dir/space.js';
import { commitBatch } from './commit.js';
import { type FromJournal, type JournalThreadOptions, type ToJournal, toErrorParts } from './messages.js';
import { SqliteStore } from './store.js';

const SPACE_CHECK_EVERY_MS = 1_000;
/** A busy journal checks the free space after this much text. */
const SPACE_CHECK_EVERY_CHARS = 4 * 1024 * 1024;

const port = must(parentPort, "the parent's port");
const options = workerData as JournalThreadOptions;
const post = (message: FromJournal): void => port.postMessage(message);

const space = new SpaceWatch(options.space ?? DEFAULT_SPACE_THRESHOLDS, () =>
  freeBytesOf(options.dir.journal),
);
let store: SqliteStore | null = null;
let charsSinceSpaceCheck = 0;
let hasFailed = false;

/** Runs one piece of work. An error is reported and ends the thread, whatever else is waiting. */
function attempt(work: () => void): void {
  if (hasFailed) return;
  try {
    work();
  } catch (thrown) {
    hasFailed = true;
    post({ kind: 'failed', error: toErrorParts(thrown) });
    clearInterval(spaceTimer);
    port.close();
  }
}

function open(): void {
  store = SqliteStore.open(options.dir, options.durability, options.segmentBytesMax);
  assert(
    store.lastSeq === options.lastSeq,
    `the journal must end at ${options.lastSeq}, not ${store.lastSeq}`,
  );
  space.check();
  post({ kind: 'space', level: space.level });
}

function commit(batch: Batch): void {
  const journal = must(store, 'the store');
  if (options.sealsLate === true) roll(journal);
  const { lastSeq } = commitBatch(journal, batch);
  post({ kind: 'durable', lastSeq });
  journal.checkpointIfDue();
  if (options.sealsLate !== true) roll(journal);
  charsSinceSpaceCheck += batch.commands.length;
  if (charsSinceSpaceCheck >= SPACE_CHECK_EVERY_CHARS) checkSpace();
}

function roll(journal: SqliteStore): void {
  const startedMs = performance.now();
  const segment = journal.rollIfDue(Date.now());
  if (segment !== null) post({ kind: 'sealed', segment, tookMs: performance.now() - startedMs });
}

function checkSpace(): void {
  charsSinceSpaceCheck = 0;
  if (space.check()) post({ kind: 'space', level: space.level });
}

function close(): void {
  clearInterval(spaceTimer);
  must(store, 'the store').close();
  post({ kind: 'closed' });
  port.close();
}

const spaceTimer = setInterval(() => attempt(checkSpace), SPACE_CHECK_EVERY_MS);
attempt(open);
port.on('message', (message: ToJournal) => {
  if (message.kind === 'commit') attempt(() => commit(message.batch));
  else attempt(close);
});
