/** A data directory whose journal holds a random stream of real commands, and a clock that a test moves. */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { Batch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { masterSecretFingerprint } from '../../../persistence/data-dir/secrets.js';
import { commitBatch } from '../../../persistence/journal/commit.js';
import { SqliteStore } from '../../../persistence/journal/store.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import type { ShadowNews, ShadowOptions } from '../../../persistence/shadow/messages.js';
import { Shadow } from '../../../persistence/shadow/shadow.js';
import type { ShadowClock } from '../../../persistence/shadow/snapshots.js';
import type { SnapshotsKept } from '../../../persistence/upkeep/retention/choice.js';

/** A clock that moves only when a test says so. */
export class HandClock implements ShadowClock {
  ms = 1_000;
  cpuMs = 0;
  threadCpuMs(): number {
    return this.cpuMs;
  }
  nowMs(): number {
    return this.ms;
  }
  monotonicMs(): number {
    return this.ms;
  }
}

/** Commands, or a function that makes them for the secret of a data directory. */
export type CommandSource = readonly Command[] | ((secretFingerprint: string) => readonly Command[]);

/** The server's part: it decides commands and writes them to the journal. */
export class HotSide {
  readonly dir: DataDir;
  readonly engine = new Engine();
  readonly #commands: readonly Command[];
  #store: SqliteStore;
  #next = 0;

  constructor(root: string, source: CommandSource, segmentBytesMax?: number) {
    const { dir, lock, masterSecret } = openStore(root, new HandClock(), () => {});
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
      commitBatch(this.#store, this.#batch(size));
      this.#store.rollIfDue(1);
      left -= size;
    }
  }

  #batch(size: number): Batch {
    const firstSeq = this.engine.seq + 1;
    const texts: string[] = [];
    for (let at = 0; at < size; at += 1) {
      const command = must(this.#commands[this.#next], 'a command');
      this.#next += 1;
      const outcome = this.engine.apply(command);
      if (outcome.status !== 'accepted') throw new Error(`${command.kind} is ${outcome.status}`);
      texts.push(encodeCommand(command));
    }
    const { seq: lastSeq, timeMs } = this.engine;
    const digest = this.engine.rollingDigest();
    return { firstSeq, lastSeq, timeMs, commands: `[${texts.join(',')}]`, digest };
  }

  close(): void {
    this.#store.close();
  }
}

/** No others stay for their age. */
export const newestOnly = (newest: number): SnapshotsKept => ({
  newest,
  hourlyMs: 0,
  dailyMs: 0,
});

/** Never a snapshot by itself, and nothing is deleted, unless a test asks for it. */
export function shadowOptions(dir: DataDir, changes: Partial<ShadowOptions> = {}): ShadowOptions {
  return {
    dir,
    snapshotCommands: Number.MAX_SAFE_INTEGER,
    snapshotEveryMs: Number.MAX_SAFE_INTEGER,
    snapshotReplayMs: Number.MAX_SAFE_INTEGER,
    snapshotsKept: newestOnly(3),
    segmentsKeptMs: null,
    ...changes,
  };
}

export interface OpenedShadow {
  readonly shadow: Shadow;
  readonly clock: HandClock;
  readonly notes: string[];
  readonly news: ShadowNews[];
}

export function openShadow(dir: DataDir, changes: Partial<ShadowOptions> = {}): OpenedShadow {
  const clock = new HandClock();
  const notes: string[] = [];
  const news: ShadowNews[] = [];
  const shadow = new Shadow(
    shadowOptions(dir, changes),
    clock,
    (text) => notes.push(text),
    undefined,
    (told) => news.push(told),
  );
  return { shadow, clock, notes, news };
}

/** Opened, caught up, and closed. */
export function followed(dir: DataDir, changes: Partial<ShadowOptions> = {}): OpenedShadow {
  const opened = openShadow(dir, changes);
  catchUp(opened);
  opened.shadow.close();
  return opened;
}

export function catchUp({ shadow, clock }: OpenedShadow): void {
  for (let quiet = 0; quiet < 2; ) {
    quiet = shadow.step() === 'idle' ? quiet + 1 : 0;
    clock.ms += 2_000;
  }
}
