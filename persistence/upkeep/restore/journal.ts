/**
 * The journal's part of a restored data directory: the good rows of the source, up to where the engine stands. What is
 * missing between them is recorded as lost, so that readers and `verify` take it for that and for nothing else.
 */
import { basename } from 'node:path';
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { ArchivePosition } from '../../archive/writer.js';
import { unfinishedPath } from '../../data-dir/database-files.js';
import { renameDurably } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { type AbsentRange, withAbsent, writeAbsent } from '../../journal/segment/absent.js';
import { type ChainPosition, sealBatch } from '../../journal/segment/batch-row.js';
import { segmentPath, writeSegment } from '../../journal/segment/names.js';
import type { Run, Salvage } from '../salvage/salvage.js';
import type { GoodPiece } from '../salvage/segment.js';
import type { Way } from './way-back.js';

/** Rows up to `engine.seq`; the last one is cut where the engine stands in its middle. */
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
  /** Names of the files. */
  readonly segments: readonly string[];
  /** Where it ends; `checksum` is null where a snapshot alone is the end. */
  readonly end: ArchivePosition & { readonly checksum: string | null };
  readonly isBatchSplit: boolean;
}

/**
 * The runs of a journal that ends with `way`; one that the next does not follow on, and leaves no gap, is of another.
 */
export function runsOf(salvage: Salvage, way: Way): readonly [Run, ...Run[]] {
  let runs: readonly [Run, ...Run[]] = [way.run];
  for (const run of salvage.runs.toReversed()) {
    if (run.lastSeq < runs[0].start.lastSeq && run.lastSeq >= run.firstSeq) runs = [run, ...runs];
  }
  return runs;
}

/** Writes the good pieces as they are in the source, the last one ending where the engine stands and open. */
export function writeJournal(salvage: Salvage, way: Way, engine: Engine, dir: DataDir): WrittenJournal {
  const rows = new RowsUpTo(engine);
  const segments: string[] = [];
  let absent = clipped(salvage.absent, way.run.start.lastSeq);
  let endSeq = 0;
  for (const run of runsOf(salvage, way)) {
    const { lastSeq } = run.start;
    if (lastSeq > endSeq) absent = withAbsent(absent, { why: 'lost', firstSeq: endSeq + 1, lastSeq });
    for (const piece of run.pieces) {
      const isLast = run === way.run && piece.end.lastSeq >= engine.seq;
      segments.push(writePiece(dir, rows, run, piece, !isLast));
      if (isLast) break;
    }
    endSeq = run.lastSeq;
  }
  writeAbsent(dir, absent);
  const { seq, timeMs } = engine;
  const last = rows.last?.lastSeq === seq ? rows.last : null;
  const chain = last?.chain ?? must(way.run.chainAt(seq), 'the chain hash of the end');
  const end = { seq, timeMs, digest: engine.rollingDigest(), chain, checksum: last?.checksum ?? null };
  return { segments, end, isBatchSplit: rows.isBatchSplit };
}

/** Returns the file's name. */
function writePiece(dir: DataDir, rows: RowsUpTo, run: Run, piece: GoodPiece, isSealed: boolean): string {
  const { lastSeq, chain: previousChain } = piece.start;
  const meta = { createdMs: piece.createdMs, firstSeq: lastSeq + 1, previousChain };
  const path = segmentPath(dir.journal, meta.firstSeq);
  writeSegment(unfinishedPath(path), meta, rows.of(run, piece), { isSealed });
  renameDurably(unfinishedPath(path), path);
  return basename(path);
}

/** What is written down of the time up to `lastSeq`. */
const clipped = (absent: readonly AbsentRange[], lastSeq: number): AbsentRange[] =>
  absent
    .filter(({ firstSeq }) => firstSeq <= lastSeq)
    .map((range) => ({ ...range, lastSeq: Math.min(range.lastSeq, lastSeq) }));

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
