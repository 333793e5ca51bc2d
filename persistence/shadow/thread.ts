/**
 * The event loop's side of the shadow's thread (`worker.ts`): starts it, keeps its last status, and ends it. Nothing
 * ever waits for it except a clean stop of the server, and that not for long.
 */
import { Worker } from 'node:worker_threads';
import { assert, unreachable } from '../../engine/base/assert.js';
import { fromErrorParts } from '../journal/messages.js';
import {
  type FromShadow,
  type ShadowNews,
  type ShadowOptions,
  type ShadowStatus,
  STATUS_AT_START,
  type ToShadow,
} from './messages.js';

/** How long a clean stop waits for the present step of the shadow; then the thread is terminated. */
const CLOSE_MS_MAX = 1_000;

export interface ShadowEvents {
  /** The server's engine or the shadow's is wrong: the process must end. */
  onDiverged(error: Error): void;
  /** A sentence that an operator should read once. */
  onNote(text: string): void;
  /** What the shadow has done. */
  onNews(news: ShadowNews): void;
}

export class ShadowThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #status: ShadowStatus = STATUS_AT_START;
  #isClosing = false;

  constructor(
    options: ShadowOptions,
    private readonly events: ShadowEvents,
    private readonly closeMsMax = CLOSE_MS_MAX,
  ) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'shadow',
      workerData: options,
      transferList: [options.past, options.roots].filter((port) => port !== undefined),
    });
    this.#worker.on('message', (message: FromShadow) => this.#onMessage(message));
    this.#worker.on('error', (error) => this.#onEnd(`it ended with an error: ${error.message}`));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (exitCode) => {
        this.#onEnd(`it ended with code ${exitCode}`);
        resolve();
      });
    });
  }

  /** The last status of the thread, at most half a second old if it is well. */
  get status(): ShadowStatus {
    return this.#status;
  }

  /** How long the thread has been busy since it began, in milliseconds. */
  get activeMs(): number {
    return this.#worker.performance.eventLoopUtilization().active;
  }

  /** Has it look at the journal now. */
  look(): void {
    if (!this.#isClosing) this.#worker.postMessage({ kind: 'look' } satisfies ToShadow);
  }

  /** Resolves when the thread has ended and closed all files. A snapshot in progress is given up. */
  async close(): Promise<void> {
    assert(!this.#isClosing, 'the shadow is closed once');
    this.#isClosing = true;
    this.#worker.postMessage({ kind: 'close' } satisfies ToShadow);
    const timer = setTimeout(() => void this.#worker.terminate(), this.closeMsMax);
    await this.#ended;
    clearTimeout(timer);
  }

  #onMessage(message: FromShadow): void {
    switch (message.kind) {
      case 'status':
        this.#status = message.status;
        break;
      case 'note':
        this.events.onNote(message.text);
        break;
      case 'news':
        this.events.onNews(message.news);
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

  /**
   * Without the thread there are no snapshots, but the server goes on. The status says so; a restart starts it again.
   */
  #onEnd(reason: string): void {
    if (this.#isClosing || this.#status.state === 'failed') return;
    this.#status = { ...this.#status, state: 'failed', reason };
  }
}
