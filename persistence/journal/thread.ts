/**
 * The event loop's side of the journal's thread (`worker.ts`): a `JournalWriter` that never waits for the disk. After a
 * failure nothing more is acknowledged.
 *
 * A batch crosses as a string: a transferred buffer costs the event loop as much, and shared memory saves little
 * (docs/performance.md).
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
  /** `lastSeq` of the last commit in flight, or 0. */
  #pendingSeq = 0;
  #failure: Error | null = null;
  #settleClose: { resolve: () => void; reject: (error: Error) => void } | null = null;

  /** `onSealed` is called for each full segment, with the time that beginning the next one took. */
  constructor(
    options: JournalThreadOptions,
    private readonly onSealed: (segment: SealedSegment, tookMs: number) => void = () => undefined,
  ) {
    this.#options = options;
  }

  /** How long the thread has been busy since it began, in milliseconds. */
  get activeMs(): number {
    return this.#worker?.performance.eventLoopUtilization().active ?? 0;
  }

  /** Starts the thread. If it cannot open the journal, `onFailure` is called. */
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

  /** After a failure the batch is dropped; `onFailure` has been called. */
  commit(batch: Batch): void {
    if (this.#state === 'failed') return;
    assert(this.#pendingSeq < batch.firstSeq, 'commits are in order');
    assert(this.#state === 'open', `a journal that is ${this.#state} takes no batch`);
    this.#pendingSeq = batch.lastSeq;
    this.#post({ kind: 'commit', batch });
  }

  /** Resolves when everything is on disk and the thread has ended; rejects with the failure if there was one. */
  close(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    assert(this.#state === 'open', `a journal that is ${this.#state} is not closed`);
    assert(this.#pendingSeq === 0, 'no commit may be in flight at the close');
    this.#state = 'closing';
    this.#post({ kind: 'close' });
    return new Promise((resolve, reject) => {
      this.#settleClose = { resolve, reject };
    });
  }

  #post(message: ToJournal): void {
    must(this.#worker, 'the thread').postMessage(message);
  }

  #onMessage(message: FromJournal): void {
    if (this.#state === 'failed') return;
    const events = must(this.#events, 'the events');
    switch (message.kind) {
      case 'durable':
        assert(message.lastSeq <= this.#pendingSeq, 'an acknowledgement must be for a commit in flight');
        if (message.lastSeq === this.#pendingSeq) this.#pendingSeq = 0;
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
      case 'lost': {
        const { heldSeq, rescue } = message;
        const error = fromErrorParts(message.error);
        this.#end(error, () => events.onLost({ error, heldSeq, rescue }));
        break;
      }
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
    if (this.#state !== 'failed') this.#end(error, () => must(this.#events, 'the events').onFailure(error));
  }

  #end(error: Error, tell: () => void): void {
    this.#state = 'failed';
    this.#failure = error;
    tell();
    this.#settleClose?.reject(error);
  }
}

function endedText(exitCode: number): string {
  return `The thread that writes the journal ended by itself with code ${exitCode}. Start again: the restart recovers every acknowledged order.`;
}
