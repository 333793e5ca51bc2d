/**
 * Data directories made from lists of commands, by the store's own pieces: a journal in segments, snapshots, the
 * archive, and, if wanted, without the journal's beginning, as retention leaves it.
 */
import { rmSync } from 'node:fs';
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { decodeCommand, encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { Accepted, EngineEvent } from '../../../engine/model/events.js';
import type { Batch, StoredBatch } from '../../../engine/model/ports.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { createMarkFile } from '../../../persistence/journal/mark.js';
import { CHAIN_START, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { segmentPath, writeSegment } from '../../../persistence/journal/segment/names.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';

interface MadeOptions {
  readonly batchSize: (index: number) => number;
  readonly snapshotsAfter?: readonly number[];
  /** Only the archive and the snapshots have earlier batches. */
  readonly firstBatch?: number;
  readonly hasArchive?: boolean;
  /** By default 2. */
  readonly segments?: number;
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

/** An archive that has nothing yet is here. */
export const START = { seq: 0, timeMs: 0, digest: '', chain: CHAIN_START };
export function makeDataDir(root: string, commands: readonly Command[], options: MadeOptions): MadeDir {
  const { batchSize, snapshotsAfter = [], firstBatch = 0, hasArchive = false, segments = 2 } = options;
  const dir = openDataDir(root);
  const engine = new Engine();
  const amendment = options.amend?.(engine) ?? null;
  const archive = ArchiveWriter.create(dir, START, engine, 1);
  archive.follow(engine);
  const snapshots = new SnapshotFiles(dir.snapshots);
  const batches: StoredBatch[] = [];
  const events: (readonly EngineEvent[])[] = [];
  for (let next = 0; next < commands.length; ) {
    const ofBatch = commands.slice(next, next + batchSize(batches.length));
    const applied = applyBatch(engine, ofBatch, amendment, (outcome, command) => {
      events.push(outcome.events);
      archive.add(outcome.seq, command, outcome.events);
    });
    const batch = sealBatch(batches.at(-1) ?? { lastSeq: 0, chain: CHAIN_START }, applied);
    if (snapshotsAfter.includes(batches.length)) snapshots.save(engine, batch.chain);
    batches.push(batch);
    next = engine.seq;
  }
  const last = must(batches.at(-1), 'a batch');
  archive.commit({ seq: last.lastSeq, timeMs: last.timeMs, digest: last.digest, chain: last.chain });
  archive.close();
  if (!hasArchive) rmSync(dir.archive, { recursive: true });
  writeSegments(dir, batches, firstBatch, segments);
  createMarkFile(dir.markFile, { lastSeq: last.lastSeq, checksum: last.checksum });
  return { dir, batches, events, engine };
}

/** All commands must be accepted. */
export function applyBatch(
  engine: Engine,
  commands: readonly Command[],
  amendment: Amendment | null = null,
  onApplied: (outcome: Accepted, command: Command) => void = () => {},
): Batch {
  const firstSeq = engine.seq + 1;
  const texts = commands.map((given) => {
    const command = amendment?.amended(given) ?? given;
    const outcome = engine.apply(command);
    if (outcome.status !== 'accepted') throw new Error(`${command.kind} is ${outcome.status}`);
    amendment?.applied(outcome.events);
    onApplied(outcome, command);
    return encodeCommand(command);
  });
  const { seq: lastSeq, timeMs } = engine;
  return { firstSeq, lastSeq, timeMs, commands: `[${texts.join(',')}]`, digest: engine.rollingDigest() };
}

function writeSegments(
  { journal }: DataDir,
  batches: readonly StoredBatch[],
  from: number,
  count: number,
): void {
  const size = Math.ceil((batches.length - from) / count);
  for (let first = from; first < batches.length; first += size) {
    const rows = batches.slice(first, first + size);
    const { firstSeq } = must(rows[0], 'a row');
    const meta = { createdMs: 1, firstSeq, previousChain: batches[first - 1]?.chain ?? CHAIN_START };
    writeSegment(segmentPath(journal, firstSeq), { ...meta, isSealed: first + size < batches.length }, rows);
  }
}

/** The digest of the state after this command. */
export function digestAt({ batches }: MadeDir, seq: number): string {
  const engine = new Engine();
  const texts = batches.flatMap(({ commands }) => JSON.parse(commands) as unknown[]);
  for (const text of texts.slice(0, seq)) engine.apply(decodeCommand(text));
  return engine.stateDigest(newSha256);
}
