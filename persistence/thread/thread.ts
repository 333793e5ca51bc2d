/** A thread of the server as the event loop sees it. */
import { type MessagePort, Worker } from 'node:worker_threads';

export interface ThreadStart {
  readonly file: URL;
  readonly name: string;
  /** Its `workerData`; `transferred` is handed over, not copied. */
  readonly data: object;
  readonly transferred?: readonly (MessagePort | undefined)[];
  /** After a close it has this long to end, then it is terminated. */
  readonly closeMsMax?: number;
}

export interface CloseMessage {
  readonly kind: 'close';
}

/** Of a thread without which nothing more can be acknowledged. */
export const endedText = (does: string, exitCode: number): string =>
  `The thread that ${does} the journal ended by itself with code ${exitCode}. Start again: the restart recovers every acknowledged order.`;

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

  protected abstract onError(error: Error): void;

  protected onEnded(_exitCode: number): void {}

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get activeMs(): number {
    return this.#worker.performance.eventLoopUtilization().active;
  }

  post(message: To | CloseMessage, transferred: readonly MessagePort[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  async close(): Promise<void> {
    if (!this.#isClosing) this.post({ kind: 'close' });
    this.#isClosing = true;
    const max = this.#closeMsMax;
    const timer = max === undefined ? undefined : setTimeout(() => void this.#worker.terminate(), max);
    await this.#ended;
    clearTimeout(timer);
  }
}
