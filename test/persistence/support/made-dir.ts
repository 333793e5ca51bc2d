/**
 * Data directories made from lists of commands, by the store's own pieces: a journal in segments, snapshots, the
 * archive, and, if wanted, without the journal's beginning, as retention leaves it.
 */
import { rmSync } from 'node:fs';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { createMarkFile } from '../../../persistence/journal/mark.js';
import { CHAIN_START, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { segmentPath, writeSegment } from '../../../persistence/journal/segment/names.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';

export interface MadeOptions {
  readonly batchSize: (index: number) => number;
  readonly snapshotsAfter?: readonly number[];
  /** Only the archive and the snapshots have earlier batches. */
  readonly firstBatch?: number;
  readonly hasArchive?: boolean;
  /** Replaces commands before they are applied. */
  readonly amend?: (engine: Engine) => Amendment;
}

export interface Amendment {
  amended(command: Command): Command;
  applied(events: readonly EngineEvent[]): void;
}

export interface MadeDir {
  readonly dir: DataDir;
  readonly batches: readonly StoredBatch[];
  readonly events: readonly (readonly EngineEvent[])[];
  readonly engine: Engine;
}

const START = { seq: 0, timeMs: 0, digest: '', chain: CHAIN_START };

/** All commands must be accepted. */
export function makeDataDir(root: string, commands: readonly Command[], options: MadeOptions): MadeDir {
  const { batchSize, snapshotsAfter = [], firstBatch = 0, hasArchive = false } = options;
  const dir = openDataDir(root);
  const engine = new Engine();
  const amendment = options.amend?.(engine) ?? null;
  const archive = ArchiveWriter.create(dir, START, engine, 1);
  archive.follow(engine);
  const snapshots = new SnapshotFiles(dir.snapshots);
  const batches: StoredBatch[] = [];
  const events: (readonly EngineEvent[])[] = [];
  for (let next = 0; next < commands.length; ) {
    const texts: string[] = [];
    for (const given of commands.slice(next, next + batchSize(batches.length))) {
      const command = amendment?.amended(given) ?? given;
      const outcome = engine.apply(command);
      if (outcome.status !== 'accepted') throw new Error(`${command.kind} is ${outcome.status}`);
      texts.push(encodeCommand(command));
      events.push(outcome.events);
      amendment?.applied(outcome.events);
      archive.add(outcome.seq, command, outcome.events);
    }
    const before = batches.at(-1) ?? { lastSeq: 0, chain: CHAIN_START };
    const batch = sealBatch(before, {
      firstSeq: next + 1,
      lastSeq: engine.seq,
      timeMs: engine.timeMs,
      commands: `[${texts.join(',')}]`,
      digest: engine.rollingDigest(),
    });
    if (snapshotsAfter.includes(batches.length)) snapshots.save(engine, batch.chain);
    batches.push(batch);
    next = engine.seq;
  }
  const last = must(batches.at(-1), 'a batch');
  archive.commit({ seq: last.lastSeq, timeMs: last.timeMs, digest: last.digest, chain: last.chain });
  archive.close();
  if (!hasArchive) rmSync(dir.archive, { recursive: true });
  writeBatches(dir, batches, firstBatch);
  createMarkFile(dir.markFile, { lastSeq: last.lastSeq, checksum: last.checksum });
  return { dir, batches, events, engine };
}

/** Two segments: the first half sealed, the rest open. */
function writeBatches(dir: DataDir, batches: readonly StoredBatch[], firstBatch: number): void {
  const middle = firstBatch + Math.floor((batches.length - firstBatch) / 2);
  for (const [from, to] of [
    [firstBatch, middle],
    [middle, batches.length],
  ] as const) {
    const first = batches[from];
    if (first === undefined || from === to) continue;
    const previousChain = batches[from - 1]?.chain ?? CHAIN_START;
    const meta = { createdMs: 1, firstSeq: first.firstSeq, previousChain };
    const isSealed = to < batches.length;
    writeSegment(segmentPath(dir.journal, first.firstSeq), meta, batches.slice(from, to), { isSealed });
  }
}
