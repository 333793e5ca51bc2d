/** The replication's thread. The first error ends its work for good, and the engine's thread ends the process. */
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { systemClock } from '../../process/clock.js';
import { closing } from '../data-dir/closing.js';
import { JournalReader } from '../journal/reader.js';
import { findSegments } from '../journal/segment/names.js';
import { Segment } from '../journal/segment/segment.js';
import type { CloseMessage } from '../thread/thread.js';
import { EpochFile } from './epoch-file.js';
import type { FromReplication, ReplicationOptions, ToReplication } from './messages.js';
import { NatsLog } from './nats/nats-log.js';
import { ServerWatch } from './nats/server-watch.js';
import { type OpenJournal, Replicator, type Timers } from './replicator.js';

const port = must(parentPort, "the parent's port");
const { dir, nats, ...options } = workerData as ReplicationOptions;
const tell = (message: FromReplication): void => port.postMessage(message);
const servers = new ServerWatch(nats.servers, (reason) => tell({ kind: 'trouble', reason }));
const post = (message: FromReplication): void =>
  message.kind === 'trouble' ? servers.onTrouble(message.reason) : tell(message);

const timers: Timers = {
  monotonicMs: systemClock.monotonicMs,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The journal's place in the log is found by its last batch and the one before. */
function journalEnds() {
  const path = must(findSegments(dir.journal).at(-1), 'a segment of the journal');
  using segment = closing(Segment.open(path, 'read'));
  const tail = segment.tail();
  if (tail === null) return { end: segment.start, beforeLast: null };
  const { firstSeq, lastSeq, chain } = tail;
  const beforeSeq = firstSeq - 1;
  const before = must(segment.chainAt(beforeSeq), 'the chain hash before the last batch');
  return { end: { lastSeq, chain }, beforeLast: { lastSeq: beforeSeq, chain: before } };
}

function openJournal(): OpenJournal {
  const reader = new JournalReader(dir);
  return {
    ...journalEnds(),
    chainAt: (seq) => reader.chainAt(seq),
    readBatches: (afterSeq) => reader.readBatches(afterSeq),
    close: () => reader.close(),
  };
}

const openLog = (): Promise<NatsLog> => NatsLog.open(nats);
const onFailure = (): void => port.close();
const epochs = new EpochFile(dir.epochFile);
const replicator = new Replicator({ ...options, timers, epochs, openLog, openJournal, post, onFailure });

async function close(): Promise<void> {
  await replicator.release('');
  process.exit();
}

port.on('message', (message: ToReplication | CloseMessage) => {
  if (message.kind === 'close') void close();
  else replicator.take(message);
});
replicator.start();
