/**
 * The files that a journal is written to, as they were opened. A file that is deleted or replaced while it is open
 * takes every write and sync, and is gone when the last process closes it: so the paths are compared before each
 * mark. No file is opened again for that: closing a second descriptor of a database drops the locks that SQLite holds
 * on it.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { JournalError } from '../errors.js';

interface OpenFile {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

export class OpenFiles {
  readonly #files: readonly OpenFile[];

  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /** Throws `JournalLost` where a file is no longer at its path; `except` may be gone. */
  require(except = ''): void {
    const lost = this.#files.filter((file) => file.path !== except && !isInPlace(file));
    if (lost.length > 0) throw new JournalLost(lost);
  }
}

/** This process still has the files open. */
export class JournalLost extends JournalError {
  /** Shell commands that copy the files back, found by inode number, and end this process. */
  readonly rescue: readonly string[];

  constructor(files: readonly OpenFile[]) {
    const paths = files.map(({ path }) => path).join(', ');
    super(
      'journal_lost',
      `Files of the journal were deleted or replaced under the running server: ${paths}. ` +
        'If they, or their folder, were only moved, move them back and start again.',
    );
    const fds = `/proc/${process.pid}/fd`;
    const folders = [...new Set(files.map(({ path }) => dirname(path)))].filter((path) => !existsSync(path));
    this.rescue = [
      ...folders.map((path) => `mkdir -p -m 700 ${quoted(path)}`),
      ...files.map(
        ({ path, ino }) =>
          `cp "$(find -L ${fds} -maxdepth 1 -type f -inum ${ino} | head -n 1)" ${quoted(path)}`,
      ),
      `kill ${process.pid}`,
    ];
  }
}

function isInPlace({ path, dev, ino }: OpenFile): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === ino && found.dev === dev;
  } catch {
    return false;
  }
}

/** As a word of a shell's command. */
export const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
