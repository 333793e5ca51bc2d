/** Damaged files by the thousand: recovery must give exactly the acknowledged batches, or refuse. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Batch } from '../../../engine/model/ports.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { JournalError, type JournalErrorCode } from '../../../persistence/errors.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { batchAt, batchesUpTo, plain, recover, temporaryDir } from './journal-files.js';

/** One in so many journals that recover is appended to. */
const APPEND_EVERY = 16;
/** By name, without SQLite's shared memory, which a power loss takes. */
export type Files = ReadonlyMap<string, Buffer>;

export function filesOf(dir: DataDir): Files {
  const names = readdirSync(dir.journal).filter((name) => !name.endsWith('-shm'));
  return new Map(names.map((name) => [name, readFileSync(join(dir.journal, name))]));
}

export interface Verdict {
  readonly code: JournalErrorCode | null;
  readonly sentence: string;
  readonly batches: number;
}

export class Judge {
  readonly #dir: DataDir;
  #recovered = 0;

  constructor(
    t: TestContext,
    /** At least so many batches were acknowledged; `written` is the most. */
    readonly acknowledged: number,
    readonly written: number,
  ) {
    this.#dir = openDataDir(join(temporaryDir(t), 'data'));
  }

  judge(files: Files, what: string): Verdict {
    for (const name of readdirSync(this.#dir.journal)) rmSync(join(this.#dir.journal, name));
    for (const [name, content] of files) writeFileSync(join(this.#dir.journal, name), content);
    try {
      const { given } = recover(this.#dir);
      const batches = given.length;
      assert.ok(batches >= this.acknowledged && batches <= this.written, `${batches} batches after ${what}`);
      assert.deepEqual(given, batchesUpTo(batches), what);
      if (this.#recovered++ % APPEND_EVERY === 0) this.#append(batches, what);
      return { code: null, sentence: '', batches };
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      return { code: thrown.code, sentence: thrown.message, batches: 0 };
    }
  }

  #append(batches: number, what: string): void {
    const store = SqliteStore.open(this.#dir, 'os');
    commitBatch(store, batchAt(batches));
    store.close();
    const reread: Batch[] = [...recover(this.#dir).given].map(plain);
    assert.deepEqual(reread, batchesUpTo(batches + 1), `appended after ${what}`);
  }
}
