/** Exit codes, for scripts. They are part of the interface and never change their meaning. */
import { isDiskFull, JournalError, type JournalErrorCode } from '../../errors.js';

export const EXIT = {
  done: 0,
  faulty: 1,
  usage: 2,
  unusable: 3,
  noSpace: 4,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP = `Exit codes:
  0  done, and what was looked at is good
  1  the data has a fault, or lacks what was asked for
  2  the command line was not understood, or asks for what cannot be
  3  the data directory cannot be used or read, a file cannot be written, or no server answers
  4  there is not enough free space
  130  interrupted by Ctrl-C`;

const FAULTS: readonly JournalErrorCode[] = [
  'journal_corrupt',
  'journal_incomplete',
  'mark_unreadable',
  'absent_unreadable',
  'replay_mismatch',
  'not_found',
  'snapshot_damaged',
  'archive_corrupt',
];

/** The options are valid one by one, but not together or for this data directory. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof UsageError) return EXIT.usage;
  if (thrown instanceof JournalError) {
    if (thrown.code === 'disk_full') return EXIT.noSpace;
    return FAULTS.includes(thrown.code) ? EXIT.faulty : EXIT.unusable;
  }
  return isDiskFull(thrown) ? EXIT.noSpace : EXIT.unusable;
}
