/**
 * The replication's thread. It has a connection and a journal to read, and speaks with the engine's thread in messages. The
 * first error ends its work for good, and that thread ends the process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import { openJournalReader } from '../journal/reader.js';
import type { OpenJournal } from './candidate.js';
import { EpochFile } from './epoch-file.js';
import { journalEnds } from './local-journal.js';
import type { FromReplication, ReplicationThreadOptions, ToReplication } from './messages.js';
import { NatsLog } from './nats/nats-log.js';
import { Replicator, type Timers } from './replicator.js';

const port = must(parentPort, "the parent's port");
const { dir, nats, ...options } = workerData as ReplicationThreadOptions;
const post = (message: FromReplication): void => port.postMessage(message);

const timers: Timers = {
  monotonicMs: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

function openJournal(): OpenJournal {
  const reader = openJournalReader(dir);
  return {
    ...journalEnds(dir),
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
  post({ kind: 'closed' });
  process.exit();
}

port.on('message', (message: ToReplication) => {
  if (message.kind === 'close') void close();
  else replicator.take(message);
});
replicator.start();
