/** The event loop's side of the reader's thread (`worker.ts`): starts it, connects gateways with it, and ends it. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { assert, unreachable } from '../../engine/base/assert.js';
import type { FromPast, PastOptions, ToPast } from './messages.js';

export interface PastEvents {
  /** A sentence that an operator should read. */
  onNote(text: string): void;
  /** A programming error: the process must end. */
  onFatal(error: unknown): void;
}

export class PastThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #isClosing = false;

  constructor(
    options: PastOptions,
    private readonly events: PastEvents,
  ) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'past',
      workerData: options,
      transferList: [options.shadow],
    });
    this.#worker.on('message', (message: FromPast) => this.#onMessage(message));
    this.#worker.on('error', (error) => events.onFatal(error));
    this.#ended = new Promise((resolve) => this.#worker.on('exit', () => resolve()));
  }

  /** How long the thread has been busy since it began, in milliseconds. */
  get activeMs(): number {
    return this.#worker.performance.eventLoopUtilization().active;
  }

  /** A port for another gateway's questions (`ArchiveAsked`), which are answered there (`ArchiveTold`). */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ kind: 'gateway', port: port1 } satisfies ToPast, [port1]);
    return port2;
  }

  /** Resolves when the thread has closed the archive. */
  async close(): Promise<void> {
    assert(!this.#isClosing, 'the reader of the past is closed once');
    this.#isClosing = true;
    this.#worker.postMessage({ kind: 'close' } satisfies ToPast);
    await this.#ended;
  }

  #onMessage(message: FromPast): void {
    switch (message.kind) {
      case 'note':
        this.events.onNote(message.text);
        break;
      case 'closed':
        break;
      default:
        unreachable(message);
    }
  }
}
