/**
 * From a data directory to the recovered state and its keepers: the journal and the archive of this machine, and with
 * `TOTE_REPLICATION` a replicated log. A part of `main.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/variables.js';
import type { EngineReads } from '../engine/engine.js';
import type { JournalWriter } from '../engine/model/ports.js';
import { sessionKeyOf } from '../http/console/sessions.js';
import type { LeaderStatus, StandbyStatus } from '../http/metrics/replication.js';
import type { StartView } from '../http/operator/queries/status.js';
import { openStandbyPort } from '../http/standby/port.js';
import { dataDirLayout } from '../persistence/data-dir/layout.js';
import { openOperatorTokens } from '../persistence/data-dir/operator-tokens.js';
import { freeBytesOf, START_BYTES } from '../persistence/data-dir/space.js';
import { JournalThread } from '../persistence/journal/thread.js';
import { openStore, type Store } from '../persistence/recovery/open-store.js';
import { recoveryReporter } from '../persistence/replay/replay.js';
import type { NatsSettings } from '../persistence/replication/nats/nats-connection.js';
import { Replica } from '../persistence/replication/replica.js';
import { takeBackLast } from '../persistence/replication/take-back.js';
import { ReplicationThread } from '../persistence/replication/thread.js';
import { type ArchiveThreads, startArchiveThreads } from '../persistence/shadow/with-reader.js';
import { systemClock } from '../process/clock.js';
import type { Log } from '../process/log/log.js';
import type { Reloads } from '../process/reloads.js';
import type { Shutdown } from '../process/shutdown.js';
import { logRecovered, recoveryLogger } from './start-lines.js';
import { logShadowNews, replicationLogger, segmentSealedLogger } from './store-lines.js';

export interface Storage {
  readonly store: Store;
  readonly start: StartView;
  readonly journal: JournalWriter;
  /** The part of the journal that writes to this machine's disk. */
  readonly disk: JournalThread;
  archive(): ArchiveThreads;
  /** As this leader knows it; null where there is none. */
  replicatedLog(): LeaderStatus | null;
  /** Called once everything is durable, and nothing more will be accepted. */
  drained(): void;
}

export interface StorageOptions {
  readonly given: Config;
  readonly shutdown: Shutdown;
  readonly reloads: Reloads;
  readonly log: Log;
  readonly version: string;
  /** Of `crypto/bet-hashes.ts`, shared by all threads. */
  readonly betHashes: SharedArrayBuffer;
  /** The replicated log has a batch, after this many milliseconds. */
  readonly onPublished: (tookMs: number) => void;
  /** Called now and then while this server follows a leader, into this engine. */
  readonly onFollowed: (engine: EngineReads) => void;
}

/** With a replicated log it resolves once this process leads, which may be much later on a standby. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  await awaitSpace(options);
  const nats = natsOf(options.given);
  return nats === null ? openAlone(options) : openReplicated(options, nats);
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
  const disk = journalThread(given, store, log, false);
  return {
    ...{ store, start, journal: disk, disk },
    archive: () => startArchive(options, store),
    replicatedLog: () => null,
    drained: () => undefined,
  };
}

/** Recovers, joins the log, follows the leader, and leads. The archive follows from the beginning, so a standby has snapshots, too. */
async function openReplicated(options: StorageOptions, nats: NatsSettings): Promise<Storage> {
  const { given, shutdown, log } = options;
  const { node } = given;
  for (;;) {
    const { store, start } = recover(given, log);
    const disk = journalThread(given, store, log, true);
    const replica = startReplica(options, nats, store, disk);
    if (!(await replica.joined)) {
      log.write('batch_rolled_back', {}, takeBackLast(store.dir));
      store.lock.release();
      continue;
    }
    const onSnapshot = (seq: number): void => replica.snapshotTaken(seq);
    const { replicatedSeq } = replica;
    const archive = startArchive(options, store, { replicatedSeq, onSnapshot });
    const closePort = openFollowersPort(options, store, replica);
    const close = async (): Promise<void> => {
      await archive.close();
      await replica.close();
      store.lock.release();
    };
    shutdown.watch({ drain: closePort, close });
    options.onFollowed(store.engine);
    const journal = await replica.leading;
    await closePort();
    log.write('leading', { node, epoch: replica.log.epoch });
    const { engine, recovered } = store;
    const goneOn = { ...recovered, lastSeq: engine.seq, lastTimeMs: engine.timeMs };
    return {
      ...{ store: { ...store, recovered: goneOn }, start, journal, disk },
      archive: () => archive,
      replicatedLog: () => ({ role: 'leader', node, ...replica.log }),
      drained: () => replica.release(),
    };
  }
}

function journalThread(given: Config, store: Store, log: Log, sealsLate: boolean): JournalThread {
  const { durability, segmentBytesMax } = given;
  const { dir, recovered } = store;
  const { lastSeq } = recovered;
  return new JournalThread(
    { dir, durability, segmentBytesMax, lastSeq, sealsLate },
    segmentSealedLogger(log),
  );
}

function startReplica(
  { given, shutdown, log, onPublished, onFollowed }: StorageOptions,
  nats: NatsSettings,
  store: Store,
  disk: JournalThread,
): Replica {
  const { node, leaseMs } = given;
  // An exchange that has begun does not begin again because its journal is missing here and in the log.
  const role = given.role === 'auto' && store.isAwaitingJournal ? 'standby' : given.role;
  const { onStatus, onTrouble } = replicationLogger(log);
  const replica = new Replica(
    store,
    disk,
    (events) => new ReplicationThread({ nats, role, node, leaseMs, dir: store.dir }, events),
    { leaseMs, monotonicMs: systemClock.monotonicMs },
    {
      onStatus: (status) => {
        onStatus(status);
        if (replica.isFollowing) onFollowed(store.engine);
      },
      onTrouble,
      onPublished,
      onHandOver: (to) => shutdown.handOver(to),
      onFailure: (error) => shutdown.fatal(error),
    },
  );
  return replica;
}

/** Returns a function that closes the port. */
function openFollowersPort(
  { given, shutdown, reloads, log, version }: StorageOptions,
  store: Store,
  replica: Replica,
): () => Promise<void> {
  const { operatorToken: token, operatorTokensFile: file } = given;
  const port = openStandbyPort(given, {
    readTokens: () => openOperatorTokens({ dir: store.dir, token, file }),
    status: () => standbyStatus(given.node, store, replica),
    sessionKey: sessionKeyOf(store.masterSecret),
    ...{ reloads, version, log },
    onFatal: (error) => shutdown.programmingError(error),
  });
  port.catch((error: unknown) => shutdown.fatal(error));
  return async () => (await port).close();
}

function standbyStatus(node: string, { engine }: Store, { following, log }: Replica): StandbyStatus {
  const { streamSequence, trouble, awayMs, leaseAgeMs } = log;
  const lease = following?.lease ?? 'none';
  return {
    role: 'standby',
    node,
    leader: following === null || following.leader === '' ? null : following.leader,
    lease,
    leaseAgeMs: lease === 'none' ? null : leaseAgeMs,
    epoch: following?.epoch ?? 0,
    sequence: engine.seq,
    streamSequence,
    messagesBehind: following === null ? null : following.lastSequence - following.readSequence,
    behindMs: following === null ? null : Math.round(following.behindMs),
    trouble,
    awayMs,
  };
}

/** Locks the data directory. */
function recover(given: Config, log: Log): { readonly store: Store; readonly start: StartView } {
  const startedMs = performance.now();
  const onProgress = recoveryReporter(systemClock, recoveryLogger(log));
  const required = { requireData: given.isProduction, isFollower: given.role !== 'leader' };
  const store = openStore(given.dataDir, systemClock, onProgress, required);
  const tookMs = performance.now() - startedMs;
  logRecovered(log, store.recovered, store.engine, tookMs);
  const { snapshotSeq, lastSeq } = store.recovered;
  return { store, start: { snapshotSeq, lastSeq, tookMs } };
}

/** `replicatedSeq` bounds the archive. */
interface Bound {
  readonly replicatedSeq?: BigInt64Array;
  readonly onSnapshot?: (seq: number) => void;
}

/** Limits what a start replays where commands are few. */
const SNAPSHOT_EVERY_MS = 15 * 60_000;
/** A start replays for about so long at the most. */
const SNAPSHOT_REPLAY_MS = 5_000;

/** Snapshots and archive, and reading it, on threads of their own. A fault in the state itself ends the server. */
function startArchive(
  { given, shutdown, log, betHashes }: StorageOptions,
  store: Store,
  { onSnapshot = () => undefined, ...bound }: Bound = {},
): ArchiveThreads {
  const { snapshotCommands, retentionMs: segmentsKeptMs } = given;
  return startArchiveThreads(
    {
      ...{ snapshotCommands, snapshotEveryMs: SNAPSHOT_EVERY_MS, snapshotReplayMs: SNAPSHOT_REPLAY_MS },
      ...{ segmentsKeptMs, ...bound },
    },
    betHashes,
    store,
    {
      onDiverged: (error) => shutdown.fatal(error),
      onNote: (note) => log.write('shadow_warning', {}, note),
      onNews: (news) => {
        logShadowNews(log, news);
        if (news.kind === 'snapshot') onSnapshot(news.seq);
      },
      onFatal: (error) => shutdown.programmingError(error),
    },
  );
}
