/** The journal's part of a restored data directory: the good rows of the source, up to where the engine stands. */
import { basename } from 'node:path';
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { renameDurably } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { segmentPath, unfinishedPath, writeSegment } from '../../journal/segment/names.js';
import type { GoodSegment, Salvage } from '../salvage/salvage.js';

/** Rows up to `engine.seq`; the last one is cut where the engine stands in its middle. */
class RowsUpTo {
  last: StoredBatch | null = null;
  isBatchSplit = false;

  constructor(
    readonly salvage: Salvage,
    readonly engine: Engine,
  ) {}

  *of(segment: GoodSegment): Generator<StoredBatch, void, undefined> {
    const { engine } = this;
    let position: ChainPosition = segment.start;
    for (const row of this.salvage.readSegment(segment, segment.start.lastSeq)) {
      if (row.firstSeq > engine.seq) return;
      this.isBatchSplit = row.lastSeq > engine.seq;
      this.last = this.isBatchSplit ? cut(row, position, engine) : row;
      position = this.last;
      yield this.last;
    }
  }
}

export interface WrittenJournal {
  /** Names of the files. */
  readonly segments: readonly string[];
  readonly last: StoredBatch;
  readonly isBatchSplit: boolean;
}

/** Writes segments as they are in the source, the last one ending where the engine stands and open. */
export function writeJournal(salvage: Salvage, engine: Engine, dir: DataDir): WrittenJournal {
  const rows = new RowsUpTo(salvage, engine);
  const segments: string[] = [];
  for (const segment of salvage.segments) {
    const isLast = segment.end.lastSeq >= engine.seq;
    const { lastSeq, chain: previousChain } = segment.start;
    const meta = { createdMs: segment.createdMs, firstSeq: lastSeq + 1, previousChain };
    const path = segmentPath(dir.journal, meta.firstSeq);
    writeSegment(unfinishedPath(path), meta, rows.of(segment), { isSealed: !isLast });
    renameDurably(unfinishedPath(path), path);
    segments.push(basename(path));
    if (isLast) break;
  }
  return { segments, last: must(rows.last, 'a last row'), isBatchSplit: rows.isBatchSplit };
}

/** The part of `row` up to where the engine stands, as a row of its own. */
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
