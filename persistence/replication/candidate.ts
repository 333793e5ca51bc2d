/**
 * From a journal's place in the replicated log to the lead: follows, finds the place anew where the log has lost it,
 * takes over, and publishes the batches that only this journal has.
 */
import type { StoredBatch } from '../../engine/model/ports.js';
import { Follower, type FollowerOptions, PlaceLost } from './log/follower.js';
import { Leader } from './log/leader.js';
import { type LocalJournal, unpublished } from './log/locate.js';
import type { Patience } from './log/patience.js';
import type { LeaseStore, ReplicatedLog } from './log/replicated-log.js';

export interface OpenJournal extends LocalJournal {
  readBatches(afterSeq: number): Iterable<StoredBatch>;
  close(): void;
}

export interface CandidateParts extends FollowerOptions {
  readonly log: ReplicatedLog & LeaseStore;
  readonly openJournal: () => OpenJournal;
  readonly ofLeader: Record<'publish' | 'lease', Patience>;
  /** Resolves once all batches that were handed over are in the engine and on the disk. */
  readonly allTaken: () => Promise<void>;
  /** Called once: the log has the journal up to this command. */
  readonly onJoined: (seq: number) => void;
}

export const RENEWALS_PER_LEASE = 3;
export class Candidate {
  #follower: Follower | null = null;
  #hasJoined = false;

  constructor(private readonly parts: CandidateParts) {}

  lookSoon(): void {
    this.#follower?.lookSoon();
  }

  /** null if the journal's last batch must be taken back first; nothing was handed over then. */
  async untilLeading(): Promise<Leader | null> {
    const { openJournal, allTaken, onJoined } = this.parts;
    for (;;) {
      const journal = openJournal();
      try {
        const follower = await this.#follow(journal);
        if (follower === null && this.#hasJoined) throw unpublished(journal.end.lastSeq);
        if (follower === null) return null;
        if (!this.#hasJoined) onJoined(follower.seq);
        this.#hasJoined = true;
        return await this.#takeOver(follower, journal);
      } catch (thrown) {
        if (!(thrown instanceof PlaceLost)) throw thrown;
        this.parts.onLost(thrown.message);
      } finally {
        journal.close();
      }
      await allTaken();
    }
  }

  async #follow(journal: LocalJournal): Promise<Follower | null> {
    const follower = await Follower.start(this.parts.log, journal, this.parts);
    this.parts.onLost(null);
    this.#follower = follower;
    return follower;
  }

  async #takeOver(follower: Follower, journal: OpenJournal): Promise<Leader> {
    const { log, node, leaseMs, monotonicMs, ofLeader } = this.parts;
    for (;;) {
      const from = await follower.untilLeaderless();
      const leader = await Leader.takeOver(log, from, {
        ...{ node, leaseMs, monotonicMs },
        patience: ofLeader.publish,
      });
      if (leader === null) continue;
      if (follower.isAhead) await this.#publishAll(leader, journal.readBatches(from.at.lastSeq));
      return leader;
    }
  }

  /** After a time without replication there may be many: the lease must not lapse meanwhile. */
  async #publishAll(leader: Leader, rows: Iterable<StoredBatch>): Promise<void> {
    const { monotonicMs, leaseMs, ofLeader } = this.parts;
    let renewedMs = monotonicMs();
    for (const row of rows) {
      await leader.publish(row);
      const nowMs = monotonicMs();
      if (nowMs - renewedMs < leaseMs / RENEWALS_PER_LEASE) continue;
      await ofLeader.lease.until(() => leader.renew());
      renewedMs = nowMs;
    }
  }
}
