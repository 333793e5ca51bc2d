/** A thread of the server as the event loop sees it. */
import { setTimeout as pause } from 'node:timers/promises';
import { type MessagePort, Worker } from 'node:worker_threads';

interface ThreadStart {
  readonly file: URL;
  readonly name: string;
  /** Its `workerData`; `transferred` is handed over, not copied. */
  readonly data: object;
  readonly transferred?: readonly (MessagePort | undefined)[];
}

export function startThread({ file, name, data, transferred = [] }: ThreadStart): Worker {
  const transferList = transferred.filter((port) => port !== undefined);
  return new Worker(file, { name, workerData: data, transferList });
}

/** Times `closeMsMax`. */
const LEFT_AFTER = 5;

export interface CloseMessage {
  readonly kind: 'close';
}

/** Without such a thread nothing more can be acknowledged. */
export const endedText = (does: string, exitCode: number): string =>
  `The thread that ${does} the journal ended by itself with code ${exitCode}. Start again: the restart recovers every acknowledged order.`;

export abstract class Thread<To, From> {
  #worker: Worker | null = null;
  readonly #waiting: [message: To | CloseMessage, transferred: readonly MessagePort[]][] = [];
  #ended = Promise.resolve();
  #isRunning = false;
  #isClosing = false;

  /** After a close the thread has `closeMsMax` to end, then it is terminated. One that hangs even so, as its disk does, is left behind. */
  constructor(
    private readonly start: () => Worker,
    private readonly closeMsMax?: number,
  ) {}

  /** Until then messages wait. A thread begins once; one that is closed by now, never. */
  begin(): void {
    if (this.#isClosing || this.#worker !== null) return;
    const worker = this.start();
    worker.on('message', (message: From) => this.onMessage(message));
    worker.on('error', (error: Error) => this.onError(error));
    worker.on('messageerror', (error) => this.onError(error));
    this.#ended = new Promise((resolve) => {
      worker.on('exit', (exitCode) => {
        this.#isRunning = false;
        this.onEnded(exitCode);
        resolve();
      });
    });
    this.#worker = worker;
    this.#isRunning = true;
    for (const [message, transferred] of this.#waiting.splice(0)) worker.postMessage(message, transferred);
  }

  protected abstract onMessage(message: From): void;

  protected abstract onError(error: Error): void;

  protected onEnded(_exitCode: number): void {}

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get activeMs(): number {
    return this.#worker?.performance.eventLoopUtilization().active ?? 0;
  }

  post(message: To | CloseMessage, transferred: readonly MessagePort[] = []): void {
    if (this.#worker === null) this.#waiting.push([message, transferred]);
    else this.#worker.postMessage(message, transferred);
  }

  async close(): Promise<void> {
    if (!this.#isClosing) this.post({ kind: 'close' });
    this.#isClosing = true;
    const max = this.closeMsMax;
    if (max === undefined) return this.#ended;
    void pause(max, null, { ref: false }).then(() => this.#worker?.terminate());
    await Promise.race([this.#ended, pause(LEFT_AFTER * max, null, { ref: false })]);
  }
}
