/** Logs when the archive falls far behind the journal, and when it has caught up. */
import type { Log } from '../../../process/log/log.js';
import { ARCHIVE_BEHIND_COMMANDS } from '../../metrics/alarm-list.js';

/** The archive is far behind from more than this many missing commands until fewer than a tenth of them are missing. */
export const CAUGHT_UP_COMMANDS = 50_000;

export class ArchiveLag {
  #isBehind = false;

  constructor(private readonly log: Pick<Log, 'write'>) {}

  /** To be called about once a second. */
  check(durableSeq: number, archiveSequence: number): void {
    const lagCommands = Math.max(0, durableSeq - archiveSequence);
    const isBehind = this.#isBehind
      ? lagCommands >= CAUGHT_UP_COMMANDS
      : lagCommands > ARCHIVE_BEHIND_COMMANDS;
    if (isBehind === this.#isBehind) return;
    this.#isBehind = isBehind;
    this.log.write(isBehind ? 'archive_behind' : 'archive_caught_up', { archiveSequence, lagCommands });
  }
}
