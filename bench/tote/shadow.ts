/** How far the server's shadow is behind, and what it wrote: its thread shares the server's core. */
import type { ToteServer } from './server.js';

/** The part of /status that matters here. */
export interface Status {
  readonly sequence: number;
  readonly shadow: {
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

const LOOK_GAP_MS = 50;

export async function statusOf(server: ToteServer): Promise<Status> {
  return (await server.operate('GET', '/status')) as Status;
}

export interface CaughtUp {
  /** Commands that it was behind. */
  readonly lagCommands: number;
  /** Until it was no more than `near` behind; NaN where that took longer than was waited. */
  readonly tookMs: number;
}

/** Waits, at most `msMax`, until the shadow is no more than `near` commands behind. */
export async function catchUp(server: ToteServer, near: number, msMax: number): Promise<CaughtUp> {
  const startedMs = performance.now();
  const { lagCommands } = (await statusOf(server)).shadow;
  for (let left = lagCommands; left > near; left = (await statusOf(server)).shadow.lagCommands) {
    if (performance.now() - startedMs > msMax) return { lagCommands, tookMs: Number.NaN };
    await new Promise((resolve) => setTimeout(resolve, LOOK_GAP_MS));
  }
  return { lagCommands, tookMs: performance.now() - startedMs };
}
