/**
 * Resource usage of a process, from /proc: CPU time to the nanosecond, in total and by thread, and memory. CPU time per
 * request is the one figure of a server that does not depend on its client's speed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { attempt } from '../../engine/base/attempt.js';

/**
 * `main` is the first thread: the engine's of this server, the event loop of a reference. `gateway` are those of the
 * public port. `other` are the threads of V8 and of libuv, which collect garbage and compile for all the others, and
 * the archive's reader, which has nothing to do with an order.
 */
export const THREADS = [
  'gateway',
  'main',
  'journal',
  'replication',
  'shadow',
  'roots',
  'operator',
  'other',
] as const;
export type ThreadName = (typeof THREADS)[number];
export type ByThread = Readonly<Record<ThreadName, number>>;

/** Names that the probe gave, after the folders of the scripts. The references' only worker commits. */
const NAMES: ReadonlyMap<string, ThreadName> = new Map([
  ['gateway', 'gateway'],
  ['journal', 'journal'],
  ['references', 'journal'],
  ['replication', 'replication'],
  ['shadow', 'shadow'],
  ['roots', 'roots'],
  ['operator', 'operator'],
]);

export type CpuTimes = NonNullable<ReturnType<typeof cpuTimes>>;

/** null if /proc is unavailable (not Linux, or the process has gone). */
export function cpuTimes(pid: number) {
  try {
    const takenAtMs = performance.now();
    const threadNs: Record<ThreadName, number> = { ...byThread(() => 0) };
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const read = (file: string): string => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
      const name = thread === String(pid) ? 'main' : (NAMES.get(read('comm').trim()) ?? 'other');
      threadNs[name] += Number(read('schedstat').split(' ')[0]);
    }
    return { takenAtMs, threadNs };
  } catch {
    return null;
  }
}

/** `process` is its share of a core: 1 is one core all the time. */
export function cpuUse(before: CpuTimes | null, after: CpuTimes | null) {
  if (before === null || after === null) return null;
  const wallNs = (after.takenAtMs - before.takenAtMs) * 1e6;
  const threadNs = byThread((name) => after.threadNs[name] - before.threadNs[name]);
  return { process: sumOf(threadNs) / wallNs, threadNs };
}

export function byThread(of: (name: ThreadName) => number): ByThread {
  return Object.fromEntries(THREADS.map((name) => [name, of(name)])) as Record<ThreadName, number>;
}

export const sumOf = (threads: ByThread): number => THREADS.reduce((sum, name) => sum + threads[name], 0);

export function residentBytes(pid: number): number | null {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
