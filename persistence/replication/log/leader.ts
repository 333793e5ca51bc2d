/** The leader's side of the replicated log: the takeover, its batches, and the lease that it keeps renewing. */
import { randomBytes } from 'node:crypto';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import { JournalError, type JournalErrorCode } from '../../errors.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { Appender, overtaken } from './appender.js';
import { partsOf } from './message.js';
import type { Patience } from './patience.js';
import {
  type LeaseEntry,
  type LeaseStore,
  type LogPlace,
  PlaceTaken,
  type ReplicatedLog,
} from './replicated-log.js';

export interface LeaderOptions {
  readonly node: string;
  readonly patience: Patience;
  readonly leaseMs: number;
  readonly monotonicMs: () => number;
}

/** The end of the log as a follower has read it, and the epoch to begin there. */
export interface LeadFrom {
  readonly end: LogPlace;
  readonly at: ChainPosition;
  readonly epoch: number;
  /** The last leader had the log up to this command. It may be behind `at` where the journal here has what the log has lost. */
  readonly toldSeq: number;
}

/** Of a message besides its text: its first line and what the protocol adds. */
const HEAD_BYTES_MAX = 1_024;
const RUN_BYTES = 8;
/** Why a takeover is not in the log, or not the last one. */
const OUTRUN: readonly JournalErrorCode[] = ['replication_fenced', 'replication_went_back'];

export class Leader {
  readonly #appender: Appender;
  #position: ChainPosition;
  #revision = 0;
  /** Monotonic time at which the last renewal of the lease was begun: nobody takes over before it has lasted. */
  #renewedMs: number;
  #isReleased = false;

  private constructor(
    private readonly log: ReplicatedLog & LeaseStore,
    private readonly from: LeadFrom,
    private readonly options: LeaderOptions,
  ) {
    this.#position = from.at;
    this.#renewedMs = options.monotonicMs();
    this.#appender = new Appender(log, from.end, options.patience, () => this.#mayBeSucceeded);
  }

  /**
   * Makes the takeover the next message of the log, and writes the lease. null if the log ends elsewhere by now, or another one
   * has taken over since.
   */
  static async takeOver(
    log: ReplicatedLog & LeaseStore,
    from: LeadFrom,
    options: LeaderOptions,
  ): Promise<Leader | null> {
    const leader = new Leader(log, from, options);
    const run = randomBytes(RUN_BYTES).toString('hex');
    const { epoch, at: position } = from;
    try {
      await leader.#appender.append({ kind: 'takeover', epoch, node: options.node, run, position });
      await options.patience.until(() => leader.renew());
    } catch (thrown) {
      if (thrown instanceof JournalError && OUTRUN.includes(thrown.code)) return null;
      throw thrown;
    }
    return leader;
  }

  get epoch(): number {
    return this.from.epoch;
  }

  /** Number of its last message in the log. */
  get sequence(): number {
    return this.#appender.lastSequence;
  }

  get #mayBeSucceeded(): boolean {
    const { leaseMs, monotonicMs } = this.options;
    return monotonicMs() - this.#renewedMs > leaseMs;
  }

  /** Publishes the next batch; resolves once it is in the log. Throws `replication_fenced`. */
  async publish(batch: Batch | StoredBatch): Promise<void> {
    const row = sealBatch(this.#position, batch);
    const textBytesMax = this.log.bytesMax - HEAD_BYTES_MAX;
    for (const part of partsOf(row, this.epoch, textBytesMax)) await this.#appender.append(part);
    this.#position = { lastSeq: row.lastSeq, chain: row.chain };
  }

  /** Renews the lease. Throws `replication_fenced` if a later epoch has it, and what cannot be reached. */
  async renew(): Promise<void> {
    if (!this.#isReleased) await this.#write({ isReleased: false, successor: '' });
  }

  /** Gives the lease back, so that the standby of this name, or any for '', need not wait until it lapses. */
  async release(successor: string): Promise<void> {
    this.#isReleased = true;
    await this.#write({ isReleased: true, successor });
  }

  async #write(how: Pick<LeaseEntry, 'isReleased' | 'successor'>): Promise<void> {
    const lastSeq = Math.max(this.#position.lastSeq, this.from.toldSeq);
    const entry = { holder: this.options.node, epoch: this.epoch, lastSeq, ...how };
    const startedMs = this.options.monotonicMs();
    try {
      this.#revision = await this.log.writeLease(entry, this.#revision);
    } catch (thrown) {
      if (!(thrown instanceof PlaceTaken)) throw thrown;
      const there = await this.log.readLease();
      if (there !== null && there.epoch > this.epoch) throw overtaken(there);
      // A renewal that was under way when the lease was given back.
      if (this.#isReleased && !how.isReleased) return;
      // That of an earlier leader, or one of our own whose answer was lost.
      this.#revision = await this.log.writeLease(entry, there?.revision ?? 0);
    }
    this.#renewedMs = startedMs;
  }

  /** Throws what `Appender.confirm` throws. No batch is under way. */
  confirm(): Promise<void> {
    return this.#appender.confirm();
  }
}
