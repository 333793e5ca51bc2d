/**
 * From a data directory to a leader with a replicated log: recovery, the place in the log, following, and the takeover. The
 * archive follows from the beginning, so that a standby has its own snapshots, too.
 */
import type { JournalWriter } from '../../engine/model/ports.js';
import type { Store } from '../recovery/open-store.js';
import type { ArchiveThreads } from '../shadow/with-reader.js';
import { Membership, type MembershipEvents } from './membership.js';
import type { ReplicationOptions } from './messages.js';
import { takeBackLast } from './take-back.js';
import { ReplicationThread } from './thread.js';

/** As many snapshots back, the log is kept: a standby that begins with a backup finds all that came after it. */
const SNAPSHOTS_BACK = 3;

/** Ends a process that follows. */
export interface FollowingParts {
  readonly store: Store;
  readonly membership: Membership;
  close(): Promise<void>;
}

export interface UntilLeadingOptions<Disk extends JournalWriter> extends ReplicationOptions {
  /** Locks the data directory and recovers from it. */
  readonly open: () => Store;
  readonly journalOf: (store: Store) => Disk;
  /** Starts the archive, which goes no further than `replicatedSeq`. `onSnapshot` is to be called for each new one. */
  readonly archiveOf: (
    store: Store,
    replicatedSeq: BigInt64Array,
    onSnapshot: (seq: number) => void,
  ) => ArchiveThreads;
  readonly events: Omit<MembershipEvents, 'onJoined'> & {
    onFollowing(parts: FollowingParts): void;
    /** A sentence for the operator. */
    onTakenBack(sentence: string): void;
  };
}

export interface Leading<Disk> {
  /** As recovered, and gone on since. */
  readonly store: Store;
  readonly journal: JournalWriter;
  /** The part of it that writes to this machine's disk. */
  readonly disk: Disk;
  readonly archive: ArchiveThreads;
  readonly membership: Membership;
}

/** Resolves once this process leads. */
export async function untilLeading<Disk extends JournalWriter>(
  options: UntilLeadingOptions<Disk>,
): Promise<Leading<Disk>> {
  for (;;) {
    const store = options.open();
    const leading = await attempt(store, options);
    if (leading !== null) return leading;
    options.events.onTakenBack(takeBackLast(store.dir));
    store.lock.release();
  }
}

/** null where the journal's last batch must be taken back. */
async function attempt<Disk extends JournalWriter>(
  store: Store,
  options: UntilLeadingOptions<Disk>,
): Promise<Leading<Disk> | null> {
  const { journalOf, archiveOf, events } = options;
  const disk = journalOf(store);
  let archive: ArchiveThreads | null = null;
  const snapshots: number[] = [];
  const onSnapshot = (seq: number): void => {
    snapshots.push(seq);
    const oldest = snapshots.length < SNAPSHOTS_BACK ? undefined : snapshots.shift();
    if (oldest !== undefined) membership.covered(oldest);
  };
  const close = async (): Promise<void> => {
    await archive?.close();
    await membership.close();
    store.lock.release();
  };
  const { nats, node, leaseMs } = options;
  // An exchange that has begun does not begin again because its journal is missing here and in the log.
  const role = options.role === 'auto' && store.isAwaitingJournal ? 'standby' : options.role;
  const membership = new Membership(
    store,
    disk,
    (ofThread) => new ReplicationThread({ nats, role, node, leaseMs, dir: store.dir }, ofThread),
    { leaseMs, monotonicMs: () => performance.now() },
    {
      ...events,
      onJoined: () => {
        archive = archiveOf(store, membership.replicatedSeq, onSnapshot);
        events.onFollowing({ store, membership, close });
      },
    },
  );
  const journal = await membership.untilLeading();
  if (journal === null || archive === null) return null;
  const { engine, recovered } = store;
  const goneOn = { ...recovered, lastSeq: engine.seq, lastTimeMs: engine.timeMs };
  return { store: { ...store, recovered: goneOn }, journal, disk, archive, membership };
}
