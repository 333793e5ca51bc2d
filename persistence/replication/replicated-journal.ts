/**
 * The journal of a leader with a replicated log: a batch is on this machine's disk and in the log before anything in
 * it is acknowledged. Only one batch is under way, so disk and log are never more than one apart.
 *
 * A process may be stopped for long, and go on with answers that came meanwhile, when a successor leads that has only
 * the log. So a batch that took longer than the lease is acknowledged only after another look at the log.
 */
import { assert, must } from '../../engine/base/assert.js';
import type { Batch, JournalWriter, JournalWriterEvents, SpaceLevel } from '../../engine/model/ports.js';
import type { LeaderOptions } from './log/leader.js';

/** The replication's thread. */
interface Publisher {
  publish(batch: Batch): void;
  confirm(lastSeq: number): void;
  close(): Promise<void>;
}

export type LeaseClock = Pick<LeaderOptions, 'leaseMs' | 'monotonicMs'>;

export class ReplicatedJournal implements JournalWriter {
  #events: JournalWriterEvents | null = null;
  /** The batch that is not on the disk yet, and the one that is not in the log; 0 for none. */
  #writingSeq = 0;
  #publishingSeq = 0;
  /** The last question to the log about the batch under way. */
  #askedMs = 0;
  #failure: Error | null = null;
  writtenMs = 0;

  /**
   * `disk` is open; its owner reports its events here. `onReplicated` learns first how far disk and log have come.
   * `level` is the disk's space as last reported.
   */
  constructor(
    private readonly disk: Pick<JournalWriter, 'commit' | 'close'>,
    private readonly publisher: Publisher,
    private readonly clock: LeaseClock,
    private readonly onReplicated: (seq: number) => void,
    private level: SpaceLevel | null,
    private readonly isLapsed: () => boolean,
  ) {}

  get mayBeSucceeded(): boolean {
    return this.isLapsed();
  }

  /** The disk has done its part, and the log has not: servers may be away for long. */
  get awaitsLog(): boolean {
    return this.#writingSeq === 0 && this.#publishingSeq !== 0;
  }

  open(events: JournalWriterEvents): void {
    this.#events = events;
    if (this.level !== null) events.onSpaceLevel(this.level);
    // Another machine may have overtaken this one before its server was ready.
    if (this.#failure !== null) events.onFailure(this.#failure);
  }

  commit(batch: Batch): void {
    if (this.#failure !== null) return;
    assert(this.#writingSeq === 0 && this.#publishingSeq === 0, 'one batch is under way at a time');
    this.#writingSeq = batch.lastSeq;
    this.#publishingSeq = batch.lastSeq;
    this.#askedMs = this.clock.monotonicMs();
    this.disk.commit(batch);
    this.publisher.publish(batch);
  }

  written(lastSeq: number): void {
    assert(lastSeq === this.#writingSeq, 'the disk has written the batch under way');
    this.#writingSeq = 0;
    this.writtenMs = this.clock.monotonicMs();
    this.#acknowledge(lastSeq);
  }

  spaceLevel(level: SpaceLevel): void {
    this.level = level;
    this.#events?.onSpaceLevel(level);
  }

  /** Also the answer to `confirm`. */
  published(lastSeq: number): void {
    assert(lastSeq === this.#publishingSeq, 'the log has the batch under way');
    this.#publishingSeq = 0;
    this.#acknowledge(lastSeq);
  }

  fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#events?.onFailure(error);
  }

  /** The lead is given back last: a successor then finds a closed journal. */
  async close(): Promise<void> {
    await this.disk.close();
    await this.publisher.close();
  }

  #acknowledge(lastSeq: number): void {
    if (this.#writingSeq !== 0 || this.#publishingSeq !== 0 || this.#failure !== null) return;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#askedMs > this.clock.leaseMs) {
      this.#askedMs = nowMs;
      this.#publishingSeq = lastSeq;
      this.publisher.confirm(lastSeq);
      return;
    }
    this.onReplicated(lastSeq);
    must(this.#events, 'the events').onDurable(lastSeq);
  }
}
