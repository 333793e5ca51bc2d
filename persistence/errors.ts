/**
 * The one class of error that persistence shows to operators. Each has a stable code for machines and a
 * sentence that says what is wrong, where, and what to do (design, "Faults").
 */
export type JournalErrorCode =
  /** The data directory cannot be used: not a directory, not writable, cannot be made. */
  | 'data_dir_invalid'
  /** Another process works on the data directory. */
  | 'data_dir_locked'
  /** A file that holds a secret has the wrong length or is open to others. */
  | 'secret_invalid'
  /** The journal was written by a newer version. */
  | 'journal_newer_version'
  /** A row, a page or a file of the journal is damaged. */
  | 'journal_corrupt'
  /** Acknowledged sequence numbers are missing from the journal. */
  | 'journal_incomplete'
  /** A segment has left the journal since its folder was listed: retention deletes segments while others read. */
  | 'segment_gone'
  /** The file that says what the journal holds no more is damaged. */
  | 'absent_unreadable'
  /** The mark is missing or damaged, so that nobody can say whether the journal is whole. */
  | 'mark_unreadable'
  /** The engine came to other outcomes than the one that wrote the journal, or refused a journaled command. */
  | 'replay_mismatch'
  /** What was asked for is not in the data directory, or not any more. */
  | 'not_found'
  /** A file that was to be made is there already; it is not written over. */
  | 'file_exists'
  /** A file that the command line names cannot be read. */
  | 'file_unreadable'
  /** A backup is of another journal than the one that is to be copied to it, or cannot be continued. */
  | 'backup_mismatch'
  /** The medium does not give the durability that was asked for. */
  | 'durability_unavailable'
  /** There is not enough free space for what has to be written. */
  | 'disk_full'
  /** A write, a sync or a close failed. */
  | 'journal_write_failed'
  /** A snapshot is not what was written, or was not written by this program. */
  | 'snapshot_damaged'
  /** A snapshot could not be written. The journal is as it was. */
  | 'snapshot_write_failed'
  /** The archive was written by a newer version. */
  | 'archive_newer_version'
  /** A row, a page or the file of the archive is damaged, or it is not of this journal. */
  | 'archive_corrupt'
  /** The thread that writes the journal ended without being told to. */
  | 'journal_thread_ended';

export class JournalError extends Error {
  override readonly name = 'JournalError';

  /** `sentence` is for people: what, where, and what to do. */
  constructor(
    readonly code: JournalErrorCode,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
  }
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a file-system or SQLite error, or of one of the journal's, or ''. */
export function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}
