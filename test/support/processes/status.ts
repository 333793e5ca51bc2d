import { askUntil } from '../ask-until.js';
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

/** The shadow runs in the background: asks again and again. */
export const statusWhere = <S extends Status = Status>(
  server: Server,
  holds: (status: S) => boolean,
): Promise<S> => askUntil(async () => (await server.operator.get<S>('/status')).data, holds);

export const hasCaughtUp = ({ shadow, durableSequence }: Status): boolean =>
  shadow.archiveSequence === durableSequence && shadow.state === 'following';
