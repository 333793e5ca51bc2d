/**
 * The journal's thread of one process: takes one batch at a time, runs the real commit protocol after the disk's
 * delay, and notifies the event loop a little later. Like the real thread it acknowledges nothing after an error.
 */
import { assert } from '../../../engine/base/assert.js';
import type {
  Batch,
  JournalStore,
  JournalWriter,
  JournalWriterEvents,
  SpaceLevel,
} from '../../../engine/model/ports.js';
import { JournalError } from '../../../persistence/errors.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { Crash, DiskError } from './crash-points.js';

export interface WriterHost {
  commitMs(): number;
  readonly spaceLevel: SpaceLevel;
  /** Runs only if the process still lives then. */
  later(delayMs: number, run: () => void): void;
  onCrash(crash: Crash): void;
  onCommitted(): void;
}

const MESSAGE_MS = 0;

export class SimJournalWriter implements JournalWriter {
  #events: JournalWriterEvents | null = null;
  #hasFailed = false;
  #inFlight = 0;

  constructor(
    protected readonly store: JournalStore,
    protected readonly host: WriterHost,
  ) {}

  open(events: JournalWriterEvents): void {
    this.#events = events;
    this.reportSpace();
  }

  commit(batch: Batch): void {
    assert(this.#inFlight === 0, 'one commit is in flight at a time');
    this.#inFlight = batch.lastSeq;
    this.host.later(this.host.commitMs(), () => this.write(batch));
  }

  protected write(batch: Batch): void {
    if (this.#hasFailed) return;
    try {
      commitBatch(this.store, batch);
    } catch (thrown) {
      this.onThrown(thrown);
      return;
    }
    this.host.onCommitted();
    this.acknowledge(batch.lastSeq);
  }

  protected acknowledge(lastSeq: number): void {
    this.host.later(MESSAGE_MS, () => {
      if (this.#hasFailed) return;
      assert(this.#inFlight === lastSeq, 'an acknowledgement is for the commit under way');
      this.#inFlight = 0;
      this.#events?.onDurable(lastSeq);
    });
  }

  protected onThrown(thrown: unknown): void {
    if (thrown instanceof Crash) {
      this.host.onCrash(thrown);
      return;
    }
    if (!(thrown instanceof DiskError)) throw thrown;
    this.#hasFailed = true;
    const code = thrown.code === 'ENOSPC' ? 'disk_full' : 'journal_write_failed';
    const error = new JournalError(code, thrown.message, { cause: thrown });
    this.host.later(MESSAGE_MS, () => this.#events?.onFailure(error));
  }

  reportSpace(): void {
    this.host.later(MESSAGE_MS, () => this.#events?.onSpaceLevel(this.host.spaceLevel));
  }

  close(): Promise<void> {
    assert(this.#inFlight === 0, 'no commit may be under way at the close');
    this.store.close();
    return Promise.resolve();
  }
}
