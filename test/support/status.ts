/** What an operator's status tells of a server and of its shadow, and waiting for it to tell something. */
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

const ASKS_MAX = 600;

/** Asks until it holds, at most `asksMax` times with 25 ms between them: the shadow works on its own time. */
export async function statusWhere(
  server: Server,
  holds: (status: Status) => boolean,
  asksMax = ASKS_MAX,
): Promise<Status> {
  let status: Status | null = null;
  for (let asks = 0; asks < asksMax; asks++) {
    status = (await server.operator.get<Status>('/status')).data;
    if (holds(status)) return status;
    await pause(25);
  }
  throw new Error(`it never came to that: ${JSON.stringify(status)}`);
}

export const hasCaughtUp = ({ shadow, durableSequence }: Status): boolean =>
  shadow.archiveSequence === durableSequence && shadow.state === 'following';
