/** The engine's side of the replication's thread (`worker.ts`). Nothing here waits. */
import { Worker } from 'node:worker_threads';
import { JournalError } from '../errors.js';
import { fromErrorParts } from '../journal/messages.js';
import type { FromReplication, ReplicationThreadOptions, ToReplication } from './messages.js';

/** How long a clean end waits for the lease to be given back. */
const CLOSE_MS_MAX = 2_000;

export interface ReplicationEvents {
  onMessage(message: Exclude<FromReplication, { kind: 'failed' | 'closed' }>): void;
  /** Nothing more will be published. */
  onFailure(error: Error): void;
}

/** The other side of the messages, as the engine's thread sees it. */
export interface ReplicationLink {
  post(message: ToReplication): void;
  /** Resolves once nothing more is done there. */
  close(): Promise<void>;
}

export class ReplicationThread implements ReplicationLink {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #events: ReplicationEvents;
  #isOver = false;

  constructor(options: ReplicationThreadOptions, events: ReplicationEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'replication',
      workerData: options,
    });
    this.#worker.on('message', (message: FromReplication) => this.#onMessage(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#fail(new JournalError('replication_thread_ended', endedText(code)));
        resolve();
      });
    });
  }

  post(message: ToReplication): void {
    this.#worker.postMessage(message);
  }

  /** Resolves once the lease is given back, as far as the servers answer, and the thread has ended. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.post({ kind: 'close' });
    const timer = setTimeout(() => void this.#worker.terminate(), CLOSE_MS_MAX);
    await this.#ended;
    clearTimeout(timer);
  }

  #onMessage(message: FromReplication): void {
    if (message.kind === 'failed') this.#fail(fromErrorParts(message.error));
    else if (message.kind !== 'closed' && !this.#isOver) this.#events.onMessage(message);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onFailure(error);
  }
}

function endedText(exitCode: number): string {
  return `The thread that replicates the journal ended by itself with code ${exitCode}. Start again: the restart recovers every acknowledged order.`;
}
