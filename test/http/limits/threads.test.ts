/**
 * Several threads count for the same addresses, keys and accounts at the same moment of the limits' clock. Together
 * they admit what one thread would, to the last request: none is lost, none counted twice, and no other is refused
 * for its sake.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { KEY_READ, KEY_WRITE, type KeyLimit } from '../../../config/rate-limits.js';
import { type Counted, type KeyState, RateLimits } from '../../../http/limits/rate-limits.js';
import { type SharedLimits, shareLimits } from '../../../http/limits/shared-limits.js';
import { accountOf, FEW_LIMITS } from '../../support/http/limits-capacity.js';
import { Rng } from '../../support/reference/random/rng.js';

const THREADS = 3;
const ROUNDS = 4;
const START_MS = 1_000_000;
const REQUESTS = 60_000;
const LIMITS = { keyRead: 2_000, keyWrite: 900, keyCancel: 900, account: 2_500, ip: 4_000 };

const shared = shareLimits(LIMITS, FEW_LIMITS);
const limits = new RateLimits(shared);
let nowMs = START_MS;

export interface ThreadData {
  readonly shared: SharedLimits;
  /** One word: how many threads have come to the start of a task. */
  readonly barrier: SharedArrayBuffer;
}

interface Request {
  readonly asker: Counted;
  readonly keyState: KeyState;
}

/** `order` has the indices of `requests`, each as often as it is sent. */
export interface Task {
  readonly requests: readonly Request[];
  readonly order: Uint32Array;
  readonly nowMs: number;
  /** The task begins when so many threads have come to their tasks since the first task of all. */
  readonly threads: number;
}

class Threads {
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

const threads = new Threads(shared, THREADS);

after(() => threads.end());

const requestOf = (address: number, key: number, keyLimit: KeyLimit): Request => ({
  asker: { address: `192.0.2.${address}`, key, account: accountOf(key), keyLimit },
  keyState: 'known',
});
const keyless = (address: number): Request => ({
  asker: { address: `192.0.2.${address}`, key: 0, account: 0, keyLimit: KEY_READ },
  keyState: 'unknown',
});
const orderOf = (rng: Rng, requests: number): Uint32Array =>
  Uint32Array.from({ length: REQUESTS }, () => rng.integer(0, requests - 1));

function windowsOf({ asker: { address, key, account, keyLimit }, keyState }: Request): [string, number][] {
  if (keyState === 'unknown') return [[address, LIMITS.ip]];
  return [
    [address, LIMITS.ip],
    [`${keyLimit} ${key}`, keyLimit === KEY_READ ? LIMITS.keyRead : LIMITS.keyWrite],
    [`account ${account}`, LIMITS.account],
  ];
}

test('of all that the threads send, as much is admitted as fits the limits, and a minute later again', async () => {
  const rng = new Rng(11);
  const requests = [1, 2, 3].flatMap((address) =>
    [1, 2, 3, 4].flatMap((key) => [requestOf(address, key, KEY_WRITE), requestOf(address, key, KEY_READ)]),
  );
  requests.push(keyless(1), keyless(4));
  for (let round = 0; round < ROUNDS; round++) {
    const orders = Array.from({ length: THREADS }, () => orderOf(rng, requests.length));
    const admitted = await threads.run(requests, orders, nowMs);
    const counted = new Map<string, number>();
    requests.forEach((request, index) => {
      for (const [window] of windowsOf(request))
        counted.set(window, (counted.get(window) ?? 0) + (admitted[index] ?? 0));
    });
    for (const request of requests) {
      const windows = windowsOf(request).map(([window, limit]) => limit - (counted.get(window) ?? 0));
      assert.equal(Math.min(...windows), 0, `none over its limit, and one is used up: ${windows}`);
      assert.equal(limits.take(request.asker, request.keyState, nowMs), false);
    }
    assert.equal(counted.get('192.0.2.4'), LIMITS.ip);
    nowMs += 60_000;
  }
});
