/** The part that a process may take in the replicated log, and what it tells of it while it follows. */
import type { LeaseState } from './lease.js';

/**
 * `leader` leads at once, and is refused while another process does. `standby` follows, and leads once a leader has ended.
 * `auto` is a standby that also begins an empty log.
 */
export type Role = 'leader' | 'standby' | 'auto';

/** What a process that follows knows of the log. */
export interface FollowStatus {
  readonly lease: LeaseState;
  /** Who leads, or led last; '' if nobody has. */
  readonly leader: string;
  readonly epoch: number;
  /** Numbers of the last message read, and of the last one of the log at that time. */
  readonly readSequence: number;
  readonly lastSequence: number;
  /** The last command of what was read. */
  readonly readSeq: number;
  /** How long ago the end of the log was reached; 0 at the end. Nothing that was in the log before then is missing. */
  readonly behindMs: number;
}
