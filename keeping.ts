/**
 * From a data directory to the recovered state and what keeps it: the journal and the archive of this machine, and with
 * `TOTE_REPLICATION` a replicated log. A part of `main.ts`.
 */

import type { Config } from './config/config.js';
import { type ReplicationSettings, replicationOf } from './config/replication-variables.js';
import { must } from './engine/base/assert.js';
import type { JournalWriter } from './engine/model/ports.js';
import type { EngineReads } from './engine/model/views.js';
import type { LeaderLog, StandbyStatus } from './http/metrics/replication.js';
import type { StartView } from './http/operator/desk/status.js';
import { openOperatorTokens } from './persistence/data-dir/operator-tokens.js';
import { JournalThread } from './persistence/journal/thread.js';
import { openStore, type Store } from './persistence/recovery/open-store.js';
import { recoveryReporter } from './persistence/recovery/progress.js';
import type { Membership } from './persistence/replication/membership.js';
import type { FollowingParts } from './persistence/replication/until-leading.js';
import { type ArchiveThreads, startArchiveThreads } from './persistence/shadow/with-reader.js';
import { systemClock } from './process/clock.js';
import type { Log } from './process/log/log.js';
import { replicationLogger } from './process/log/replication-lines.js';
import { segmentSealedLogger, shadowNewsLogger } from './process/log/store-lines.js';
import type { Reloads } from './process/reloads.js';
import type { Shutdown } from './process/shutdown.js';
import { logRecovered, recoveryLogger } from './start/start-lines.js';

/** The recovered state, and what keeps what comes: this machine alone, or a replicated log, too. */
export interface Keeping {
  readonly store: Store;
  readonly journal: JournalWriter;
  /** The part of it that writes to this machine's disk. */
  readonly disk: JournalThread;
  archive(): ArchiveThreads;
  /** What is known of the replicated log; null where there is none. */
  replicatedLog(): LeaderLog | null;
  /** Everything is durable, and nothing more will be accepted. */
  drained(): void;
}

export interface KeepOptions {
  readonly given: Config;
  readonly shutdown: Shutdown;
  readonly reloads: Reloads;
  readonly log: Log;
  /** Of this server. */
  readonly version: string;
  /** The replicated log has a batch, after so many milliseconds. */
  readonly onPublished: (tookMs: number) => void;
  /** Called now and then while this server follows a leader, into this engine. */
  readonly onFollowed: (engine: EngineReads) => void;
}

/** With a replicated log it resolves once this process leads, which a standby may do much later. */
export async function keep(options: KeepOptions): Promise<Keeping & { start: StartView }> {
  const { given, shutdown, log } = options;
  const starts: StartView[] = [];
  const open = (): Store => {
    const { store, start } = recover(given, log);
    starts.push(start);
    return store;
  };
  const settings = replicationOf(given);
  const { durability, segmentBytesMax } = given;
  const journalOf = ({ dir, recovered: { lastSeq } }: Store): JournalThread => {
    const ofThread = { dir, durability, segmentBytesMax, lastSeq, sealsLate: settings !== null };
    return new JournalThread(ofThread, segmentSealedLogger(log));
  };
  const made = (): StartView => must(starts.at(-1), 'a recovery');
  if (settings === null) {
    const store = open();
    const disk = journalOf(store);
    const archive = (): ArchiveThreads => startArchive(given, store, shutdown, log);
    const alone = { replicatedLog: () => null, drained: () => undefined };
    return { store, journal: disk, disk, archive, ...alone, start: made() };
  }
  const { archive, ...leading } = await lead({ ...options, settings, open, journalOf });
  return { ...leading, archive: () => archive, start: made() };
}

interface LeadParts extends KeepOptions {
  readonly settings: ReplicationSettings;
  readonly open: () => Store;
  readonly journalOf: (store: Store) => JournalThread;
}

/** Follows the replicated log, with the operators' port of a standby, until this process leads. */
async function lead({ settings, open, journalOf, ...options }: LeadParts) {
  const { given, shutdown, reloads, log, version, onPublished, onFollowed } = options;
  // A server of one machine has no use for these.
  const { untilLeading } = await import('./persistence/replication/until-leading.js');
  const { openStandbyPort } = await import('./http/standby/port.js');
  let port: ReturnType<typeof openStandbyPort> | null = null;
  let following: Store | null = null;
  const closePort = async (): Promise<void> => (await port)?.close();
  const onFollowing = ({ store, membership, close }: FollowingParts): void => {
    const { operatorToken: token, operatorTokensFile: file } = given;
    const facts = (): StandbyStatus => standbyStatus(settings.node, store, membership);
    port = openStandbyPort(given, {
      readTokens: () => openOperatorTokens({ dir: store.dir, token, file }),
      reloads,
      facts,
      version,
      log,
      onFatal: (error) => shutdown.programmingError(error),
    });
    port.catch((error: unknown) => shutdown.fatal(error));
    shutdown.watch({ drain: closePort, close });
    following = store;
    onFollowed(store.engine);
  };
  const lines = replicationLogger(log);
  const { membership, ...leading } = await untilLeading({
    ...settings,
    open,
    journalOf,
    archiveOf: (store, replicatedSeq, onSnapshot) =>
      startArchive(given, store, shutdown, log, { replicatedSeq, onSnapshot }),
    events: {
      ...lines,
      onStatus: (status) => {
        lines.onStatus(status);
        if (following !== null) onFollowed(following.engine);
      },
      onFollowing,
      onPublished,
      onHandOver: (to) => shutdown.handOver(to),
      onFailure: (error) => shutdown.fatal(error),
    },
  });
  await closePort();
  const { node } = settings;
  log.write('leading', { node, epoch: membership.log.epoch });
  const replicatedLog = (): LeaderLog => ({ node, ...membership.log });
  return { ...leading, replicatedLog, drained: () => membership.release() };
}

function standbyStatus(node: string, { engine }: Store, { following, log }: Membership): StandbyStatus {
  const { sequence, trouble, awayMs } = log;
  return {
    role: 'standby',
    node,
    leader: following === null || following.leader === '' ? null : following.leader,
    lease: following?.lease ?? 'none',
    epoch: following?.epoch ?? 0,
    sequence: engine.seq,
    streamSequence: sequence,
    messagesBehind: following === null ? null : following.lastSequence - following.readSequence,
    behindMs: following === null ? null : Math.round(following.behindMs),
    trouble,
    awayMs: Math.round(awayMs),
  };
}

/** Locks the data directory and recovers the engine from it. */
function recover(given: Config, log: Log): { readonly store: Store; readonly start: StartView } {
  const startedMs = performance.now();
  const onProgress = recoveryReporter(systemClock, recoveryLogger(log));
  const { requireData, role } = given;
  const isFollower = role !== 'leader';
  const store = openStore(given.dataDir, systemClock, onProgress, { requireData, isFollower });
  const tookMs = performance.now() - startedMs;
  logRecovered(log, store.recovered, store.engine, tookMs);
  const { snapshotSeq, lastSeq } = store.recovered;
  return { store, start: { snapshotSeq, lastSeq, tookMs } };
}

/** How far the archive may go, and who is told of its snapshots. */
interface Bound {
  readonly replicatedSeq?: BigInt64Array;
  readonly onSnapshot?: (seq: number) => void;
}

/** Snapshots and archive, and reading it, on threads of their own. A fault in the state itself ends the server. */
function startArchive(
  config: Config,
  store: Store,
  shutdown: Shutdown,
  log: Log,
  { onSnapshot = () => undefined, ...bound }: Bound = {},
): ArchiveThreads {
  const { snapshotCommands, snapshotEveryMs, snapshotsKept, retentionMs: segmentsKeptMs } = config;
  const logNews = shadowNewsLogger(log);
  return startArchiveThreads(
    { snapshotCommands, snapshotEveryMs, snapshotsKept, segmentsKeptMs, ...bound },
    store,
    {
      onDiverged: (error) => shutdown.fatal(error),
      onNote: (note) => log.write('shadow_note', {}, note),
      onNews: (news) => {
        logNews(news);
        if (news.kind === 'snapshot') onSnapshot(news.seq);
      },
      onFatal: (error) => shutdown.programmingError(error),
    },
  );
}
