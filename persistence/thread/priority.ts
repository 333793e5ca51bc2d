/** Which of several busy threads the kernel runs first, where there are fewer cores than threads. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lowers this thread's priority, not that of the process: Linux gives every thread a nice value of its own. Returns
 * whether it did; elsewhere nothing happens.
 */
export function lowerThreadPriority(nice: number): boolean {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, nice);
    return true;
  } catch {
    return false;
  }
}
