/** The priority of a thread: which one the kernel runs first when there are fewer cores than busy threads. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lowers the priority of this thread, not of the process: on Linux every thread has its own nice value. Returns whether
 * it did; on other systems it does nothing.
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
