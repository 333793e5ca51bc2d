/**
 * The journal of a leader with a replicated log: a batch is on this machine's disk and in the log before anything in it is
 * acknowledged. Both happen at the same time, and only one batch is under way, so disk and log are never more than one batch
 * apart.
 */
import { assert, must } from '../../engine/base/assert.js';
import type { Batch, JournalWriter, JournalWriterEvents } from '../../engine/model/ports.js';

/** The other way a batch goes: the replication's thread. */
export interface Publisher {
  publish(batch: Batch): void;
  /** Gives the lead back. */
  close(): Promise<void>;
}

export class ReplicatedJournal implements JournalWriter {
  #events: JournalWriterEvents | null = null;
  /** `lastSeq` of the batch that is not on the disk yet, and of the one that is not in the log; 0 for none. */
  #writingSeq = 0;
  #publishingSeq = 0;
  #hasFailed = false;

  /** `onReplicated` is told how far disk and log have come, before anybody else is. */
  constructor(
    private readonly disk: JournalWriter,
    private readonly publisher: Publisher,
    private readonly onReplicated: (seq: number) => void,
  ) {}

  /** The disk has done its part, and the log has not: servers may be away for long. */
  get awaitsLog(): boolean {
    return this.#writingSeq === 0 && this.#publishingSeq !== 0;
  }

  open(events: JournalWriterEvents): void {
    this.#events = events;
    this.disk.open({
      onDurable: (lastSeq) => {
        this.#writingSeq = 0;
        this.#settle(lastSeq);
      },
      onFailure: (error) => this.fail(error),
      onSpaceLevel: (level) => events.onSpaceLevel(level),
    });
  }

  commit(batch: Batch): void {
    if (this.#hasFailed) return;
    assert(this.#writingSeq === 0 && this.#publishingSeq === 0, 'one batch is under way at a time');
    this.#writingSeq = batch.lastSeq;
    this.#publishingSeq = batch.lastSeq;
    this.disk.commit(batch);
    this.publisher.publish(batch);
  }

  /** The log has the batch. */
  published(lastSeq: number): void {
    assert(lastSeq === this.#publishingSeq, 'what was published is the batch under way');
    this.#publishingSeq = 0;
    this.#settle(lastSeq);
  }

  /** Nothing more will be published: nothing more is acknowledged. */
  fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    must(this.#events, 'the events').onFailure(error);
  }

  /** The lead is given back last: a successor then finds a journal that is closed. */
  async close(): Promise<void> {
    await this.disk.close();
    await this.publisher.close();
  }

  #settle(lastSeq: number): void {
    if (this.#writingSeq !== 0 || this.#publishingSeq !== 0 || this.#hasFailed) return;
    this.onReplicated(lastSeq);
    must(this.#events, 'the events').onDurable(lastSeq);
  }
}
