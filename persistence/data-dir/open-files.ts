/**
 * The files that a journal or an archive is written to, as they were opened. A file that is deleted or replaced while
 * it is open takes every write and sync, and is gone when the last process closes it: so the paths are compared before
 * each mark or commit. No file is opened again for that: closing a second descriptor of a database drops the locks that
 * SQLite holds on it.
 *
 * A folder changes when a file of it comes, goes or is replaced, so the files are looked at only after it has changed.
 * That is more than thrift: on Linux 6.13 and later, a look at a file's times makes the next write note its own time
 * exactly, and the sync of that costs 45 us.
 */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { assert, must } from '../../engine/base/assert.js';
import { codeOf, type JournalError } from '../errors.js';

/** Two changes of a folder this close may bear the same time: that is the coarsest clock of a file system. */
const SAME_TIME_MS = 2_000;

export interface OpenFile {
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
}

export class OpenFiles {
  readonly #files: readonly OpenFile[];
  readonly #folder: string;
  /** The folder when all files were in place; null if it had just changed, and may do so again unseen. */
  #seen: Stats | null = null;

  /** They are in one folder. `refusal` gets those that are no longer at their paths. */
  constructor(
    paths: readonly string[],
    private readonly refusal: (lost: readonly OpenFile[]) => JournalError,
  ) {
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

  /** Throws `refusal` where a file is no longer to be seen at its path, and errors of the disk; `except` may be gone. */
  require(except = ''): void {
    const folder = statOf(this.#folder);
    const seen = this.#seen;
    if (folder !== null && seen !== null && isUnchanged(folder, seen)) return;
    const lost = this.#files.filter((file) => file.path !== except && !isSame(statOf(file.path), file));
    if (lost.length > 0) throw this.refusal(lost);
    this.#seen = folder !== null && Date.now() - folder.ctimeMs > SAME_TIME_MS ? folder : null;
  }
}

/** null also for what is closed to this user: it may be another file. A disk that fails has replaced nothing. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'EIO') throw thrown;
    return null;
  }
}

const isSame = (found: Stats | null, { dev, ino }: Pick<Stats, 'dev' | 'ino'>): boolean =>
  found?.ino === ino && found.dev === dev;

const isUnchanged = (folder: Stats, seen: Stats): boolean =>
  isSame(folder, seen) && folder.mtimeMs === seen.mtimeMs && folder.ctimeMs === seen.ctimeMs;
