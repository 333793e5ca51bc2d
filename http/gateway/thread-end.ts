/** The threads that serve a port tell the engine's thread of their end, their certificate and their errors. */
import { messageOf } from '../../engine/base/attempt.js';
import type { UwsTransport } from '../uws/transport.js';
import type { Post } from './messages.js';

/** 1 once no more connections are handed to other threads. */
export const STOPPED_ACCEPTING = 0;
/** Threads that have let go of the network, by closing or by halting. */
export const LET_GO = 1;

/** The engine's thread can wait for this memory. */
export class Ended {
  readonly #cells: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#cells = new Int32Array(memory);
  }

  tell(cell: number): void {
    Atomics.add(this.#cells, cell, 1);
    Atomics.notify(this.#cells, cell);
  }

  /** Until so many threads have told it, or until then by `performance.now()`. */
  wait(cell: number, wanted: number, untilMs: number): void {
    for (;;) {
      const is = Atomics.load(this.#cells, cell);
      if (is >= wanted) return;
      if (Atomics.wait(this.#cells, cell, is, untilMs - performance.now()) === 'timed-out') return;
    }
  }
}

/** Tells once that the thread has let go of the network, by closing or by halting. The engine's thread waits for it. */
export class ThreadEnd {
  readonly #ended: Ended;
  #isOver = false;

  constructor(
    memory: SharedArrayBuffer,
    private readonly end: () => void,
  ) {
    this.#ended = new Ended(memory);
  }

  stoppedAccepting(): void {
    this.#ended.tell(STOPPED_ACCEPTING);
  }

  letGo(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended.tell(LET_GO);
    this.end();
  }
}

/** A programming error: the process ends. */
export function tellFailed(post: Post, error: unknown): void {
  post({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
}

export function orFail(post: Post, done: Promise<void>): void {
  done.catch((error: unknown) => tellFailed(post, error));
}

export function tellRefused(post: Post, error: unknown): void {
  post({ kind: 'refused', reason: messageOf(error) });
}

export function renewFor(transport: UwsTransport, post: Post): void {
  try {
    post({ kind: 'renewed', descriptor: transport.renew() });
  } catch (error) {
    tellRefused(post, error);
  }
}
