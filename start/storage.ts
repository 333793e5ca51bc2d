/**
 * From a data directory to the recovered state and its keepers: the journal and the archive of this machine, and with
 * `TOTE_REPLICATION` a replicated log.
 */
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/variables.js';
import { dataDirLayout } from '../persistence/data-dir/layout.js';
import { freeBytesOf, START_BYTES } from '../persistence/data-dir/space.js';
import type { NatsSettings } from '../persistence/replication/nats/nats-connection.js';
import { journalThread, recover, type Storage, type StorageOptions, startArchive } from './keepers.js';

/** With a replicated log it resolves once this process leads, which may be much later on a standby. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  await awaitSpace(options);
  const nats = natsOf(options.given);
  if (nats === null) return openAlone(options);
  const { openReplicated } = await import('./replicated.js');
  return openReplicated(options, nats);
}

/** null where the journal is on this machine alone. */
function natsOf(given: Config): NatsSettings | null {
  const { replication, replicationStream: stream, replicationCredentials: credentialsFile } = given;
  if (replication === null) return null;
  const tls = replication.isTls ? { caFile: given.replicationCa } : null;
  return { servers: replication.servers, stream, credentialsFile, tls };
}

const LOOK_FOR_SPACE_EVERY_MS = 2_000;

/** The process waits: a supervisor that starts it again and again gives up after a few times. */
async function awaitSpace({ given, log }: StorageOptions): Promise<void> {
  const { journal, root: directory } = dataDirLayout(given.dataDir);
  const freeBytes = freeBytesOf(journal);
  if (freeBytes >= START_BYTES) return;
  const mib = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;
  const sentence = `the start waits for space: ${mib(freeBytes)} are free at ${directory}, and it needs ${mib(START_BYTES)}`;
  log.write('disk_awaited', { directory, freeBytes, neededBytes: START_BYTES }, sentence);
  do await pause(LOOK_FOR_SPACE_EVERY_MS);
  while (freeBytesOf(journal) < START_BYTES);
}

function openAlone(options: StorageOptions): Storage {
  const { given, log } = options;
  const { store, start } = recover(given, log);
  const { root, epochFile } = store.dir;
  if (existsSync(epochFile)) {
    const seen = `${root} was a leader's or a standby's, and TOTE_REPLICATION is not set: no other machine gets what this server`;
    const sentence = `${seen} acknowledges. If another one serves this exchange, stop this one`;
    log.write('unsafe_setting', {}, sentence);
  }
  const disk = journalThread(options, store, false);
  return {
    ...{ store, start, journal: disk, disk },
    archive: () => startArchive(options, store),
    replicatedLog: () => null,
    drained: () => undefined,
  };
}
