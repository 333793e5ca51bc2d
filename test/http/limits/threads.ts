/** Threads that count for the same rate limits at the same time. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Asker, KeyState } from '../../../http/limits/rate-limits.js';
import type { SharedLimits } from '../../../http/limits/shared-limits.js';

export interface ThreadData {
  readonly shared: SharedLimits;
  /** One word: how many threads have come to the start of a task. */
  readonly barrier: SharedArrayBuffer;
}

export interface Request {
  readonly asker: Asker;
  readonly fate: KeyState;
}

/** `order` has the indices of `requests`, each as often as it is sent. */
export interface Task {
  readonly requests: readonly Request[];
  readonly order: Uint32Array;
  readonly nowMs: number;
  /** The task begins when so many threads have come to their tasks since the first task of all. */
  readonly threads: number;
}

export class Threads {
  readonly #workers: readonly Worker[];
  #begun = 0;

  constructor(shared: SharedLimits, count: number) {
    const workerData: ThreadData = { shared, barrier: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) };
    const file = new URL('./rate-limits.worker.js', import.meta.url);
    this.#workers = Array.from({ length: count }, () => new Worker(file, { workerData }));
  }

  /** Each thread sends the requests in its own order. Returns how often each was admitted. */
  async run(requests: readonly Request[], orders: readonly Uint32Array[], nowMs: number): Promise<number[]> {
    this.#begun += this.#workers.length;
    const answers = this.#workers.map(async (worker, thread) => {
      const answer = once(worker, 'message') as Promise<[number[]]>;
      worker.postMessage({ requests, order: orders[thread], nowMs, threads: this.#begun });
      return (await answer)[0];
    });
    const admitted = await Promise.all(answers);
    return requests.map((_, index) => admitted.reduce((sum, ofThread) => sum + (ofThread[index] ?? 0), 0));
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
