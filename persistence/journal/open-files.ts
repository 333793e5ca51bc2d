/**
 * The files that a journal is written to, as they were opened. A file that is deleted or replaced while it is open
 * takes every write and sync, and is gone when the last process closes it: so the paths are compared before each
 * mark. No file is opened again for that: closing a second descriptor of a database drops the locks that SQLite holds
 * on it.
 *
 * A folder changes when a file of it comes, goes or is replaced, so the files are looked at only after it has changed.
 * That is more than thrift: on Linux 6.13 and later, a look at a file's times makes the next write note its own time
 * exactly, and the sync of that costs 45 us.
 */
import { existsSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert, must } from '../../engine/base/assert.js';
import { attempt } from '../../engine/base/attempt.js';
import { JournalError, shellWord } from '../errors.js';

/** Two changes of a folder this close may bear the same time: that is the coarsest clock of a file system. */
const SAME_TIME_MS = 2_000;

interface OpenFile {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

export class OpenFiles {
  readonly #files: readonly OpenFile[];
  readonly #folder: string;
  /** The folder when all files were in place; null if it had just changed, and may do so again unseen. */
  #seen: Stats | null = null;

  /** They are in one folder. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, dev, ino };
    });
    this.#folder = dirname(must(paths[0], 'a file'));
    assert(
      paths.every((path) => dirname(path) === this.#folder),
      'the files are in one folder',
    );
  }

  /** Throws `JournalLost` where a file is no longer at its path; `except` may be gone. */
  require(except = ''): void {
    const folder = statOf(this.#folder);
    const seen = this.#seen;
    if (folder !== null && seen !== null && isUnchanged(folder, seen)) return;
    const lost = this.#files.filter((file) => file.path !== except && !isSame(statOf(file.path), file));
    if (lost.length > 0) throw new JournalLost(lost);
    this.#seen = folder !== null && Date.now() - folder.ctimeMs > SAME_TIME_MS ? folder : null;
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

const statOf = (path: string): Stats | null =>
  attempt(() => statSync(path, { throwIfNoEntry: false }), null) ?? null;

const isSame = (found: Stats | null, { dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean =>
  found?.ino === ino && found.dev === dev;

const isUnchanged = (folder: Stats, seen: Stats): boolean =>
  isSame(folder, seen) && folder.mtimeMs === seen.mtimeMs && folder.ctimeMs === seen.ctimeMs;
