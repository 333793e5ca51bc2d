/**
 * The good stretches of a journal that may be damaged. A state can be worked out only from the very beginning or from
 * a good snapshot. So a stretch begins at one of these, and goes on with the rows that follow it by the chain of hashes,
 * up to the first that is bad or missing. A later snapshot begins the next stretch; if the rows behind it are lost, too,
 * it stands alone. The mark is not considered: the caller finds acknowledged commands that no stretch has.
 */
import { statSync } from 'node:fs';
import { attempt, messageOf } from '../../../engine/base/attempt.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { readArchiveProgress } from '../../archive/file.js';
import { closing } from '../../data-dir/closing.js';
import type { DataDir } from '../../data-dir/layout.js';
import { codeOf, JournalError } from '../../errors.js';
import { readMarkFile } from '../../journal/mark.js';
import { JournalReader } from '../../journal/reader.js';
import { readAbsent } from '../../journal/segment/absent.js';
import { CHAIN_START, type ChainPosition } from '../../journal/segment/batch-row.js';
import { findSegments, firstSeqOf, hasSegments } from '../../journal/segment/names.js';
import { History, type HistoryJournal } from '../../replay/history.js';
import { SnapshotFiles } from '../../snapshot/files.js';

/** A read within a stretch begins at most this many rows before its place. */
const ROWS_PER_PLACE = 512;

/** The beginning of a journal, or a snapshot. */
interface Origin extends ChainPosition {
  /** Engine time. */
  readonly timeMs: number;
}

const BEGINNING: Origin = { lastSeq: 0, chain: CHAIN_START, timeMs: 0 };

/** Rethrows anything but damage, such as another format. */
function damageOf(thrown: unknown): string {
  if (!['journal_corrupt', 'journal_incomplete', 'segment_gone'].includes(codeOf(thrown))) throw thrown;
  return messageOf(thrown);
}

export class Stretch implements HistoryJournal {
  readonly #places: ChainPosition[];
  #end: ChainPosition;
  /** Why it ends; null if nothing shows that there was more. */
  readonly fault: string | null;

  constructor(
    private readonly dir: DataDir,
    readonly start: Origin,
    onSeq: (seq: number) => void,
  ) {
    this.#places = [start];
    this.#end = start;
    this.fault = this.#walk(onSeq);
  }

  /** Without rows, the number that the first one would have. */
  get firstSeq(): number {
    return this.start.lastSeq + 1;
  }
  get lastSeq(): number {
    return this.#end.lastSeq;
  }

  *readBatches(afterSeq: number): Generator<StoredBatch, void, undefined> {
    if (afterSeq >= this.lastSeq || this.#end === this.start) return;
    const place = this.#places.findLast(({ lastSeq }) => lastSeq <= afterSeq) ?? this.start;
    for (const row of rowsBehind(this.dir, place)) {
      if (row.lastSeq > afterSeq) yield row;
      if (row.lastSeq >= this.lastSeq) return;
    }
  }

  /** null if no row ends at `seq`. */
  chainAt(seq: number): string | null {
    if (seq === this.start.lastSeq) return this.start.chain;
    if (seq < this.start.lastSeq) return null;
    for (const row of this.readBatches(seq - 1)) return row.lastSeq === seq ? row.chain : null;
    return null;
  }

  #walk(onSeq: (seq: number) => void): string | null {
    let rows = 0;
    try {
      for (const { lastSeq, chain } of rowsBehind(this.dir, this.start)) {
        this.#end = { lastSeq, chain };
        rows += 1;
        if (rows % ROWS_PER_PLACE === 0) this.#places.push(this.#end);
        onSeq(lastSeq);
      }
      return null;
    } catch (thrown) {
      return damageOf(thrown);
    }
  }
}

/** None without a journal. Throws the errors of reading at the first bad or missing row. */
function* rowsBehind(
  dir: DataDir,
  { lastSeq, chain }: ChainPosition,
): Generator<StoredBatch, void, undefined> {
  if (!hasSegments(dir.journal)) return;
  using reader = closing(new JournalReader(dir));
  yield* reader.readBatches(lastSeq, chain);
}

export class Stretches {
  /** In order. */
  readonly all: readonly Stretch[];
  /** The journal's files begin after this number; null without a journal. */
  readonly beforeSeq: number | null;
  /** Commands missing up to here were pruned. */
  readonly absentSeq: number;
  readonly known: ReturnType<typeof acknowledgedOf>;
  /** The whole ones, oldest first. */
  readonly snapshots: SnapshotRef[] = [];
  /** Sentences on snapshots that were passed over. */
  readonly notes: string[] = [];

  /** `onSeq` is called for every good row. */
  constructor(
    private readonly dir: DataDir,
    onSeq: (seq: number) => void = () => {},
  ) {
    const paths = findSegments(dir.journal);
    this.beforeSeq = paths[0] === undefined ? null : firstSeqOf(paths[0]) - 1;
    this.absentSeq = absentOf(dir, this.beforeSeq ?? 0);
    this.known = acknowledgedOf(dir);
    const all: Stretch[] = [];
    const origins = [...(this.beforeSeq === 0 ? [BEGINNING] : []), ...this.#origins()];
    for (const origin of origins) {
      const last = all.at(-1);
      if (last !== undefined && origin.lastSeq <= last.lastSeq) continue;
      if (this.#isBeyond(origin, last) || isOfAnotherJournal(dir, origin)) {
        this.notes.push(`The snapshot at ${origin.lastSeq} was passed over: it is not of this journal.`);
      } else all.push(new Stretch(dir, origin, onSeq));
    }
    this.all = all;
  }

  get lastSeq(): number {
    return this.all.at(-1)?.lastSeq ?? 0;
  }

  /** The last one that begins at or before `seq`, which may be in the gap behind it. */
  upTo(seq: number): Stretch | null {
    return this.all.findLast(({ start }) => start.lastSeq <= seq) ?? null;
  }

  /** The last command at or before `timeMs`. Throws `not_found` if the journal begins later. */
  seqAtTime(timeMs: number): number {
    const stretch = this.all.findLast(({ start }) => start.timeMs <= timeMs);
    const seq =
      stretch === undefined ? 0 : new History(stretch, new SnapshotFiles(this.dir.snapshots)).seqAt(timeMs);
    if (seq > 0) return seq;
    throw new JournalError(
      'not_found',
      `The journal has no command at or before ${new Date(timeMs).toISOString()}: it begins later.`,
    );
  }

  /** Nothing shows that the journal ever went so far. */
  #isBeyond({ lastSeq }: Origin, before: Stretch | undefined): boolean {
    const { mark, seq } = this.known;
    return mark !== null && lastSeq > seq && (before === undefined || before.fault === null);
  }

  #origins(): Origin[] {
    const files = new SnapshotFiles(this.dir.snapshots);
    return files
      .list()
      .toReversed()
      .flatMap((ref) => {
        try {
          const { chain, timeMs } = files.wholeMetaOf(ref);
          this.snapshots.push(ref);
          return [{ lastSeq: ref.seq, chain, timeMs }];
        } catch (thrown) {
          this.notes.push(`The snapshot ${ref.name} was passed over: ${messageOf(thrown)}`);
          return [];
        }
      });
  }
}

/** The journal has a good row where the snapshot stands, which tells of another state. */
function isOfAnotherJournal(dir: DataDir, { lastSeq, chain }: Origin): boolean {
  if (!hasSegments(dir.journal)) return false;
  using reader = closing(new JournalReader(dir));
  try {
    const there = reader.chainAt(lastSeq);
    if (there !== null) return there !== chain;
    for (const row of reader.readBatches(lastSeq)) return row.firstSeq <= lastSeq;
  } catch (thrown) {
    damageOf(thrown);
  }
  return false;
}

/** Without a readable record a missing beginning counts as pruned. */
function absentOf(dir: DataDir, beforeSeq: number): number {
  try {
    return readAbsent(dir) ?? beforeSeq;
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    return beforeSeq;
  }
}

/**
 * The last command that a damaged directory is known to have acknowledged; 0 if neither mark nor archive can be read.
 * `markNote` says why there is no mark.
 */
function acknowledgedOf(source: DataDir) {
  // Damage of the archive is reported where it is copied.
  const archive = attempt(() => readArchiveProgress(source), null);
  const archived = { seq: archive?.seq ?? 0, timeMs: archive?.timeMs ?? 0 };
  let markNote = 'The source has no mark: nothing says whether commands after the copy were acknowledged.';
  try {
    const mark = readMarkFile(source.markFile);
    if (mark !== null && mark.lastSeq > archived.seq) {
      // The mark contains no time, but its file was written when that command was acknowledged.
      return { mark, markNote: '', seq: mark.lastSeq, timeMs: statSync(source.markFile).mtimeMs };
    }
    if (mark !== null) return { mark, markNote: '', ...archived };
  } catch (thrown) {
    markNote = `The source's mark cannot be read, so nothing says what was acknowledged last: ${messageOf(thrown)}`;
  }
  return { mark: null, markNote, ...archived };
}
