/**
 * Resource usage of a process, from /proc: CPU time to the nanosecond, of all threads and of the first, and memory.
 * CPU time per request is the one figure of a server that does not depend on its client's speed.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface CpuTimes {
  readonly takenAtMs: number;
  /** All threads. */
  readonly processNs: number;
  /** The thread that the event loop runs on. */
  readonly mainNs: number;
}

/** null if /proc is unavailable (not Linux, or the process has gone). */
export function cpuTimes(pid: number): CpuTimes | null {
  try {
    const takenAtMs = performance.now();
    let processNs = 0;
    let mainNs = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const ns = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
      processNs += ns;
      if (thread === String(pid)) mainNs = ns;
    }
    return { takenAtMs, processNs, mainNs };
  } catch {
    return null;
  }
}

export interface CpuUse {
  /** Shares of a core: 1 is one core all the time. */
  readonly process: number;
  readonly main: number;
}

export function cpuUse(before: CpuTimes | null, after: CpuTimes | null): CpuUse | null {
  if (before === null || after === null) return null;
  const wallNs = (after.takenAtMs - before.takenAtMs) * 1e6;
  return {
    process: (after.processNs - before.processNs) / wallNs,
    main: (after.mainNs - before.mainNs) / wallNs,
  };
}

/** Resident memory now, in bytes; null if /proc is unavailable. */
export function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
