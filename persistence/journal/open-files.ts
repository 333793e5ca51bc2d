/**
 * The files that a journal is written to, as they were opened. A file that is deleted or replaced while it is open takes every
 * write and every sync, and is gone when the last process closes it. So before each mark the files at the paths are compared
 * with those that were opened. They are never opened again for that: closing a second descriptor of a database drops the
 * locks that SQLite holds on it.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { JournalError } from '../errors.js';

interface OpenFile {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

/** To be made right after they were opened. */
export class OpenFiles {
  readonly #files: readonly OpenFile[];

  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
  }

  /** Throws `JournalLost` where a file is not at its path any more; `except` need not be. */
  require(except = ''): void {
    const lost = this.#files.filter((file) => file.path !== except && !isInPlace(file));
    if (lost.length > 0) throw new JournalLost(lost);
  }
}

/** Some files of the journal are not at their paths any more. This process still has them open. */
export class JournalLost extends JournalError {
  /** The commands of a shell that copy them back and end this process. Each finds its file by the inode number. */
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

/** A file that cannot be looked at counts as gone. */
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
