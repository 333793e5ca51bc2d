/** The session of this page: who has logged in, and what may be asked for in that name. */
import { signal } from '@preact/signals';
import { mayDo, type OperatorRole } from '../../../../engine/model/operators.js';
import type { SessionResource } from '../../sessions.js';

/** `undefined` until the server has said whether there is one. */
export const session = signal<SessionResource | null | undefined>(undefined);
/** Why the last session ended, or ''. */
export const endedBecause = signal('');

/** Whether the caller's role is `needed`, or one that may do more. The server decides all the same. */
export function may(needed: OperatorRole): boolean {
  const role = session.value?.role;
  return role !== undefined && mayDo(role, needed);
}

export const ENDED = 'Your session has ended. Log in again.';

export function endSession(reason: string): void {
  if (session.value !== null) endedBecause.value = reason;
  session.value = null;
}
