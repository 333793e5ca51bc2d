/** Merges several streams of archive rows, each of them in order. */
import type { ArchiveCell } from '../archive/checksum.js';

/** Rows are ordered by their first cell, then by their last. Closes all streams at the end. */
export function* mergedRows(
  streams: readonly IterableIterator<ArchiveCell[]>[],
): Generator<ArchiveCell[], void, undefined> {
  try {
    const heads = streams.map((stream) => nextOf(stream));
    for (;;) {
      let first = -1;
      for (let index = 0; index < heads.length; index++) {
        const head = heads[index] ?? null;
        if (head !== null && (first < 0 || isBefore(head, heads[first] ?? []))) first = index;
      }
      const row = heads[first] ?? null;
      const stream = streams[first];
      if (row === null || stream === undefined) return;
      yield row;
      heads[first] = nextOf(stream);
    }
  } finally {
    for (const stream of streams) stream.return?.();
  }
}

function nextOf(stream: IterableIterator<ArchiveCell[]>): ArchiveCell[] | null {
  const next = stream.next();
  return next.done === true ? null : next.value;
}

function isBefore(one: readonly ArchiveCell[], other: readonly ArchiveCell[]): boolean {
  const [seq, otherSeq] = [Number(one[0]), Number(other[0])];
  return seq < otherSeq || (seq === otherSeq && Number(one.at(-1)) < Number(other.at(-1)));
}
