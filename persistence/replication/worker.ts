/**
 * The replication's thread: follows the log, then leads. It has a connection and a journal to read, and speaks with the
 * engine's thread in messages. The first error ends its work for good, and that thread ends the process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import type { Batch, StoredBatch } from '../../engine/model/ports.js';
import { toErrorParts } from '../journal/messages.js';
import { openJournalReader } from '../journal/reader.js';
import { journalEnds } from './local-journal.js';
import type { FollowStatus } from './log/follower.js';
import { Follower } from './log/follower.js';
import { Leader } from './log/leader.js';
import { NatsLog } from './log/nats-log.js';
import { Patience } from './log/patience.js';
import { deleteCovered } from './log/retention.js';
import type { FromReplication, ReplicationThreadOptions, ToReplication } from './messages.js';

const PAUSE_MS = 100;
/** Characters of batches that the engine's thread has been told of and has not taken yet. */
const UNTAKEN_CHARS_MAX = 4 * 1024 * 1024;
const RENEWALS_PER_LEASE = 3;
/** How long a process that ends tries to give the lease back. */
const RELEASE_MS_MAX = 1_000;

const port = must(parentPort, "the parent's port");
const options = workerData as ReplicationThreadOptions;
const { dir, nats, node, role, leaseMs } = options;
const post = (message: FromReplication): void => port.postMessage(message);
const monotonicMs = (): number => performance.now();
const patience = new Patience(
  () => delay(PAUSE_MS),
  (reason) => post({ kind: 'trouble', reason }),
);

let untakenChars = 0;
let wake: () => void = () => undefined;
let leader: Leader | null = null;
let isReleased = false;

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A pause that a message or news of one may shorten. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

async function onBatch(row: StoredBatch): Promise<void> {
  untakenChars += row.commands.length;
  post({ kind: 'batch', row });
  while (untakenChars > UNTAKEN_CHARS_MAX) await rest(PAUSE_MS);
}

async function untilLeading(log: NatsLog): Promise<Leader | null> {
  const reader = openJournalReader(dir);
  const journal = { ...journalEnds(dir), chainAt: (seq: number) => reader.chainAt(seq) };
  const onStatus = (status: FollowStatus): void => {
    post({ kind: 'following', status });
    const { readSequence, lastSequence, behindMs } = status;
    log.report({ node, messagesBehind: lastSequence - readSequence, behindMs });
  };
  const ofFollower = { role, node, leaseMs, monotonicMs, patience, rest, onBatch, onStatus };
  const follower = await Follower.start(log, journal, ofFollower);
  if (follower === null) {
    reader.close();
    post({ kind: 'unpublished' });
    return null;
  }
  post({ kind: 'joined', seq: follower.seq });
  log.onReleased(() => {
    follower.lookSoon();
    wake();
  });
  for (;;) {
    const from = await follower.untilLeaderless();
    const taken = await Leader.takeOver(log, from, { node, leaseMs, monotonicMs, patience });
    if (taken === null) continue;
    if (follower.isAhead) for (const row of reader.readBatches(from.at.lastSeq)) await taken.publish(row);
    reader.close();
    return taken;
  }
}

async function run(): Promise<void> {
  const log = await patience.until(() => NatsLog.open(nats));
  log.onNews(() => wake());
  leader = await untilLeading(log);
  if (leader === null) return;
  log.onHandOver(node, (to) => post({ kind: 'handOver', to }));
  log.onReport((report) => post({ kind: 'standby', report }));
  post({ kind: 'leading', epoch: leader.epoch, sequence: leader.sequence });
  const publish = async (batch: Batch): Promise<void> => {
    const leading = must(leader, 'the leader');
    await leading.publish(batch);
    post({ kind: 'published', lastSeq: batch.lastSeq, sequence: leading.sequence });
  };
  port.on('message', (message: ToReplication) => {
    if (message.kind === 'publish') publish(message.batch).catch(failed);
    else if (message.kind === 'covered') patience.until(() => deleteCovered(log, message.seq)).catch(failed);
  });
  for (;;) {
    await delay(leaseMs / RENEWALS_PER_LEASE);
    await patience.until(() => must(leader, 'the leader').renew());
    post({ kind: 'renewed' });
  }
}

function failed(thrown: unknown): void {
  post({ kind: 'failed', error: toErrorParts(thrown) });
  port.close();
}

/** Servers that do not answer need not be waited for: the lease lapses. */
async function release(successor: string): Promise<void> {
  if (leader === null || isReleased) return;
  isReleased = true;
  await Promise.race([leader.release(successor).catch(() => undefined), delay(RELEASE_MS_MAX)]);
}

async function close(): Promise<void> {
  await release('');
  post({ kind: 'closed' });
  process.exit();
}

port.on('message', (message: ToReplication) => {
  if (message.kind === 'taken') {
    untakenChars -= message.chars;
    wake();
  } else if (message.kind === 'release') void release(message.successor);
  else if (message.kind === 'close') void close();
});
run().catch(failed);
