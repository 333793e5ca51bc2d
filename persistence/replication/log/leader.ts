/**
 * The leader's side of the replicated log: the takeover, its batches, and the lease that it keeps renewing.
 *
 * Each message is appended behind the one before: the expected last sequence is the fence that keeps out a leader that
 * was overtaken. A message whose answer was lost is sent again under the same id and with the same expectation. Either
 * the log has it, then or now, or another message stands in its place, and shows a successor.
 *
 * A log that has lost messages may come to the same number a second time, with a successor's in front of it. So
 * before a message is sent again, the one before it must be seen in its place; where there may be a successor, also
 * at first and afterwards.
 */
import { randomBytes } from 'node:crypto';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import { JournalError, type JournalErrorCode } from '../../errors.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { decodeMessage, encodeMessage, idOf, type LogMessage, partsOf } from './message.js';
import {
  type LeaseEntry,
  type LeaseStore,
  type LogEntry,
  type LogPlace,
  PlaceTaken,
  type ReplicatedLog,
} from './replicated-log.js';
import type { Retry } from './retry.js';

export interface LeaderOptions {
  readonly node: string;
  /** The fingerprint of the master secret. */
  readonly exchange: string;
  readonly retry: Retry;
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
  /** The number of the lease that has lapsed or was given back; 0 for none. */
  readonly leaseRevision: number;
}

/** A message's first line, and the protocol's own part. */
const HEAD_BYTES_MAX = 1_024;
const RUN_BYTES = 8;
/** The takeover is not in the log, or not the last one. */
const OUTRUN: readonly JournalErrorCode[] = ['replication_fenced', 'replication_went_back'];
/** After so many refusals in a row without a message in the place, the log has lost messages. */
export const REFUSALS_MAX = 80;

export class Leader {
  #end: LogPlace;
  #position: ChainPosition;
  #refusals = 0;
  #revision: number;
  /**
   * The last leader renewed its lease after it was seen to lapse: it came back, and believes that it leads until its lease
   * has passed.
   */
  hasReplacedRenewal = false;
  /** Monotonic begin of the last renewal: nobody takes over before the lease has passed since. */
  #renewedMs: number;
  #isReleased = false;

  private constructor(
    private readonly log: ReplicatedLog & LeaseStore,
    private readonly from: LeadFrom,
    private readonly options: LeaderOptions,
  ) {
    this.#end = from.end;
    this.#position = from.at;
    this.#revision = from.leaseRevision;
    this.#renewedMs = options.monotonicMs();
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
      await leader.append({ kind: 'takeover', epoch, node: options.node, run, position });
      await options.retry.until(() => leader.renew());
    } catch (thrown) {
      if (thrown instanceof JournalError && OUTRUN.includes(thrown.code)) return null;
      throw thrown;
    }
    return leader;
  }

  get epoch(): number {
    return this.from.epoch;
  }

  /** The log's last message. */
  get sequence(): number {
    return this.#end.sequence;
  }

  get renewedMs(): number {
    return this.#renewedMs;
  }

  get #mayBeSucceeded(): boolean {
    const { leaseMs, monotonicMs } = this.options;
    return monotonicMs() - this.#renewedMs > leaseMs;
  }

  /** Resolves once the batch is in the log. Throws as `append` does. */
  async publish(batch: Batch | StoredBatch): Promise<void> {
    const row = sealBatch(this.#position, batch);
    const textBytesMax = this.log.bytesMax - HEAD_BYTES_MAX;
    for (const part of partsOf(row, this.epoch, textBytesMax)) await this.append(part);
    this.#position = { lastSeq: row.lastSeq, chain: row.chain };
  }

  /** Throws as `append` does, also if a message is behind the last one. No batch may be under way. */
  async confirm(): Promise<void> {
    const next = await this.options.retry.until(async () => {
      await this.#checkEnd();
      return this.log.read(this.#end.sequence + 1);
    });
    if (next !== null) throw fenced(next);
  }

  /**
   * Resolves once the message is in the log. Throws `replication_fenced` if another one is in its place or in that of
   * the one before it, and `replication_went_back` if the log has lost the latter.
   */
  async append(message: LogMessage): Promise<void> {
    const { retry } = this.options;
    const bytes = encodeMessage(message);
    const id = idOf(message);
    let isRepeated = false;
    await retry.until(async () => {
      if (isRepeated || this.#mayBeSucceeded) await this.#checkEnd();
      isRepeated = true;
      await this.#attempt(bytes, id);
    });
    if (this.#mayBeSucceeded) await retry.until(() => this.#checkEnd());
    this.#end = { sequence: this.#end.sequence + 1, id };
    this.#refusals = 0;
  }

  async #attempt(bytes: Uint8Array, id: string): Promise<void> {
    const { sequence } = this.#end;
    try {
      await this.log.append(bytes, id, sequence);
    } catch (thrown) {
      if (!(thrown instanceof PlaceTaken)) throw thrown;
      const there = await this.log.read(sequence + 1);
      if (there === null) return this.#refused();
      if (there.id !== id) throw fenced(there);
    }
  }

  async #checkEnd(): Promise<void> {
    const { sequence, id } = this.#end;
    if (sequence === 0) return;
    const there = await this.log.read(sequence);
    if (there === null) {
      // A leader may have deleted it: then this process does not lead.
      const { first } = await this.log.bounds();
      const beyond = first > sequence ? await this.log.read(first) : null;
      if (beyond !== null) throw fenced(beyond);
      return this.#refused();
    }
    if (there.id !== id) throw fenced(there);
  }

  async #refused(): Promise<never> {
    this.#refusals += 1;
    if (this.#refusals >= REFUSALS_MAX) {
      const { last } = await this.log.bounds();
      if (last < this.#end.sequence) throw wentBack(this.#end.sequence, last);
    }
    throw new Error('the log refuses a message and does not show which one it has instead');
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
    const { node: holder, exchange } = this.options;
    const entry = { holder, epoch: this.epoch, lastSeq, exchange, ...how };
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
      if (there !== null && there.epoch < this.epoch && !there.isReleased) this.hasReplacedRenewal = true;
      this.#revision = await this.log.writeLease(entry, there?.revision ?? 0);
    }
    this.#renewedMs = startedMs;
  }
}

function fenced({ sequence, bytes }: LogEntry): JournalError {
  const message = decodeMessage(bytes, sequence);
  const who =
    message.kind === 'takeover'
      ? `${message.node} has taken over with epoch ${message.epoch}`
      : `a message of epoch ${message.epoch} is in its place`;
  return new JournalError(
    'replication_fenced',
    `This server does not lead any more: message ${sequence} of the replicated log says that ${who}. Nothing more is acknowledged. ` +
      'Start it again as a standby (TOTE_ROLE=auto does that).',
  );
}

/** A successor writes the lease after the takeover. */
function overtaken({ holder, epoch }: LeaseEntry): JournalError {
  return new JournalError(
    'replication_fenced',
    `This server does not lead any more: ${holder} has written its lease, with epoch ${epoch}. Nothing more is acknowledged. Start it again as a ` +
      'standby (TOTE_ROLE=auto does that).',
  );
}

function wentBack(had: number, last: number): JournalError {
  return new JournalError(
    'replication_went_back',
    `The NATS servers have lost what they had acknowledged: the replicated log had message ${had}, and ends at ${last} now. The journal here has ` +
      'all of it. Start this server again: it publishes anew what the log has lost.',
  );
}
