/** Whether the NATS servers have a replicated log: for those who must not make one. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ANSWER_MS_MAX, connectionOptions, type NatsSettings } from './nats-connection.js';
import { hasStream } from './stream.js';

/** Throws if no server answers. */
export async function hasLog(settings: NatsSettings): Promise<boolean> {
  const connection = await connect(connectionOptions(settings));
  try {
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS_MAX });
    const { stream } = settings;
    return (await hasStream(manager, stream)) && (await hasStream(manager, `KV_${stream}-lease`));
  } finally {
    await connection.close();
  }
}
