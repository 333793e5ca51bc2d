/**
 * A process's part in the replicated log. From its journal's place in the log it follows, finds the place anew where
 * the log has lost it, takes over, publishes the batches that only its journal has, and leads. Its thread
 * (`worker.ts`), or a simulation, gives it timers, log and journal.
 */
import { must } from '../../engine/base/assert.js';
import type { Batch, StoredBatch } from '../../engine/model/ports.js';
import { toErrorParts } from '../thread/error-parts.js';
import { Follower, PlaceLost } from './log/follower.js';
import { Leader } from './log/leader.js';
import { deleteCovered, type LocalJournal, unpublished } from './log/locate.js';
import type {
  EpochMemory,
  FollowStatus,
  LeaseStore,
  LogSignals,
  ReplicatedLog,
} from './log/replicated-log.js';
import { Retry, Troubles } from './log/retry.js';
import type { FromReplication, ReplicationOptions, ToReplication } from './messages.js';

export type SharedLog = ReplicatedLog & LeaseStore & LogSignals;

export interface OpenJournal extends LocalJournal {
  readBatches(afterSeq: number): Iterable<StoredBatch>;
  close(): void;
}

export interface Timers {
  monotonicMs(): number;
  after(ms: number, run: () => void): () => void;
}

interface ReplicatorParts extends Omit<ReplicationOptions, 'dir' | 'nats'> {
  readonly timers: Timers;
  readonly openLog: () => Promise<SharedLog>;
  readonly epochs: EpochMemory;
  readonly openJournal: () => OpenJournal;
  readonly post: (message: FromReplication) => void;
  readonly onFailure: () => void;
}

const PAUSE_MS = 100;
const RENEWALS_PER_LEASE = 3;
/** Text of batches that the engine's thread was told of and has not taken yet. */
const UNTAKEN_CHARS_MAX = 4 * 1024 * 1024;
/** A disk that has written nothing of what waits for so long counts as hanging. */
const HANG_MS = 10_000;
const HANG_TEXT = `the disk of this machine has written nothing of what the log has for ${HANG_MS / 1_000} s`;
/** An ending process tries for this long to give the lease back. */
const RELEASE_MS_MAX = 1_000;

export class Replicator {
  readonly #troubles: Troubles;
  readonly #onHang: (reason: string | null) => void;
  readonly #retry: Record<'follow' | 'publish' | 'lease', Retry>;
  #untakenChars = 0;
  /** When the last of them was taken, or the first came. */
  #takenMs = 0;
  #wake: () => void = () => undefined;
  #log: SharedLog | null = null;
  #follower: Follower | null = null;
  #leader: Leader | null = null;
  #isReleased = false;
  #endAnswers = (): void => undefined;

  constructor(private readonly parts: ReplicatorParts) {
    this.#troubles = new Troubles((reason) => parts.post({ kind: 'trouble', reason }));
    this.#onHang = this.#troubles.of('disk');
    const pause = (): Promise<void> => this.#delay(PAUSE_MS);
    const retry = (activity: string): Retry => new Retry(pause, this.#troubles.of(activity));
    this.#retry = { follow: retry('follow'), publish: retry('publish'), lease: retry('lease') };
  }

  start(): void {
    this.#run().catch((thrown: unknown) => this.#failed(thrown));
  }

  /** The owner calls `release` and ends it; no message does. */
  take(message: ToReplication): void {
    switch (message.kind) {
      case 'taken':
        this.#untakenChars -= message.chars;
        this.#takenMs = this.parts.timers.monotonicMs();
        this.#lookAtDisk();
        this.#wake();
        break;
      case 'publish':
        this.#attempt(this.#publish(message.batch));
        break;
      case 'confirm':
        this.#attempt(this.#confirm(message.lastSeq));
        break;
      case 'covered':
        this.#attempt(this.#cover(message.seq));
        break;
      case 'release':
        void this.release(message.successor);
    }
  }

  /** Silent servers need not be waited for: the lease lapses. */
  async release(successor: string): Promise<void> {
    const leader = this.#leader;
    if (leader === null || this.#isReleased) return;
    this.#isReleased = true;
    // The process goes on for a while after its successor has begun to answer.
    this.#endAnswers();
    await Promise.race([leader.release(successor).catch(() => undefined), this.#delay(RELEASE_MS_MAX)]);
  }

  async #run(): Promise<void> {
    const { openLog, node, post, leaseMs } = this.parts;
    const log = await this.#retry.follow.until(openLog);
    this.#log = log;
    log.onNews(() => this.#wake());
    log.onReleased(() => {
      this.#follower?.lookSoon();
      this.#wake();
    });
    const leader = await this.#untilLeading(log);
    if (leader === null) {
      post({ kind: 'unpublished' });
      return;
    }
    this.#leader = leader;
    this.#endAnswers = log.onHandOver(node, (to) => post({ kind: 'handOver', to }));
    log.onReport((report) => post({ kind: 'standby', report }));
    post({ kind: 'leading', epoch: leader.epoch, sequence: leader.sequence });
    for (;;) {
      post({ kind: 'renewed', atMs: leader.renewedMs });
      await this.#delay(leaseMs / RENEWALS_PER_LEASE);
      await this.#retry.lease.until(() => leader.renew());
    }
  }

  /** null if the journal's last batch must be taken back first; nothing was handed over then. */
  async #untilLeading(log: SharedLog): Promise<Leader | null> {
    const onLost = this.#troubles.of('lost');
    let hasJoined = false;
    for (;;) {
      const journal = this.parts.openJournal();
      try {
        const follower = await this.#follow(log, journal, onLost);
        if (follower === null && hasJoined) throw unpublished(journal.end.lastSeq);
        if (follower === null) return null;
        if (!hasJoined) this.parts.post({ kind: 'joined', seq: follower.seq });
        hasJoined = true;
        return await this.#takeOver(log, follower, journal);
      } catch (thrown) {
        if (!(thrown instanceof PlaceLost)) throw thrown;
        onLost(thrown.message);
      } finally {
        journal.close();
      }
      // The journal on the disk has all that was read, before its place is looked for again.
      await this.#untilTaken(0);
    }
  }

  async #follow(
    log: SharedLog,
    journal: LocalJournal,
    onLost: (reason: string | null) => void,
  ): Promise<Follower | null> {
    const { role, node, exchange, leaseMs, timers, epochs } = this.parts;
    this.#follower = await Follower.start(log, journal, {
      ...{ role, node, exchange, leaseMs, epochs, onLost, retry: this.#retry.follow },
      monotonicMs: () => timers.monotonicMs(),
      rest: (ms) => this.#rest(ms),
      onBatch: (row) => this.#tellBatch(row),
      onStatus: (status) => this.#tellStatus(log, status),
    });
    onLost(null);
    return this.#follower;
  }

  async #takeOver(log: SharedLog, follower: Follower, journal: OpenJournal): Promise<Leader> {
    const { node, exchange, leaseMs, timers, epochs } = this.parts;
    for (;;) {
      const from = await follower.untilLeaderless();
      if (this.#untakenChars > 0) {
        // The disk may hang: this machine's lease would keep others from the lead.
        await this.#untilTaken(0);
        continue;
      }
      epochs.raise(from.epoch);
      const leader = await Leader.takeOver(log, from, {
        ...{ node, exchange, leaseMs, retry: this.#retry.publish },
        monotonicMs: () => timers.monotonicMs(),
      });
      if (leader === null) continue;
      if (leader.hasReplacedRenewal) await this.#outlast(leader);
      if (follower.isAhead) await this.#publishAll(leader, journal.readBatches(from.at.lastSeq));
      return leader;
    }
  }

  /** Until the last leader makes no final statements any more. */
  async #outlast(leader: Leader): Promise<void> {
    for (let renewals = 0; renewals < RENEWALS_PER_LEASE; renewals++) {
      await this.#delay(this.parts.leaseMs / RENEWALS_PER_LEASE);
      await this.#retry.lease.until(() => leader.renew());
    }
  }

  /** After a time without replication there may be many: the lease must not lapse meanwhile. */
  async #publishAll(leader: Leader, rows: Iterable<StoredBatch>): Promise<void> {
    const { timers, leaseMs } = this.parts;
    let renewedMs = timers.monotonicMs();
    for (const row of rows) {
      await leader.publish(row);
      const nowMs = timers.monotonicMs();
      if (nowMs - renewedMs < leaseMs / RENEWALS_PER_LEASE) continue;
      await this.#retry.lease.until(() => leader.renew());
      renewedMs = nowMs;
    }
  }

  /** A standby whose disk hangs does not report: a leader hands over to one that does. */
  #tellStatus(log: SharedLog, status: FollowStatus): void {
    this.parts.post({ kind: 'following', status });
    const { readSequence, lastSequence, behindMs } = status;
    if (this.#lookAtDisk()) return;
    log.report({ node: this.parts.node, messagesBehind: lastSequence - readSequence, behindMs });
  }

  async #tellBatch(row: StoredBatch): Promise<void> {
    if (this.#untakenChars === 0) this.#takenMs = this.parts.timers.monotonicMs();
    this.#untakenChars += row.commands.length;
    this.parts.post({ kind: 'batch', row });
    await this.#untilTaken(UNTAKEN_CHARS_MAX);
  }

  /** Until the engine's thread, whose disk writes, has no more than that to take. */
  async #untilTaken(charsMax: number): Promise<void> {
    while (this.#untakenChars > charsMax) {
      this.#lookAtDisk();
      await this.#rest(PAUSE_MS);
    }
  }

  /** Returns whether it hangs. */
  #lookAtDisk(): boolean {
    const hangs = this.#untakenChars > 0 && this.parts.timers.monotonicMs() - this.#takenMs > HANG_MS;
    this.#onHang(hangs ? HANG_TEXT : null);
    return hangs;
  }

  async #publish(batch: Batch): Promise<void> {
    const leader = must(this.#leader, 'the leader');
    await leader.publish(batch);
    this.parts.post({ kind: 'published', lastSeq: batch.lastSeq, sequence: leader.sequence });
  }

  async #confirm(lastSeq: number): Promise<void> {
    await must(this.#leader, 'the leader').confirm();
    this.parts.post({ kind: 'confirmed', lastSeq });
  }

  #cover(seq: number): Promise<void> {
    const log = must(this.#log, 'the log');
    return this.#retry.follow.until(() => deleteCovered(log, seq));
  }

  #attempt(work: Promise<void>): void {
    work.catch((thrown: unknown) => this.#failed(thrown));
  }

  #failed(thrown: unknown): void {
    this.parts.post({ kind: 'failed', error: toErrorParts(thrown) });
    this.parts.onFailure();
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.parts.timers.after(ms, resolve);
    });
  }

  /** A message, or news of one, shortens the pause. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
