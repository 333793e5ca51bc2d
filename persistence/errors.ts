/**
 * Errors of persistence as operators see them: a stable code, and a sentence that says what is wrong and what to do.
 */
import { constants } from 'node:os';
import { messageOf } from '../engine/base/attempt.js';
import { KnownError } from '../engine/base/known-error.js';

export type JournalErrorCode =
  /** The data directory cannot be used: it is not a directory, not writable, or cannot be created. */
  | 'data_dir_invalid'
  | 'data_dir_locked'
  /** The native code of better-sqlite3 was compiled for another Node, or is not there. */
  | 'sqlite_unloadable'
  /** A file with a secret has the wrong length, or other users can read it. */
  | 'secret_invalid'
  /** The file of operator tokens has mistakes, or other users can write it. */
  | 'operator_tokens_invalid'
  /** A file was written by another version, in a format that this one does not read. */
  | 'other_format'
  | 'journal_corrupt'
  /** Acknowledged sequence numbers are missing from the journal. */
  | 'journal_incomplete'
  /** A segment was deleted after its folder was listed: retention deletes segments while others read. */
  | 'segment_gone'
  /** The file that lists what the journal no longer holds is damaged. */
  | 'absent_unreadable'
  /** The mark is missing or damaged, so nothing can say whether the journal is complete. */
  | 'mark_unreadable'
  /** Replay gave another outcome than the journal's, or refused a journaled command. */
  | 'replay_mismatch'
  | 'not_found'
  | 'file_exists'
  /** A file named on the command line or in the configuration cannot be read. */
  | 'file_unreadable'
  /** A backup is of another journal than its source, or cannot be continued from it. */
  | 'backup_mismatch'
  /** The file system does not provide the durability that was asked for. */
  | 'durability_unavailable'
  | 'disk_full'
  /** Files of the journal were deleted or replaced while they were open. */
  | 'journal_lost'
  | 'journal_write_failed'
  /** A snapshot is not what was written, or was not written by this program. */
  | 'snapshot_damaged'
  /** A snapshot could not be written. The journal is as it was. */
  | 'snapshot_write_failed'
  /** A row, a page or the file of the archive is damaged, or the archive belongs to another journal. */
  | 'archive_corrupt'
  /** The archive's file was deleted or replaced while it was open. */
  | 'archive_lost'
  | 'journal_thread_ended'
  | 'replication_thread_ended'
  /** The NATS servers refuse what is needed of them. */
  | 'replication_unreachable'
  /** The operator port of a server does not answer as it should. */
  | 'server_unreachable'
  /** A NATS server is of a version that loses what it acknowledges. */
  | 'replication_outdated'
  /** A message of the replicated log is not in its form, or does not follow from the one before it. */
  | 'replication_damaged'
  /** The replicated log begins after the end of the journal: a backup is needed. */
  | 'replication_behind'
  /** The journal and the replicated log are not of one history. */
  | 'replication_diverged'
  /** The journal's last batch is not in the replicated log, and must be taken back. */
  | 'replication_unpublished'
  /** The replicated log has lost messages that this process had published or read. */
  | 'replication_went_back'
  | 'replication_led'
  /** Another process has taken over from this one. */
  | 'replication_fenced';

export class JournalError extends KnownError {
  override readonly name = 'JournalError';

  constructor(
    override readonly code: JournalErrorCode,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(code, sentence, options);
  }
}

export const otherFormat = (
  what: 'journal' | 'snapshot' | 'archive',
  path: string,
  found: number,
  known: number,
): JournalError =>
  new JournalError(
    'other_format',
    `The ${what} ${path} has format ${found}; this version reads format ${known}. Start the version that wrote it.`,
  );

/** `text` as one word of a shell's command, for sentences that have one to copy. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Node has no name for this error of the system, and calls it unknown. */
const QUOTA = 'EDQUOT';

/** The last code: a database in WAL mode is read only beside an index, for which there was no space. */
export const isDiskFull = (thrown: unknown): boolean =>
  ['ENOSPC', QUOTA, 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'].includes(codeOf(thrown));

/** The operating system or SQLite says it of a file: anything else but a `JournalError` is a programming error. */
export const isOfFile = (thrown: unknown): boolean => /^(E[A-Z0-9]+|SQLITE_\w+)$/.test(codeOf(thrown));

/** SQLite has waited for another connection's lock. */
export const isBusy = (thrown: unknown): boolean => /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(thrown));

/** It says nothing of what is there, and is gone later: the disk is full, another program works there, retention deletes. */
export const isPassing = (thrown: unknown): boolean =>
  ['disk_full', 'data_dir_locked', 'segment_gone'].includes(codeOf(thrown));

/**
 * An error of SQLite as what it says of `file`, such as `The journal PATH`; any other, such as that there is no memory, as it came.
 * `disk` and `damage` get SQLite's reason.
 */
export function asFileFault(
  file: string,
  thrown: unknown,
  { disk, damage }: Readonly<Record<'disk' | 'damage', (reason: string) => JournalError>>,
): unknown {
  const code = codeOf(thrown);
  if (!code.startsWith('SQLITE_')) return thrown;
  const fault = (as: JournalErrorCode, sentence: string): JournalError =>
    new JournalError(as, `${file} ${sentence}`, { cause: thrown });
  const reason = reasonOf(thrown);
  if (isBusy(thrown)) {
    const sentence =
      'is held by another program, as by a backup or "verify". Wait for its end, and try again.';
    return fault('data_dir_locked', sentence);
  }
  if (code === 'SQLITE_READONLY_ROLLBACK') {
    const sentence =
      'was left in the middle of a write, which only a user who may write to it can set right. ' +
      'Start the server on it once, make a backup again, or copy the data directory to where this user may write.';
    return fault('data_dir_invalid', sentence);
  }
  if (/^SQLITE_(CANTOPEN|READONLY|PERM)/.test(code)) {
    const sentence = `cannot be opened here: ${reason}. Give its files to this user, or copy the data directory to where this user may write.`;
    return fault('data_dir_invalid', sentence);
  }
  if (isDiskFull(thrown)) {
    const state = code === 'SQLITE_FULL' ? 'is full' : 'is full or fails';
    const sentence = `can be neither read nor written while its disk ${state} (${reason}). Free some space, and try again: nothing is lost.`;
    return fault('disk_full', sentence);
  }
  if (code.startsWith('SQLITE_IOERR')) return disk(reason);
  return /^SQLITE_(CORRUPT|NOTADB|ERROR|TOOBIG)/.test(code) ? damage(reason) : thrown;
}

/** The system's reason, with its code once: errors of files begin with it, those of SQLite have it beside. */
export function reasonOf(thrown: unknown): string {
  const [code, message] = [codeOf(thrown), messageOf(thrown)];
  if (code === QUOTA) return `${code}: the disk quota is used up`;
  return message.startsWith(code) ? message : `${code}: ${message}`;
}

/** The `code` of a file-system error, an SQLite error or a `JournalError`; '' for anything else. */
export function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('code' in thrown)) return '';
  if ('errno' in thrown && thrown.errno === -constants.errno[QUOTA]) return QUOTA;
  return typeof thrown.code === 'string' ? thrown.code : '';
}
