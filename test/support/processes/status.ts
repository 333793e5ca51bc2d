/** The status of a server and of its shadow, and waiting for a status. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from './server.js';

export interface Status {
  readonly sequence: number;
  readonly durableSequence: number;
  readonly ordersRefused: string | null;
  readonly start: { readonly snapshotSequence: number | null; readonly commandsReplayed: number };
  readonly shadow: {
    readonly state: string;
    readonly reason: string | null;
    readonly appliedSequence: number;
    readonly lagCommands: number;
    readonly archiveSequence: number;
    readonly lastSnapshot: { readonly sequence: number; readonly bytes: number } | null;
    readonly recoverySpace: { readonly neededBytes: number; readonly freeBytes: number };
  };
}

/** The shadow runs in the background, and gets little time on a busy machine. */
const WITHIN_MS = 180_000;
const ASK_EVERY_MS = 25;

/** Asks until it holds. */
export async function statusWhere<S extends Status = Status>(
  server: Server,
  holds: (status: S) => boolean,
): Promise<S> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const { data: status } = await server.operator.get<S>('/status');
    if (holds(status)) return status;
    if (performance.now() > untilMs) throw new Error(`it never came to that: ${JSON.stringify(status)}`);
    await pause(ASK_EVERY_MS);
  }
}

export const hasCaughtUp = ({ shadow, durableSequence }: Status): boolean =>
  shadow.archiveSequence === durableSequence && shadow.state === 'following';
