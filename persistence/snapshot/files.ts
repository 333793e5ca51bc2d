/**
 * Snapshots as files, one each, in a folder of the data directory.
 *
 *     snapshot-<sequence number, 16 digits>-<first 32 hex digits of the file's SHA-256>.db
 *
 * The name proves the content: hashing the file finds a single flipped bit. A file gets this name only when it is
 * complete and synced; until then it is `….unfinished`, which nobody reads.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { AssertionError, must } from '../../engine/base/assert.js';
import { messageOf } from '../../engine/base/attempt.js';
import { Engine } from '../../engine/engine.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../engine/host/snapshot-store.js';
import { IDEMPOTENCY } from '../../engine/snapshot/bets.js';
import { closing } from '../data-dir/closing.js';
import { ifThere, openFile, renameDurably } from '../data-dir/files.js';
import { isWithheld, unusable } from '../data-dir/layout.js';
import { codeOf, isDiskFull, JournalError, reasonOf } from '../errors.js';
import { noRest, type Rest } from '../thread/pace.js';
import { readMeta, readTable, tableNamed } from './schema.js';
import { writeSnapshot } from './writer.js';

const NAME = /^snapshot-(\d{16})-([0-9a-f]{32})\.db$/;
const UNFINISHED = /^snapshot-\d{16}\.(\d+)-\d+\.unfinished/;
/** An unfinished file this old is abandoned, even if a process has the number of its writer. */
const ABANDONED_AFTER_MS = 600_000;
/** The thread rests after each piece. */
const HASH_BYTES = 1 << 18;
/** Each page is read once, in order. */
const CACHE_KIB = 1_024;

export class SnapshotFiles implements SnapshotStore {
  /** For reading, `folder` need not exist. `leftOut` names tables that `load` treats as empty. */
  constructor(
    readonly folder: string,
    private readonly rest: Rest = noRest,
    private readonly leftOut: readonly string[] = [],
  ) {}

  /**
   * Leaves out the Idempotency-Keys, which are half of a state or more. Journaled commands have the same effect
   * without them, since an order under a used key is not journaled. The digest of the state differs: it must not be
   * saved.
   */
  static withoutKeys(folder: string): Pick<SnapshotFiles, 'list' | 'load'> {
    return new SnapshotFiles(folder, noRest, [IDEMPOTENCY.name]);
  }

  list(): readonly SnapshotRef[] {
    return this.#files(NAME)
      .sort()
      .reverse()
      .map((name) => ({ seq: Number(NAME.exec(name)?.[1]), name: join(this.folder, name) }));
  }

  /**
   * Checks the file against its name, the form of the tables, every sum and link. Throws `snapshot_damaged`,
   * `other_format`.
   */
  load(ref: SnapshotRef): { readonly meta: SnapshotMeta; readonly engine: Engine } {
    const meta = this.wholeMetaOf(ref);
    try {
      using db = closing(new Database(ref.name, { readonly: true, fileMustExist: true }));
      db.pragma(`cache_size = -${CACHE_KIB}`);
      return { meta, engine: engineFrom(db, ref, meta, this.rest, this.leftOut) };
    } catch (thrown) {
      throw thrown instanceof JournalError ? thrown : damaged(ref.name, thrown);
    }
  }

  /** Reads no rows. Throws the errors of SQLite, and if the meta table is not whole. */
  metaOf({ name }: SnapshotRef): SnapshotMeta {
    using db = closing(new Database(name, { readonly: true, fileMustExist: true }));
    return readMeta(name, db);
  }

  /** Reads no rows, but hashes the file. Throws `snapshot_damaged` and `other_format`. */
  wholeMetaOf(ref: SnapshotRef): SnapshotMeta {
    try {
      if (!this.isWhole(ref)) throw new Error('its content is not that of its name');
      return this.metaOf(ref);
    } catch (thrown) {
      throw thrown instanceof JournalError ? thrown : damaged(ref.name, thrown);
    }
  }

  isWhole({ name }: SnapshotRef): boolean {
    return isSnapshotNamed(basename(name), name, this.rest);
  }

  save(engine: Engine, chain: string): SnapshotRef {
    const saving = this.saving(engine, chain);
    for (;;) {
      const step = saving.next();
      if (step.done === true) return step.value;
    }
  }

  /**
   * `save` in pieces of about a megabyte; each yields the rows written. The engine must not change in between. A
   * generator that is stopped early leaves nothing behind. Throws `disk_full` and `snapshot_write_failed`.
   */
  *saving(engine: Engine, chain: string): Generator<number, SnapshotRef, undefined> {
    const { seq, timeMs } = engine;
    const start = `snapshot-${String(seq).padStart(16, '0')}`;
    const aside = join(this.folder, `${start}.${process.pid}-${threadId}.unfinished`);
    try {
      rmSync(aside, { force: true });
      const meta = { seq, timeMs, digest: engine.rollingDigest(), chain };
      yield* writeSnapshot(aside, engine, meta, this.rest);
      const name = join(this.folder, `${start}-${hashFile(aside, this.rest)}.db`);
      renameDurably(aside, name);
      return { seq, name };
    } catch (thrown) {
      throw asWriteFailure(this.folder, seq, thrown);
    } finally {
      rmSync(aside, { force: true });
    }
  }

  /** Unfinished files of processes that have ended: a large one would take space for nothing. */
  removeStrays(): void {
    for (const name of this.#files(UNFINISHED)) {
      const path = join(this.folder, name);
      if (isAbandoned(path)) rmSync(path, { force: true });
    }
  }

  #files(pattern: RegExp): string[] {
    const names =
      ifThere(
        () => readdirSync(this.folder),
        (cause) => unusable(this.folder, cause),
      ) ?? [];
    return names.filter((name) => pattern.test(name));
  }
}

function engineFrom(
  db: Database.Database,
  ref: SnapshotRef,
  meta: SnapshotMeta,
  rest: Rest,
  leftOut: readonly string[],
): Engine {
  const engine = Engine.fromTables((name) => {
    return leftOut.includes(name) ? [] : readTable(db, tableNamed(name), rest);
  });
  const { seq, timeMs } = engine;
  const isAsTold = seq === ref.seq && seq === meta.seq && timeMs === meta.timeMs;
  if (isAsTold && engine.rollingDigest() === meta.digest) return engine;
  throw new Error('its engine is not the one that its name and its meta table speak of');
}

export function isSnapshotNamed(name: string, path: string, rest: Rest = noRest): boolean {
  const [, , hashStart] = must(NAME.exec(name), "a snapshot's name");
  return hashFile(path, rest) === hashStart;
}

/** The first half of the SHA-256, 32 hex digits. Reads in pieces: a file may be larger than a buffer can be. */
function hashFile(path: string, rest: Rest): string {
  using file = openFile(path, 'r');
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(HASH_BYTES);
  for (;;) {
    const bytes = readSync(file.fd, buffer, 0, buffer.length, null);
    if (bytes === 0) return hash.digest('hex').slice(0, 32);
    hash.update(buffer.subarray(0, bytes));
    rest();
  }
}

function isAbandoned(path: string): boolean {
  const pid = Number(UNFINISHED.exec(basename(path))?.[1]);
  const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return !isRunning(pid) || Date.now() - writtenMs > ABANDONED_AFTER_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH';
  }
}

function damaged(path: string, thrown: unknown): JournalError {
  return new JournalError(
    'snapshot_damaged',
    `The snapshot ${path} ${isWithheld(thrown) ? 'cannot be read' : 'is damaged'}: ${messageOf(thrown)}. It is not needed where an older one, or the whole journal, is good.`,
    { cause: thrown },
  );
}

/** Programming errors stay as they are. */
function asWriteFailure(folder: string, seq: number, thrown: unknown): unknown {
  if (thrown instanceof AssertionError) return thrown;
  const isFull = isDiskFull(thrown);
  return new JournalError(
    isFull ? 'disk_full' : 'snapshot_write_failed',
    `The snapshot at sequence number ${seq} could not be written to ${folder}: ${reasonOf(thrown)}. ` +
      'Nothing is lost: the journal has everything.',
    { cause: thrown },
  );
}
