/** The replicated log as its users see it: NATS JetStream (`../nats/nats-log.ts`), or a model of it in tests. */

export interface LogEntry {
  /** Its number in the log, from 1, without gaps. */
  readonly sequence: number;
  /** See `idOf`. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A message of the log, without its content. */
export type LogPlace = Pick<LogEntry, 'sequence' | 'id'>;

/** Before the first message. */
export const LOG_BEGIN: LogPlace = { sequence: 0, id: '' };

/** Another message has taken the place. Which one, the log itself must tell: it may be one's own, sent before. */
export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/**
 * Any method may throw anything else when the log cannot be reached, has no quorum, or does not answer in time. A message
 * may be in the log all the same.
 */
export interface ReplicatedLog {
  /** The most bytes that a message may have. */
  readonly bytesMax: number;
  /**
   * Appends a message as number `afterSequence + 1`, and resolves once a majority has it. Throws `PlaceTaken` if the log ends
   * elsewhere. A message that the log has already, by its id, is not appended again.
   */
  append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void>;
  /** null if there is none, not any more or not yet. */
  read(sequence: number): Promise<LogEntry | null>;
  /** Numbers of the first and the last message; `last` is 0 if there never was one. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>;
  /** Deletes all messages before `sequence`. */
  deleteBefore(sequence: number): Promise<void>;
}

/** Who leads, as far as is known. It decides nothing: the log does (`Appender`). */
export interface LeaseEntry {
  readonly revision: number;
  readonly holder: string;
  readonly epoch: number;
  /** The holder has given it back and expects a successor. */
  readonly isReleased: boolean;
  /** The successor's name; '' for any. */
  readonly successor: string;
  /** The log had everything up to this command when the lease was written, or it will again before anybody leads. */
  readonly lastSeq: number;
}

export type LeaseState =
  /** No process has ever led. */
  | 'none'
  /** Renewed within the lease, as far as is known. */
  | 'held'
  /** Not renewed for as long as the lease lasts, all of which was watched. */
  | 'lapsed'
  /** Given back by its holder, for this process or any. */
  | 'released';

export interface LeaseStore {
  readLease(): Promise<LeaseEntry | null>;
  /** Writes if the revision is still `revision`; 0 for none. Throws `PlaceTaken` otherwise. Returns the new one. */
  writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number>;
}

/** What a standby tells whoever leads, twice a second. */
export interface StandbyReport {
  readonly node: string;
  readonly messagesBehind: number;
  /** How long ago it was at the end of the log; 0 at the end. */
  readonly behindMs: number;
}

/** Words that spare waiting. Each may be lost: what it says is found out without it, later. */
export interface LogWords {
  /** Calls `tell` when a message may have been appended. */
  onNews(tell: () => void): void;
  /** Calls `tell` when a leader has given its lease back. */
  onReleased(tell: () => void): void;
  /** Calls `tell` when a successor asks the leader, `node`, for the lead. */
  onHandOver(node: string, tell: (to: string) => void): void;
  /** Tells whoever leads how far this standby is. */
  report(report: StandbyReport): void;
  /** Calls `tell` with what standbys report. */
  onReport(tell: (report: StandbyReport) => void): void;
}

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

/**
 * The highest epoch that this machine has seen. It outlives the process, and a log that has lost its newest messages: an epoch
 * that was once led is never led again.
 */
export interface EpochMemory {
  readonly highest: number;
  /** Remembers `epoch` if it is higher. It is durable on return. */
  raise(epoch: number): void;
}
