/**
 * Reads the journal of a data directory, even while a server writes it, and changes nothing. The open segment is
 * opened for each chunk of rows and closed before they are handed out, so that the writer can checkpoint its WAL,
 * seal it and begin the next one meanwhile.
 */
import type { ReadableJournal, StoredBatch } from '../../engine/model/ports.js';
import { orClosed } from '../data-dir/closing.js';
import type { DataDir } from '../data-dir/layout.js';
import { codeOf, JournalError } from '../errors.js';
import type { ChainPosition } from './segment/batch-row.js';
import { checkName } from './segment/chain.js';
import { findSegments, firstSeqOf, sourceOf } from './segment/names.js';
import { damaged } from './segment/schema.js';
import { CHUNK_CHARS, checkedRows, Segment } from './segment/segment.js';

export class JournalReader implements ReadableJournal {
  /** Stays open: it no longer changes. */
  #sealed: Segment | null = null;

  constructor(
    private readonly dir: DataDir,
    private readonly chunkChars = CHUNK_CHARS,
  ) {}

  get firstSeq(): number {
    return firstSeqOf(this.#paths()[0]);
  }

  /** `firstSeq - 1` in an empty journal. */
  get lastSeq(): number {
    return this.#within(Number.MAX_SAFE_INTEGER, (segment) => (segment.tail() ?? segment.start).lastSeq);
  }

  chainAt(seq: number): string | null {
    if (seq < this.firstSeq - 1) return null;
    return this.#within(seq, (segment) => segment.chainAt(seq));
  }

  /**
   * With `chain`, the chain after `afterSeq`, the row that ends there is not looked for: the next must follow it. Throws
   * `journal_incomplete` if commands are missing, and `journal_corrupt`, which names the first bad row.
   */
  *readBatches(afterSeq: number, chain?: string): Generator<StoredBatch, void, undefined> {
    if (afterSeq < this.firstSeq - 1) throw gone(this.dir, afterSeq + 1, this.firstSeq);
    let position: ChainPosition | null = chain === undefined ? null : { lastSeq: afterSeq, chain };
    for (;;) {
      const seq: number = position?.lastSeq ?? afterSeq;
      const before: ChainPosition | null = position;
      const chunk: ReturnType<typeof readChunk> = this.#within(seq, (segment, isLast) =>
        readChunk(segment, isLast, before, afterSeq, this.chunkChars),
      );
      yield* checkedRows(chunk.path, chunk.position, chunk.rows);
      const last = chunk.rows.at(-1);
      if (last !== undefined) position = { lastSeq: last.lastSeq, chain: last.chain };
      // Looking behind a sealed segment's last row compares the row with the seal.
      if (chunk.isSealed ? last === undefined && !this.#hasGoneOn(seq) : chunk.isEnd) return;
    }
  }

  close(): void {
    this.#sealed?.close();
    this.#sealed = null;
  }

  #paths(): [string, ...string[]] {
    const [first, ...others] = findSegments(this.dir.journal);
    if (first !== undefined) return [first, ...others];
    throw new JournalError('data_dir_invalid', `There is no journal in ${this.dir.journal}.`);
  }

  #hasGoneOn(seq: number): boolean {
    const next = this.#paths().find((path) => firstSeqOf(path) > seq);
    if (next === undefined) return false;
    if (firstSeqOf(next) > seq + 1) throw gone(this.dir, seq + 1, firstSeqOf(next));
    return true;
  }

  /**
   * Gives `look` the segment in which the command after `seq` is or would be. A segment that is already open is read
   * to its end even if retention has deleted it meanwhile.
   */
  #within<T>(seq: number, look: (segment: Segment, isLast: boolean) => T): T {
    const sealed = this.#sealed;
    if (sealed !== null && isWithin(sealed, seq)) return look(sealed, false);
    const { segment, isLast } = this.#open(seq);
    if (segment === sealed) return look(sealed, isLast);
    try {
      return look(segment, isLast);
    } finally {
      if (segment.seal === null) segment.close();
      else {
        this.close();
        this.#sealed = segment;
      }
    }
  }

  /** A segment that is deleted between listing and opening is looked up again. */
  #open(seq: number): { readonly segment: Segment; readonly isLast: boolean } {
    for (;;) {
      const paths = this.#paths();
      const path = paths.findLast((candidate) => firstSeqOf(candidate) <= seq + 1);
      if (path === undefined) throw gone(this.dir, seq + 1, firstSeqOf(paths[0]));
      const isLast = path === paths.at(-1);
      if (this.#sealed?.path === path) return { segment: this.#sealed, isLast };
      try {
        const segment = Segment.open(sourceOf(path), 'read');
        orClosed(segment, () => checkName(segment, path));
        return { segment, isLast };
      } catch (thrown) {
        if (codeOf(thrown) !== 'segment_gone') throw thrown;
      }
    }
  }
}

const isWithin = ({ start, seal }: Segment, seq: number): boolean =>
  seal !== null && seq >= start.lastSeq && seq < seal.lastSeq;

/** `before` is the last row read, null if none was read yet. */
function readChunk(
  segment: Segment,
  isLast: boolean,
  before: ChainPosition | null,
  afterSeq: number,
  chunkChars: number,
) {
  const { start, path, seal } = segment;
  if (seal === null && !isLast) throw damaged(path, 'another segment follows it, but it is not sealed');
  const position = before ?? segment.rowUpTo(afterSeq) ?? start;
  if (seal !== null && position.lastSeq > seal.lastSeq)
    throw damaged(path, `it was sealed at ${seal.lastSeq}, and no segment has what comes after`);
  if (position.lastSeq === start.lastSeq && position.chain !== start.chain) {
    throw damaged(path, `it does not follow from the segment before it, which ends at ${position.lastSeq}`);
  }
  return { path, position, ...segment.chunkAfter(position, chunkChars), isSealed: seal !== null };
}

function gone(dir: DataDir, fromSeq: number, firstSeq: number): JournalError {
  return new JournalError(
    'journal_incomplete',
    `The journal in ${dir.journal} has no segment with the sequence numbers ${fromSeq} to ${firstSeq - 1}: the next one begins at ${firstSeq}. ` +
      "Where a server's retention has deleted them meanwhile, try again; else put the file back from a backup.",
  );
}
