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
  /** Has another server lead the log, which the servers choose. */
  stepDown(): Promise<void>;
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
