/** The history of the replicated log on real NATS servers, read from its beginning. */
import { setTimeout as pause } from 'node:timers/promises';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { CHAIN_START } from '../../../persistence/journal/segment/batch-row.js';
import { BatchJoiner, decodeMessage } from '../../../persistence/replication/log/message.js';
import { Retry } from '../../../persistence/replication/log/retry.js';
import { NatsLog } from '../../../persistence/replication/nats/nats-log.js';
import type { NatsCluster } from './nats.js';

/** Servers that have just found each other again answer for their streams some seconds later. */
const retry = new Retry(
  () => pause(100),
  () => undefined,
);

export interface LogHistory {
  readonly leaders: ReadonlyMap<number, string>;
  readonly batches: readonly { readonly row: StoredBatch; readonly epoch: number }[];
  readonly messages: number;
}

export function openLog({ servers }: NatsCluster): Promise<NatsLog> {
  return retry.until(() => NatsLog.open({ servers, stream: 'tote', credentialsFile: null, tls: null }));
}

export async function historyOf(nats: NatsCluster): Promise<LogHistory> {
  const log = await openLog(nats);
  try {
    return await readHistory(log);
  } finally {
    await log.close();
  }
}

async function readHistory(log: NatsLog): Promise<LogHistory> {
  const joiner = new BatchJoiner({ lastSeq: 0, chain: CHAIN_START });
  const leaders = new Map<number, string>();
  const batches: { row: StoredBatch; epoch: number }[] = [];
  for (let sequence = 1; ; sequence++) {
    const entry = await retry.until(() => log.read(sequence));
    if (entry === null) return { leaders, batches, messages: sequence - 1 };
    const message = decodeMessage(entry.bytes, sequence);
    if (message.kind === 'takeover') leaders.set(message.epoch, message.node);
    const row = joiner.add(message, sequence);
    if (row !== null) batches.push({ row, epoch: message.epoch });
  }
}
