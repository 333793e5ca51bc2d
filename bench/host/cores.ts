/**
 * Core assignment. Every server of a run has one core to itself and the client another, so that figures do not depend
 * on how the kernel spreads the threads. The suite itself sleeps during a measurement.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { attempt } from '../../engine/base/attempt.js';

export type Cores = Readonly<ReturnType<typeof findCores>>;

/** The first two cores that this process may use; nothing is pinned where there is one, or no taskset. */
export function findCores() {
  const allowed = allowedCores();
  const [server, client] = allowed;
  if (server === undefined || client === undefined || !hasTaskset()) return { server: null, client: null };
  return { server, client };
}

export function onCore(core: number | null, command: readonly string[]): string[] {
  return core === null ? [...command] : ['taskset', '--cpu-list', String(core), ...command];
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** None except on Linux. */
function allowedCores(): number[] {
  const status = attempt(() => readFileSync('/proc/self/status', 'utf8'), '');
  return parseCpuList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
}

function parseCpuList(list: string): number[] {
  const cores: number[] = [];
  for (const range of list.split(',')) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (from === undefined) continue;
    for (let core = Number(from); core <= Number(to ?? from); core += 1) cores.push(core);
  }
  return cores;
}
