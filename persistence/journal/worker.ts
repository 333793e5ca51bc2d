/**
 * The journal's thread, which owns the connection. Row, sync and mark come before the acknowledgement (`commit.ts`);
 * the checkpoint, the next segment and the check of free space after it. Waiting batches, which only a follower
 * sends, share one sync. The first error ends the work for good.
 *
 * It is started before the journal is recovered, and waits for its options. Its event loop does not turn while it works: it looks for messages itself, and sleeps on shared memory.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert, must } from '../../engine/base/assert.js';
import type { Batch } from '../../engine/model/ports.js';
import { DEFAULT_SPACE_THRESHOLDS, freeBytesOf, SpaceWatch } from '../data-dir/space.js';
import { toErrorParts } from '../thread/error-parts.js';
import type { CloseMessage } from '../thread/thread.js';
import { commitBatch } from './commit.js';
import { JournalLost } from './journal-lost.js';
import type { BatchToWrite, FromJournal, JournalMemory, JournalThreadOptions } from './messages.js';
import { SqliteStore } from './store.js';

type Message = BatchToWrite | CloseMessage;

const LOOK_EVERY_MS = 1_000;
/** No further batch shares the sync of this much text. */
const TOGETHER_CHARS_MAX = 1024 * 1024;

const port = must(parentPort, "the parent's port");
const { sent, activeMs } = workerData as JournalMemory;
const received = (): unknown => receiveMessageOnPort(port)?.message;
const nextMessage = (): Message | undefined => received() as Message | undefined;
Atomics.wait(sent, 0, 0);
const options = received() as JournalThreadOptions;
const post = (message: FromJournal): void => port.postMessage(message);

const space = new SpaceWatch(options.space ?? DEFAULT_SPACE_THRESHOLDS, () =>
  freeBytesOf(options.dir.journal),
);
let store: SqliteStore | null = null;
let hasFailed = false;
let isClosed = false;

/**
 * An error is reported and ends the thread, whatever else is waiting. With lost files the thread stops working but
 * goes on to exist: it alone still has them open.
 */
function attempt(piece: () => void): void {
  if (hasFailed) return;
  try {
    piece();
  } catch (thrown) {
    hasFailed = true;
    const error = toErrorParts(thrown);
    if (thrown instanceof JournalLost) {
      const heldSeq = must(store, 'the store').lastSeq;
      post({ kind: 'lost', error, heldSeq, rescue: thrown.rescue });
      // A thread that no longer works ends, unless it listens.
      port.on('message', () => {});
      return;
    }
    post({ kind: 'failed', error });
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

function commit(batches: readonly Batch[]): void {
  const journal = must(store, 'the store');
  if (options.sealsLate === true) roll(journal);
  const { lastSeq } = commitBatch(journal, ...batches);
  post(lastSeq);
  journal.checkpointIfDue();
  if (options.sealsLate !== true) roll(journal);
}

function roll(journal: SqliteStore): void {
  const startedMs = performance.now();
  const segment = journal.rollIfDue(Date.now());
  if (segment !== null) post({ kind: 'sealed', segment, tookMs: performance.now() - startedMs });
}

function close(): void {
  isClosed = true;
  must(store, 'the store').close();
  post({ kind: 'closed' });
}

function work(first: Message): void {
  const batches: Batch[] = [];
  let chars = 0;
  for (let message: Message | undefined = first; message !== undefined; message = nextMessage()) {
    if ('kind' in message) {
      assert(batches.length === 0, 'no commit may be in flight at the close');
      close();
      return;
    }
    const [firstSeq, lastSeq, timeMs, commands, digest] = message;
    batches.push({ firstSeq, lastSeq, timeMs, commands, digest });
    chars += commands.length;
    if (chars >= TOGETHER_CHARS_MAX) break;
  }
  commit(batches);
}

/** Tells operators of an idle journal, too, that its files are lost or its disk is full. */
function look(): void {
  must(store, 'the store').requireFiles();
  if (space.check()) post({ kind: 'space', level: space.level });
}

function serve(): void {
  let nowMs = performance.now();
  let lookAtMs = nowMs + LOOK_EVERY_MS;
  let waitedMs = 0;
  while (!hasFailed && !isClosed) {
    const sentBefore = Atomics.load(sent, 0);
    const message = nextMessage();
    if (message !== undefined) attempt(() => work(message));
    nowMs = performance.now();
    if (nowMs >= lookAtMs && !isClosed) {
      attempt(look);
      lookAtMs = nowMs + LOOK_EVERY_MS;
    }
    activeMs[0] = nowMs - waitedMs;
    if (message !== undefined) continue;
    Atomics.wait(sent, 0, sentBefore, lookAtMs - nowMs);
    waitedMs += performance.now() - nowMs;
  }
}

attempt(open);
serve();
