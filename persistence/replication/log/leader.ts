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
  /**
   * The last leader had the log up to this command. It may be behind `at`: the journal here has messages that the log
   * has lost.
   */
  readonly toldSeq: number;
}

/** A message's first line, and the protocol's own part. */
const HEAD_BYTES_MAX = 1_024;
const RUN_BYTES = 8;
/** The takeover is not in the log, or not the last one. */
const OUTRUN: readonly JournalErrorCode[] = ['replication_fenced', 'replication_went_back'];

export class Leader {
  readonly #appender: Appender;
  #position: ChainPosition;
  #revision = 0;
  /** Monotonic begin of the last renewal: nobody takes over before the lease has passed since. */
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

  /** Makes the takeover the log's next message, and writes the lease. null if another process came first. */
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

  get sequence(): number {
    return this.#appender.lastSequence;
  }

  get #mayBeSucceeded(): boolean {
    const { leaseMs, monotonicMs } = this.options;
    return monotonicMs() - this.#renewedMs > leaseMs;
  }

  /** Resolves once the batch is in the log. Throws `replication_fenced`. */
  async publish(batch: Batch | StoredBatch): Promise<void> {
    const row = sealBatch(this.#position, batch);
    const textBytesMax = this.log.bytesMax - HEAD_BYTES_MAX;
    for (const part of partsOf(row, this.epoch, textBytesMax)) await this.#appender.append(part);
    this.#position = { lastSeq: row.lastSeq, chain: row.chain };
  }

  /** Throws `replication_fenced` if a later epoch has the lease, and the errors of the log. */
  async renew(): Promise<void> {
    if (!this.#isReleased) await this.#write({ isReleased: false, successor: '' });
  }

  /** The successor, or any standby for '', need not wait until the lease lapses. */
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
      // A renewal was under way when the lease was given back.
      if (this.#isReleased && !how.isReleased) return;
      // An earlier leader's lease, or one of our own whose answer was lost.
      this.#revision = await this.log.writeLease(entry, there?.revision ?? 0);
    }
    this.#renewedMs = startedMs;
  }

  /** Throws as `Appender.confirm`. No batch may be under way. */
  confirm(): Promise<void> {
    return this.#appender.confirm();
  }
}
