/** How far the server's shadow lags, and what it wrote: its thread shares the server's core. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ToteServer } from './server.js';

export interface Status {
  readonly sequence: number;
  readonly shadow: {
    readonly state: string;
    readonly appliedSequence: number;
    readonly lagCommands: number;
    readonly lastSnapshot: {
      readonly sequence: number;
      readonly bytes: number;
      readonly ms: number | null;
    } | null;
  };
  readonly start: { readonly snapshotSequence: number | null; readonly ms: number };
}

const POLL_GAP_MS = 20;
/** Not zero, because the lifecycle goes on and the shadow polls the journal only five times a second. */
const NEAR_COMMANDS = 1_000;
const WAIT_MS_MAX = 20_000;

export async function statusOf(server: ToteServer): Promise<Status> {
  return (await server.operate('GET', '/status')) as Status;
}

/** 0 for an older program without a shadow. */
async function lagOf(server: ToteServer): Promise<number> {
  const { shadow }: Partial<Status> = await statusOf(server);
  return shadow?.lagCommands ?? 0;
}

export interface CaughtUp {
  readonly lagCommands: number;
  readonly tookMs: number;
}

export async function catchUp(server: ToteServer): Promise<CaughtUp> {
  const startedMs = performance.now();
  const lagCommands = await lagOf(server);
  for (let left = lagCommands; left > NEAR_COMMANDS; left = await lagOf(server)) {
    if (performance.now() - startedMs > WAIT_MS_MAX) return { lagCommands, tookMs: Number.NaN };
    await pause(POLL_GAP_MS);
  }
  return { lagCommands, tookMs: performance.now() - startedMs };
}
