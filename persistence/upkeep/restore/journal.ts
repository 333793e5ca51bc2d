/**
 * The journal in a restored data directory: the rows that lead to its state, up to the position of the engine. Rows
 * before the last gap stay in the source, and are recorded as absent.
 */
import { basename } from 'node:path';
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { ArchivePosition } from '../../archive/writer.js';
import { renameDurably, unfinishedPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { writeAbsent } from '../../journal/segment/absent.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { segmentPath, writeSegment } from '../../journal/segment/names.js';
import type { Run } from '../salvage/salvage.js';
import type { GoodPiece } from '../salvage/segment.js';
import type { RestorePoint } from './restore-points.js';

/** Cuts the last row if the engine is in the middle of it. */
class RowsUpTo {
  last: StoredBatch | null = null;
  isBatchSplit = false;

  constructor(readonly engine: Engine) {}

  *of(run: Run, piece: GoodPiece): Generator<StoredBatch, void, undefined> {
    const { engine } = this;
    let position: ChainPosition = piece.start;
    for (const row of run.readPiece(piece, piece.start.lastSeq)) {
      if (row.firstSeq > engine.seq) return;
      this.isBatchSplit = row.lastSeq > engine.seq;
      this.last = this.isBatchSplit ? cut(row, position, engine) : row;
      position = this.last;
      yield this.last;
    }
  }
}

export interface WrittenJournal {
  readonly segments: readonly string[];
  /** `checksum` is null if the end is a snapshot without a row. */
  readonly end: ArchivePosition & { readonly checksum: string | null };
  readonly isBatchSplit: boolean;
}

/** The last piece is open and ends at the position of the engine. */
export function writeJournal({ run }: RestorePoint, engine: Engine, dir: DataDir): WrittenJournal {
  const rows = new RowsUpTo(engine);
  const segments: string[] = [];
  for (const piece of run.pieces) {
    const isLast = piece.end.lastSeq >= engine.seq;
    segments.push(writePiece(dir, rows, run, piece, !isLast));
    if (isLast) break;
  }
  writeAbsent(dir, run.start.lastSeq);
  const { seq, timeMs } = engine;
  const last = rows.last?.lastSeq === seq ? rows.last : null;
  const chain = last?.chain ?? must(run.chainAt(seq), 'the chain hash of the end');
  const end = { seq, timeMs, digest: engine.rollingDigest(), chain, checksum: last?.checksum ?? null };
  return { segments, end, isBatchSplit: rows.isBatchSplit };
}

function writePiece(dir: DataDir, rows: RowsUpTo, run: Run, piece: GoodPiece, isSealed: boolean): string {
  const { lastSeq, chain: previousChain } = piece.start;
  const meta = { createdMs: piece.createdMs, firstSeq: lastSeq + 1, previousChain };
  const path = segmentPath(dir.journal, meta.firstSeq);
  writeSegment(unfinishedPath(path), meta, rows.of(run, piece), { isSealed });
  renameDurably(unfinishedPath(path), path);
  return basename(path);
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
