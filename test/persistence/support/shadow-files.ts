/** A data directory whose journal holds a random stream of real commands, and its shadow. */
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { ArchivePosition } from '../../../persistence/archive/schema.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { masterSecretFingerprint } from '../../../persistence/data-dir/secrets.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { MarkFile } from '../../../persistence/journal/mark.js';
import { type ChainPosition, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import type { ShadowNews, ShadowOptions } from '../../../persistence/shadow/messages.js';
import { Shadow } from '../../../persistence/shadow/shadow.js';
import type { ShadowClock } from '../../../persistence/shadow/snapshots.js';
import type { SnapshotsKept } from '../../../persistence/upkeep/retention/choice.js';
import { TEST_SIGNING } from '../../support/engine/signing.js';
import { TestClock } from '../../support/host/host.js';
import { segmentAt } from './journal-files.js';
import { applyBatch } from './made-dir.js';

class CpuClock extends TestClock implements ShadowClock {
  cpuMs = 0;
  threadCpuMs(): number {
    return this.cpuMs;
  }
}

/** Commands, or a function that makes them for the secret of a data directory. */
type CommandSource = readonly Command[] | ((secretFingerprint: string) => readonly Command[]);

/** The server's part: it decides commands and writes them to the journal. */
export class HotSide {
  readonly dir: DataDir;
  readonly engine = new Engine();
  readonly #commands: readonly Command[];
  #store: SqliteStore;
  #next = 0;

  constructor(root: string, source: CommandSource, segmentBytesMax?: number) {
    const { dir, lock, masterSecret } = openStore(root, new CpuClock(), () => {});
    // The tests' own processes do not compete for it.
    lock.release();
    this.dir = dir;
    this.#commands = typeof source === 'function' ? source(masterSecretFingerprint(masterSecret)) : source;
    this.#store = SqliteStore.open(dir, 'os', segmentBytesMax);
  }

  get left(): number {
    return this.#commands.length - this.#next;
  }

  write(count: number, batchMax: number): void {
    for (let left = Math.min(count, this.left); left > 0; ) {
      const size = Math.min(left, batchMax);
      commitBatch(this.#store, applyBatch(this.engine, this.#commands.slice(this.#next, this.#next + size)));
      this.#next += size;
      this.#store.rollIfDue(1);
      left -= size;
    }
  }

  close(): void {
    this.#store.close();
  }
}

/** No others stay for their age. */
export const newestOnly = (newest: number): SnapshotsKept => ({ newest, hourlyMs: 0, dailyMs: 0 });

/** Never a snapshot by itself, and nothing is deleted, unless a test asks for it. */
export function shadowOptions(dir: DataDir, changes: Partial<ShadowOptions>): ShadowOptions {
  return {
    dir,
    signing: TEST_SIGNING,
    snapshotCommands: Number.MAX_SAFE_INTEGER,
    snapshotEveryMs: Number.MAX_SAFE_INTEGER,
    snapshotReplayMs: Number.MAX_SAFE_INTEGER,
    snapshotsKept: newestOnly(3),
    segmentsKeptMs: null,
    ...changes,
  };
}

export function openShadow(dir: DataDir, changes: Partial<ShadowOptions> = {}) {
  const clock = new CpuClock();
  const notes: string[] = [];
  const news: ShadowNews[] = [];
  const heads: ArchivePosition[] = [];
  const note = (text: string) => notes.push(text);
  const onNews = (told: ShadowNews) => news.push(told);
  const onHead = (head: ArchivePosition) => heads.push(head);
  const shadow = new Shadow(shadowOptions(dir, changes), clock, note, undefined, onNews, onHead);
  return { shadow, clock, notes, news, heads };
}

/** Opened, caught up, and closed. */
export function followed(dir: DataDir, changes: Partial<ShadowOptions> = {}) {
  const opened = openShadow(dir, changes);
  catchUp(opened);
  opened.shadow.close();
  return opened;
}

export function catchUp({ shadow, clock }: { shadow: Shadow; clock: CpuClock }): void {
  for (let quiet = 0; quiet < 2; ) {
    quiet = shadow.step() === 'idle' ? quiet + 1 : 0;
    clock.pass(2_000);
  }
}

/** Only a replay can detect it: every checksum and the chain are valid. */
export function alterDigest(dir: DataDir, seq: number) {
  const other = (digest: string): string => `${digest.slice(0, -1)}${digest.endsWith('0') ? '1' : '0'}`;
  const { lastSeq, digest } = alterBatch(dir, seq, (row) => ({ ...row, digest: other(row.digest) }));
  return { lastSeq, digest, altered: other(digest) };
}

/** With the checksums and the chain from there on. Returns the batch as it was. */
export function alterBatch(dir: DataDir, seq: number, alter: (row: StoredBatch) => StoredBatch): StoredBatch {
  const path = segmentAt(dir, -1);
  const segment = Segment.open(path, 'read');
  let position: ChainPosition = segment.start;
  const rows = [...segment.batches()];
  segment.close();
  const at = must(
    rows.find((row) => row.lastSeq >= seq),
    'the batch',
  );
  const db = new Database(path);
  const update = db.prepare(
    'UPDATE batch SET commands = ?, digest = ?, checksum = ?, chain = ? WHERE last_seq = ?',
  );
  let last: StoredBatch = at;
  for (const row of rows) {
    last = sealBatch(position, row === at ? alter(row) : row);
    update.run(last.commands, last.digest, last.checksum, last.chain, last.lastSeq);
    position = last;
  }
  db.close();
  const mark = new MarkFile(dir.markFile);
  mark.write({ lastSeq: last.lastSeq, checksum: last.checksum });
  mark.close();
  return at;
}
