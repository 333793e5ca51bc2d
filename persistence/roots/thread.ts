/** The event loop's side of the thread that makes roots (`worker.ts`): starts it, takes the roots, and ends it. */
import { Worker } from 'node:worker_threads';
import { assert, unreachable } from '../../engine/base/assert.js';
import { fromErrorParts } from '../journal/messages.js';
import type { FromRootsThread, MadeRoot, RootsOptions, ToRootsThread } from './messages.js';

export interface RootsEvents {
  /** The root of a round that has locked. */
  onRoot(root: MadeRoot): void;
  /** The journal has another root than its bets: the process must end. */
  onDiverged(error: Error): void;
  /** A programming error: the process must end. */
  onFatal(error: unknown): void;
}

export class RootsThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #isClosing = false;

  constructor(
    options: RootsOptions,
    private readonly events: RootsEvents,
  ) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'roots',
      workerData: options,
      transferList: [options.shadow],
    });
    this.#worker.on('message', (message: FromRootsThread) => this.#onMessage(message));
    this.#worker.on('error', (error) => events.onFatal(error));
    this.#ended = new Promise((resolve) => this.#worker.on('exit', () => resolve()));
  }

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    assert(!this.#isClosing, 'the thread of roots is closed once');
    this.#isClosing = true;
    this.#worker.postMessage({ kind: 'close' } satisfies ToRootsThread);
    await this.#ended;
  }

  #onMessage(message: FromRootsThread): void {
    switch (message.kind) {
      case 'root':
        if (!this.#isClosing) this.events.onRoot(message.root);
        break;
      case 'diverged':
        this.events.onDiverged(fromErrorParts(message.error));
        break;
      case 'closed':
        break;
      default:
        unreachable(message);
    }
  }
}
