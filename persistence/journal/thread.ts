/**
 * The journal's thread, this side: a `JournalWriter` for the event loop, which never waits for the disk. The other
 * side is `journal-worker.ts`. One commit is under way at a time; after a failure none is acknowledged any more.
 *
 * A batch crosses as the string that it is: with a 20 kB batch that cost the event loop about 10 us, as much as a
 * transferred buffer and 2 us more than shared memory.
 */
import { Worker } from 'node:worker_threads';
import { assert, must, unreachable } from '../../engine/base/assert.js';
import type { Batch, JournalWriter, JournalWriterEvents } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import {
  type FromJournal,
  fromErrorParts,
  type JournalThreadOptions,
  type SealedSegment,
  type ToJournal,
} from './messages.js';

type State = 'new' | 'open' | 'closing' | 'closed' | 'failed';

export class JournalThread implements JournalWriter {
  readonly #options: JournalThreadOptions;
  #state: State = 'new';
  #worker: Worker | null = null;
  #events: JournalWriterEvents | null = null;
  /** `lastSeq` of the commit under way, or 0. */
  #pendingSeq = 0;
  #failure: Error | null = null;
  #settleClose: { resolve: () => void; reject: (error: Error) => void } | null = null;

  /** `onSealed` hears of each segment that is full, and how long going on to the next one took. */
  constructor(
    options: JournalThreadOptions,
    private readonly onSealed: (segment: SealedSegment, tookMs: number) => void = () => undefined,
  ) {
    this.#options = options;
  }

  /** Starts the thread. That it could not open the journal comes as `onFailure`. */
  open(events: JournalWriterEvents): void {
    assert(this.#state === 'new', 'a journal is opened once');
    this.#state = 'open';
    this.#events = events;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'journal',
      workerData: this.#options,
    });
    this.#worker = worker;
    worker.on('message', (message: FromJournal) => this.#onMessage(message));
    worker.on('error', (error) => this.#fail(error));
    worker.on('messageerror', (error) => this.#fail(error));
    worker.on('exit', (exitCode) => this.#onExit(exitCode));
  }

  /** After a failure the batch is dropped: `onFailure` has said so. */
  commit(batch: Batch): void {
    if (this.#state === 'failed') return;
    assert(this.#pendingSeq === 0, 'one commit is under way at a time');
    assert(this.#state === 'open', `a journal that is ${this.#state} takes no batch`);
    this.#pendingSeq = batch.lastSeq;
    this.#tell({ kind: 'commit', batch });
  }

  /** Resolves once all is on disk and the thread has ended; rejects with the failure where there was one. */
  close(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    assert(this.#state === 'open', `a journal that is ${this.#state} is not closed`);
    assert(this.#pendingSeq === 0, 'no commit may be under way at the close');
    this.#state = 'closing';
    this.#tell({ kind: 'close' });
    return new Promise((resolve, reject) => {
      this.#settleClose = { resolve, reject };
    });
  }

  #tell(message: ToJournal): void {
    must(this.#worker, 'the thread').postMessage(message);
  }

  #onMessage(message: FromJournal): void {
    if (this.#state === 'failed') return;
    const events = must(this.#events, 'the events');
    switch (message.kind) {
      case 'durable':
        assert(message.lastSeq === this.#pendingSeq, 'an acknowledgement must be for the commit under way');
        this.#pendingSeq = 0;
        events.onDurable(message.lastSeq);
        break;
      case 'sealed':
        this.onSealed(message.segment, message.tookMs);
        break;
      case 'space':
        events.onSpaceLevel(message.level);
        break;
      case 'failed':
        this.#fail(fromErrorParts(message.error));
        break;
      case 'closed':
        this.#state = 'closed';
        break;
      default:
        unreachable(message);
    }
  }

  #onExit(exitCode: number): void {
    if (this.#state === 'closed') this.#settleClose?.resolve();
    else this.#fail(new JournalError('journal_thread_ended', endedText(exitCode)));
  }

  #fail(error: Error): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    this.#failure = error;
    must(this.#events, 'the events').onFailure(error);
    this.#settleClose?.reject(error);
  }
}

function endedText(exitCode: number): string {
  return `The thread that writes the journal ended by itself with code ${exitCode}. Start again: the restart recovers every acknowledged order.`;
}
