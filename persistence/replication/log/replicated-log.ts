/** The replicated log as its users see it: NATS JetStream (`../nats/nats-log.ts`), or a model of it in tests. */
import type { StandbyReport } from '../../../engine/model/ports.js';

export interface LogEntry {
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly id: string;
  readonly bytes: Uint8Array;
}

export type LogPlace = Pick<LogEntry, 'sequence' | 'id'>;

export const LOG_BEGIN: LogPlace = { sequence: 0, id: '' };

/** Another message has taken the place. It may be one's own, sent before: the log shows it. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/**
 * Any method may throw anything when the log does not answer in time, or has no quorum. A message may be in the log
 * all the same.
 */
export interface ReplicatedLog {
  readonly bytesMax: number;
  /**
   * Appends as number `afterSequence + 1`, and resolves once a majority has it. Throws `PlaceTaken` if the log ends
   * elsewhere. A message whose id the log has is not appended again.
   */
  append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void>;
  /** null if the message is not there any more, or not yet. */
  read(sequence: number): Promise<LogEntry | null>;
  /** `last` is 0 if there never was a message. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
  deleteBefore(sequence: number): Promise<void>;
}

/** The leader as far as is known. The lease decides nothing: the log does (`Leader`). */
export interface LeaseEntry {
  readonly revision: number;
  readonly holder: string;
  readonly epoch: number;
  readonly isReleased: boolean;
  /** '' for any. */
  readonly successor: string;
  /**
   * The log had everything up to this command when the lease was written, or will have it again before anybody leads.
   */
  readonly lastSeq: number;
  /** The fingerprint of its master secret; null where the NATS servers had lost it. */
  readonly exchange: string | null;
}

export type LeaseState =
  | 'none'
  | 'held'
  /** Not renewed for as long as the lease lasts, all of which was watched. */
  | 'lapsed'
  /** Given back, for this process or any. */
  | 'released';

export interface LeaseStore {
  readLease(): Promise<LeaseEntry | null>;
  /** Throws `PlaceTaken` unless the revision is still `revision`; 0 for none. Returns the new one. */
  writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number>;
}

/** Signals that spare waiting. Any may be lost: its content is found out without it, later. */
export interface LogSignals {
  /** A message may have been appended. */
  onNews(tell: () => void): void;
  onReleased(tell: () => void): void;
  /** A successor asks the leader, `node`, for the lead. Returns a function that ends the answers. */
  onHandOver(node: string, tell: (to: string) => void): () => void;
  report(report: StandbyReport): void;
  onReport(tell: (report: StandbyReport) => void): void;
}

/**
 * `leader` leads at once, and is refused while another process does. `standby` follows, and leads once a leader has ended.
 * `auto` is a standby that also begins an empty log.
 */
export type Role = 'leader' | 'standby' | 'auto';

export interface FollowStatus {
  readonly lease: LeaseState;
  /** How long ago a renewal was seen. */
  readonly leaseAgeMs: number;
  /** The present or last leader; '' if there was none. */
  readonly leader: string;
  readonly epoch: number;
  /** The last message taken, and the log's last one at that time. */
  readonly readSequence: number;
  readonly lastSequence: number;
  readonly readSeq: number;
  /** Since the end of the log was reached; 0 at the end. Nothing that was in the log before then is missing. */
  readonly behindMs: number;
}

/**
 * The highest epoch that this machine has seen. It outlives the process and a log that loses messages: no epoch is
 * led twice.
 */
export interface EpochMemory {
  readonly highest: number;
  raise(epoch: number): void;
}
