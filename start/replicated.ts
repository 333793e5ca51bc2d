/** The state of a machine that shares a replicated log with others: it follows the leader, or leads. */
import { resolveSetup } from '../config/setup.js';
import type { Config } from '../config/variables.js';
import { sessionKeyOf } from '../http/console/sessions.js';
import type { StandbyStatus } from '../http/metrics/replication.js';
import { openStandbyPort } from '../http/standby/port.js';
import { openOperatorTokens } from '../persistence/data-dir/operator-tokens.js';
import { masterSecretFingerprint } from '../persistence/data-dir/secrets.js';
import type { JournalThread } from '../persistence/journal/thread.js';
import type { Store } from '../persistence/recovery/open-store.js';
import type { NatsSettings } from '../persistence/replication/nats/nats-connection.js';
import { Replica } from '../persistence/replication/replica.js';
import { takeBackLast } from '../persistence/replication/take-back.js';
import { ReplicationThread } from '../persistence/replication/thread.js';
import { systemClock } from '../process/clock.js';
import { journalThread, recover, type Storage, type StorageOptions, startArchive } from './keepers.js';
import { refuseToStart } from './start-lines.js';
import { replicationLogger } from './store-lines.js';

/** Recovers, joins the log, follows the leader, and leads. The archive follows from the beginning, so a standby has snapshots, too. */
export async function openReplicated(options: StorageOptions, nats: NatsSettings): Promise<Storage> {
  const { given, shutdown, log } = options;
  const { node } = given;
  for (;;) {
    const { store, start } = recover(given, log);
    const disk = journalThread(options, store, true);
    const replica = startReplica(options, nats, store, disk);
    if (!(await replica.joined)) {
      log.write('batch_rolled_back', {}, takeBackLast(store.dir));
      store.lock.release();
      continue;
    }
    const onSnapshot = (seq: number): void => replica.snapshotTaken(seq);
    const { replicatedSeq } = replica;
    const archive = startArchive(options, store, { replicatedSeq, onSnapshot });
    archive.shadow.begin();
    const closePort = openFollowersPort(options, store, replica);
    const close = async (): Promise<void> => {
      await archive.close();
      await replica.close();
      store.lock.release();
    };
    shutdown.watch({ drain: closePort, close });
    options.onFollowed(store.engine);
    const journal = await replica.leading;
    // A stop that has begun closes the standby.
    if (shutdown.isStopping) await new Promise(() => undefined);
    shutdown.unwatch();
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

function startReplica(
  { given, shutdown, log, onPublished, onFollowed }: StorageOptions,
  nats: NatsSettings,
  store: Store,
  disk: JournalThread,
): Replica {
  const { node, leaseMs } = given;
  // An exchange that has begun does not begin again because its journal is missing here and in the log.
  const role = given.role === 'auto' && store.isAwaitingJournal ? 'standby' : given.role;
  const exchange = masterSecretFingerprint(store.masterSecret);
  const { onStatus, onTrouble } = replicationLogger(log);
  const replica = new Replica(
    store,
    disk,
    (events) => new ReplicationThread({ nats, role, node, exchange, leaseMs, dir: store.dir }, events),
    { leaseMs, monotonicMs: systemClock.monotonicMs },
    {
      onStatus: (status) => {
        onStatus(status);
        if (!replica.isFollowing) return;
        onFollowed(store.engine);
        if (status.readSequence === status.lastSequence) refuseOtherSetup(given, store.engine);
      },
      onTrouble,
      onPublished,
      onHandOver: (to) => shutdown.handOver(to),
      onFailure: (error) => {
        // A machine that is to lead at once has not started either.
        if (replica.isJoining || given.role === 'leader') refuseToStart(error);
        shutdown.fatal(error);
      },
    },
  );
  return replica;
}

/** A machine that would be refused as a leader must not pass for a standby. Who leads reads the rules anew. */
function refuseOtherSetup(given: Config, { setup }: Store['engine']): void {
  if (setup === null) return;
  try {
    resolveSetup({ ...given, rules: null }, setup);
  } catch (error) {
    refuseToStart(error);
  }
}

/** Returns a function that closes the port. */
function openFollowersPort(
  { given, shutdown, reloads, log, version }: StorageOptions,
  store: Store,
  replica: Replica,
): () => Promise<void> {
  const { operatorToken: token, operatorTokensFile: file } = given;
  const port = openStandbyPort(given, {
    readTokens: (mayCreate) => openOperatorTokens({ dir: store.dir, token, file }, mayCreate),
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
  // While the log gives no answer, the last status is old.
  const known = trouble === null ? following : null;
  return {
    role: 'standby',
    node,
    leader: following === null || following.leader === '' ? null : following.leader,
    lease: trouble === null ? lease : null,
    leaseAgeMs: lease === 'none' ? null : leaseAgeMs,
    epoch: following?.epoch ?? 0,
    sequence: engine.seq,
    streamSequence,
    messagesBehind: known === null ? null : known.lastSequence - known.readSequence,
    behindMs: known === null ? null : Math.round(known.behindMs),
    trouble,
    awayMs,
  };
}
