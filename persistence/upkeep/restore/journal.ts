/**
 * The journal in a restored data directory: the rows of one stretch, up to the position of the engine. Rows before it
 * stay in the source, and are recorded as absent.
 */
import { basename } from 'node:path';
import { assert } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { renameDurably, unfinishedPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { writeAbsent } from '../../journal/segment/absent.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { findSegments, firstSeqOf, segmentPath, writeSegment } from '../../journal/segment/names.js';
import type { Stretch } from './stretches.js';

/**
 * In segments as in the source. The last one is open, and ends at the position of the engine. The end's checksum is null if
 * it is a snapshot without a row.
 */
export function writeJournal(source: DataDir, stretch: Stretch, engine: Engine, dir: DataDir) {
  const rows = new RowsUpTo(engine, stretch);
  const later = findSegments(source.journal)
    .map(firstSeqOf)
    .filter((firstSeq) => firstSeq > stretch.firstSeq && firstSeq <= engine.seq);
  const segments = [stretch.firstSeq, ...later].map((firstSeq, index) => {
    const path = segmentPath(dir.journal, firstSeq);
    const nextSeq = later[index];
    const meta = { createdMs: Date.now(), firstSeq, previousChain: rows.position.chain };
    const ofSegment = rows.before(nextSeq ?? engine.seq + 1);
    writeSegment(unfinishedPath(path), { ...meta, isSealed: nextSeq !== undefined }, ofSegment);
    renameDurably(unfinishedPath(path), path);
    return basename(path);
  });
  writeAbsent(dir, stretch.start.lastSeq);
  const { seq, timeMs } = engine;
  const { last, position, isBatchSplit } = rows;
  assert(position.lastSeq === seq, 'the journal ends where the engine stands');
  const end = { seq, timeMs, digest: engine.rollingDigest(), chain: position.chain };
  return { segments, end: { ...end, checksum: last?.checksum ?? null }, isBatchSplit };
}

/** Cuts the last row if the engine is in the middle of it. */
class RowsUpTo {
  last: StoredBatch | null = null;
  isBatchSplit = false;

  constructor(
    private readonly engine: Engine,
    private readonly stretch: Stretch,
  ) {}

  get position(): ChainPosition {
    return this.last ?? this.stretch.start;
  }

  /** Goes on from the last row. */
  *before(seq: number): Generator<StoredBatch, void, undefined> {
    for (const row of this.stretch.readBatches(this.position.lastSeq)) {
      if (row.firstSeq >= seq) return;
      this.isBatchSplit = row.lastSeq > this.engine.seq;
      this.last = this.isBatchSplit ? cut(row, this.position, this.engine) : row;
      yield this.last;
    }
  }
}

/** The part of `row` up to the position of the engine, as a row of its own. */
function cut(row: StoredBatch, position: ChainPosition, engine: Engine): StoredBatch {
  const commands: unknown = JSON.parse(row.commands);
  assert(Array.isArray(commands), 'a batch is a list of commands');
  const kept = commands.slice(0, engine.seq - row.firstSeq + 1);
  return sealBatch(position, {
    firstSeq: row.firstSeq,
    lastSeq: engine.seq,
    timeMs: engine.timeMs,
    commands: JSON.stringify(kept),
    digest: engine.rollingDigest(),
  });
}
