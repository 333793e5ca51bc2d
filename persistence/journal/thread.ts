/**
 * The event loop's side of the journal's thread (`worker.ts`): a `JournalWriter` that never waits for the disk. After a
 * failure nothing more is acknowledged.
 *
 * A batch crosses as a string: a transferred buffer costs the event loop as much, and shared memory saves little.
 * The thread sleeps on shared memory, since waking an event loop costs both sides more.
 */
import { assert, must, unreachable } from '../../engine/base/assert.js';
import type { Batch, JournalWriter, JournalWriterEvents } from '../../engine/model/ports.js';
import { JournalError } from '../errors.js';
import { fromErrorParts } from '../thread/error-parts.js';
import { type CloseMessage, endedText, startThread, Thread } from '../thread/thread.js';
import type {
  FromJournal,
  JournalMemory,
  JournalThreadOptions,
  SealedSegment,
  ToJournal,
} from './messages.js';

/** It loads its code, and then waits for its first message, the options. */
export type StartedJournal = ReturnType<typeof startJournalThread>;

export function startJournalThread() {
  const memory: JournalMemory = {
    sent: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    activeMs: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
  };
  const file = new URL('./worker.js', import.meta.url);
  return { worker: startThread({ file, name: 'journal', data: memory }), memory };
}

type State = 'new' | 'open' | 'closing' | 'closed' | 'failed';

export class JournalThread extends Thread<ToJournal, FromJournal> implements JournalWriter {
  #state: State = 'new';
  #events: JournalWriterEvents | null = null;
  /** `lastSeq` of the last commit in flight; 0 if there is none. */
  #pendingSeq = 0;
  #failure: Error | null = null;
  #settleClose: { resolve: () => void; reject: (error: Error) => void } | null = null;

  /** `tookMs` is how long beginning the next segment took. */
  constructor(
    private readonly started: StartedJournal,
    private readonly options: JournalThreadOptions,
    private readonly onSealed: (segment: SealedSegment, tookMs: number) => void = () => undefined,
  ) {
    super(() => started.worker);
  }

  override get activeMs(): number {
    return this.started.memory.activeMs[0] ?? 0;
  }

  /** A journal that cannot be opened is told by `onFailure`. */
  open(events: JournalWriterEvents): void {
    assert(this.#state === 'new', 'a journal is opened once');
    this.#state = 'open';
    this.#events = events;
    this.begin();
    this.post(this.options);
  }

  override post(message: ToJournal | CloseMessage): void {
    const { sent } = this.started.memory;
    super.post(message);
    Atomics.add(sent, 0, 1);
    Atomics.notify(sent, 0);
  }

  /** After a failure the batch is dropped: `onFailure` has told. */
  commit(batch: Batch): void {
    if (this.#state === 'failed') return;
    assert(this.#pendingSeq < batch.firstSeq, 'commits are in order');
    assert(this.#state === 'open', `a journal that is ${this.#state} takes no batch`);
    const { firstSeq, lastSeq, timeMs, commands, digest } = batch;
    this.#pendingSeq = lastSeq;
    this.post([firstSeq, lastSeq, timeMs, commands, digest]);
  }

  /** Resolves once everything is on disk and the thread has ended; rejects with the failure if there was one. */
  override close(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    assert(this.#state === 'open', `a journal that is ${this.#state} is not closed`);
    assert(this.#pendingSeq === 0, 'no commit may be in flight at the close');
    this.#state = 'closing';
    void super.close();
    return new Promise((resolve, reject) => {
      this.#settleClose = { resolve, reject };
    });
  }

  protected override onMessage(message: FromJournal): void {
    if (this.#state === 'failed') return;
    const events = must(this.#events, 'the events');
    if (typeof message === 'number') {
      assert(message <= this.#pendingSeq, 'an acknowledgement must be for a commit in flight');
      if (message === this.#pendingSeq) this.#pendingSeq = 0;
      events.onDurable(message);
      return;
    }
    switch (message.kind) {
      case 'sealed':
        this.onSealed(message.segment, message.tookMs);
        break;
      case 'space':
        events.onSpaceLevel(message.level);
        break;
      case 'failed':
        this.onError(fromErrorParts(message.error));
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

  protected override onEnded(exitCode: number): void {
    if (this.#state === 'closed') this.#settleClose?.resolve();
    else this.onError(new JournalError('journal_thread_ended', endedText('writes', exitCode)));
  }

  protected override onError(error: Error): void {
    if (this.#state !== 'failed') this.#end(error, () => must(this.#events, 'the events').onFailure(error));
  }

  #end(error: Error, tell: () => void): void {
    this.#state = 'failed';
    this.#failure = error;
    tell();
    this.#settleClose?.reject(error);
  }
}
