/** Files of a journal were deleted or replaced under the running server. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OpenFile } from '../data-dir/open-files.js';
import { JournalError, shellWord } from '../errors.js';

/** This process still has the files open. */
export class JournalLost extends JournalError {
  /** Shell commands that copy the files back, found by inode number, and end this process. */
  readonly rescue: readonly string[];

  constructor(files: readonly OpenFile[]) {
    const paths = files.map(({ path }) => path).join(', ');
    super(
      'journal_lost',
      `Files of the journal were deleted, replaced or closed to the running server: ${paths}. ` +
        'If they, or their folder, were only moved or given to another user, undo that and start again.',
    );
    const fds = `/proc/${process.pid}/fd`;
    const folders = [...new Set(files.map(({ path }) => dirname(path)))].filter((path) => !existsSync(path));
    this.rescue = [
      ...folders.map((path) => `mkdir -p -m 700 ${shellWord(path)}`),
      ...files.map(({ path, ino }) => {
        // A copy over the file empties it at first, and SQLite deletes the WAL beside an empty segment.
        const whole = shellWord(`${path}.rescued`);
        // Without double quotes, which a line of JSON would have with backslashes: people copy it as it stands there.
        const found = `$(find -L ${fds} -maxdepth 1 -type f -inum ${ino} | head -n 1)`;
        return `cp ${found} ${whole} && mv ${whole} ${shellWord(path)}`;
      }),
      `kill ${process.pid}`,
    ];
  }
}
