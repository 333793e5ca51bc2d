/** How far the server's shadow lags, and what it wrote: its thread shares the server's core. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ToteServer } from './server.js';

export interface Status {
  readonly sequence: number;
  readonly shadow: {
    readonly state: string;
    readonly lagCommands: number;
    readonly lastSnapshot: { readonly sequence: number; readonly ms: number | null } | null;
  };
}

const POLL_GAP_MS = 20;
/** Not zero, because the lifecycle goes on and the shadow polls the journal only five times a second. */
const NEAR_COMMANDS = 1_000;
const WAIT_MS_MAX = 20_000;

export async function statusOf(server: ToteServer): Promise<Status> {
  return (await server.operate('GET', '/status')) as Status;
}

/** Returns how long it took in milliseconds; NaN if it takes too long. */
export async function catchUp(server: ToteServer): Promise<number> {
  const startedMs = performance.now();
  while ((await statusOf(server)).shadow.lagCommands > NEAR_COMMANDS) {
    if (performance.now() - startedMs > WAIT_MS_MAX) return Number.NaN;
    await pause(POLL_GAP_MS);
  }
  return performance.now() - startedMs;
}
