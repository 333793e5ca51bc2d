/**
 * A thread of the server as the event loop sees it. It takes messages, among them the one to close, tells what it has to
 * tell, and ends by itself once it is closed.
 */
import { type MessagePort, Worker } from 'node:worker_threads';

export interface ThreadStart {
  /** The module that it runs. */
  readonly file: URL;
  readonly name: string;
  /** Its `workerData`, and what of it is handed over. */
  readonly data: object;
  readonly transferred?: readonly (MessagePort | undefined)[];
  /** It is terminated if it has not ended so long after it was closed. */
  readonly closeMsMax?: number;
}

/** Every thread takes it. */
export interface CloseMessage {
  readonly kind: 'close';
}

export abstract class Thread<To, From> {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #closeMsMax: number | undefined;
  #isClosing = false;

  constructor({ file, name, data, transferred = [], closeMsMax }: ThreadStart) {
    const transferList = transferred.filter((port) => port !== undefined);
    this.#worker = new Worker(file, { name, workerData: data, transferList });
    this.#worker.on('message', (message: From) => this.onMessage(message));
    this.#worker.on('error', (error: Error) => this.onError(error));
    this.#worker.on('messageerror', (error) => this.onError(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (exitCode) => {
        this.onEnded(exitCode);
        resolve();
      });
    });
    this.#closeMsMax = closeMsMax;
  }

  protected abstract onMessage(message: From): void;

  /** An error that nothing in it has caught: it ends. */
  protected abstract onError(error: Error): void;

  /** It has ended, closed or not. */
  protected onEnded(_exitCode: number): void {}

  /** Whether it is asked to end, or has ended after that. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** How long it has been busy since it began, in milliseconds. */
  get activeMs(): number {
    return this.#worker.performance.eventLoopUtilization().active;
  }

  post(message: To | CloseMessage, transferred: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  /** Resolves when it has ended. */
  async close(): Promise<void> {
    if (!this.#isClosing) this.post({ kind: 'close' });
    this.#isClosing = true;
    const max = this.#closeMsMax;
    const timer = max === undefined ? undefined : setTimeout(() => void this.#worker.terminate(), max);
    await this.#ended;
    clearTimeout(timer);
  }
}
