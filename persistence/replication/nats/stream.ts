import { JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { messageOf } from '../../../engine/base/attempt.js';
import { JournalError } from '../../errors.js';
import { ANSWER_MS_MAX, connectTo, type NatsSettings } from './nats-connection.js';

/** JetStream knows repeated messages by their ids for this long. Later ones are found by their place (`Leader`). */
const DUPLICATES_KNOWN_MS = 120_000;
const MS_TO_NS = 1_000_000;
export const STREAM_NOT_FOUND = 10_059;
const NO_SUITABLE_PEERS = 10_005;

export const subjectOf = (stream: string): string => `${stream}.journal`;

export async function hasStream(jsm: JetStreamManager, stream: string): Promise<boolean> {
  try {
    await jsm.streams.info(stream);
    return true;
  } catch (thrown) {
    if (thrown instanceof JetStreamApiError && thrown.code === STREAM_NOT_FOUND) return false;
    throw thrown;
  }
}

/** Throws `replication_unreachable` if the servers cannot have it. */
export async function makeStream(jsm: JetStreamManager, stream: string, replicas: number): Promise<void> {
  try {
    await jsm.streams.add({
      name: stream,
      subjects: [subjectOf(stream)],
      storage: 'file',
      retention: 'limits',
      discard: 'new',
      num_replicas: replicas,
      duplicate_window: DUPLICATES_KNOWN_MS * MS_TO_NS,
      deny_delete: true,
    });
  } catch (thrown) {
    // Servers that have just found each other may take their time, and not all of them need be there yet.
    if (!(thrown instanceof JetStreamApiError) || thrown.code === NO_SUITABLE_PEERS) throw thrown;
    throw new JournalError(
      'replication_unreachable',
      `The stream ${stream} could not be made on the NATS servers: ${messageOf(thrown)}. They need JetStream, and ${replicas} of them a quorum.`,
      { cause: thrown },
    );
  }
}

/** For programs that must not make a log. Throws if no server answers. */
export async function hasLog(settings: NatsSettings): Promise<boolean> {
  const connection = await connectTo(settings);
  try {
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS_MAX });
    const { stream } = settings;
    return (await hasStream(manager, stream)) && (await hasStream(manager, `KV_${stream}-lease`));
  } finally {
    await connection.close();
  }
}
