/** The keepers of the state on this machine: recovery, the journal, and the archive. */
import type { Config } from '../config/variables.js';
import type { EngineReads } from '../engine/engine.js';
import type { JournalWriter } from '../engine/model/ports.js';
import type { LeaderStatus } from '../http/metrics/replication.js';
import type { StartView } from '../http/operator/queries/status.js';
import { JournalThread, type StartedJournal } from '../persistence/journal/thread.js';
import { openStore, type Store } from '../persistence/recovery/open-store.js';
import { type ArchiveThreads, startArchiveThreads } from '../persistence/shadow/archive-threads.js';
import { systemClock } from '../process/clock.js';
import type { Log } from '../process/log/log.js';
import type { Reloads } from '../process/reloads.js';
import type { Shutdown } from '../process/shutdown.js';
import { logRecovered, recoveryLogger } from './start-lines.js';
import { logShadowNews, segmentSealedLogger } from './store-lines.js';

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
  readonly journal: StartedJournal;
  /** For `crypto/bet-hashes.ts`, shared by all threads. */
  readonly betHashes: SharedArrayBuffer;
  /** The replicated log has a batch, after this many milliseconds. */
  readonly onPublished: (tookMs: number) => void;
  /** Called now and then while this server follows a leader, into this engine. */
  readonly onFollowed: (engine: EngineReads) => void;
}

export function journalThread(
  { given, log, journal }: StorageOptions,
  store: Store,
  sealsLate: boolean,
): JournalThread {
  const { durability, segmentBytesMax } = given;
  const { dir, recovered } = store;
  const { lastSeq } = recovered;
  return new JournalThread(
    journal,
    { dir, durability, segmentBytesMax, lastSeq, sealsLate },
    segmentSealedLogger(log),
  );
}

/** Locks the data directory. */
export function recover(given: Config, log: Log): { readonly store: Store; readonly start: StartView } {
  const startedMs = performance.now();
  const clockStartMs = given.clock === 'manual' ? given.clockStartMs : null;
  const required = { requireData: given.isProduction, isFollower: given.role !== 'leader' };
  const store = openStore(given.dataDir, systemClock, recoveryLogger(log), { ...required, clockStartMs });
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
export function startArchive(
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
