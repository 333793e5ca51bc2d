/** How a thread that serves a port tells the engine's thread of its end, and of what goes wrong. */
import type { Post } from './messages.js';

/** The thread has let go of the network, once, by closing or by halting. The engine's thread waits for it. */
export class ThreadEnd {
  #isOver = false;

  constructor(
    private readonly memory: SharedArrayBuffer,
    /** Lets the thread end. */
    private readonly end: () => void,
  ) {}

  letGo(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const halted = new Int32Array(this.memory);
    Atomics.add(halted, 0, 1);
    Atomics.notify(halted, 0);
    this.end();
  }
}

/** A programming error: the process ends. */
export function tellFailed(post: Post, error: unknown): void {
  post({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
}

/** The reason why a port is not listened on. */
export function tellRefused(post: Post, error: unknown): void {
  post({ kind: 'refused', reason: error instanceof Error ? error.message : String(error) });
}
