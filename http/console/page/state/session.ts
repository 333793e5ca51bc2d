/** The session of this page: the operator, and the operator's rights. */
import { signal } from '@preact/signals';
import { mayDo, type OperatorRole } from '../../../../engine/model/operators.js';
import type { SessionResource } from '../../sessions.js';

/** `undefined` until the server has said whether there is one. */
export const session = signal<SessionResource | null | undefined>(undefined);
/** '' if no session has ended. */
export const endedBecause = signal('');

/** True for any role that may do as much. The server decides all the same. */
export function may(needed: OperatorRole): boolean {
  const role = session.value?.role;
  return role !== undefined && mayDo(role, needed);
}

export const ENDED = 'Your session has ended. Log in again.';

export function endSession(reason: string): void {
  if (session.value !== null) endedBecause.value = reason;
  session.value = null;
}
