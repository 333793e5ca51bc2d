import type { OperatorRole } from '../../engine/model/operators.js';

/** What the page knows of its session. */
export interface SessionResource {
  readonly name: string;
  readonly role: OperatorRole;
  /** Whether the server follows another one: then there is nothing but its replication to see. */
  readonly isStandby: boolean;
  /** To be sent as X-CSRF-Token with each change. */
  readonly csrfToken: string;
}

/** The console's own close code of a WebSocket: the session has ended, and the page asks for a login. */
export const SESSION_ENDED = 4401;
