/**
 * Takes back the last batch of a journal. A leader writes a batch to its disk and to the replicated log at the same
 * time: if it ends in between, the batch may be on its disk alone, and a successor goes on without it. No client was
 * told of it, no snapshot and no archive has it, and the log can never contain it.
 *
 * The log may also have had the batch and lost it, with no machine there to publish it anew. Then clients may have
 * been told, which nobody can know here. A snapshot or an archive that has it is left out or made anew at the next
 * start.
 *
 * The mark goes back first: stopped in between, the journal has a batch above its mark, as before.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, must } from '../../engine/base/assert.js';
import { closing } from '../data-dir/closing.js';
import { FILE_MODE, syncPath } from '../data-dir/files.js';
import type { DataDir } from '../data-dir/layout.js';
import { createMarkFile, EMPTY_MARK, readMarkFile } from '../journal/mark.js';
import { findSegments } from '../journal/segment/names.js';
import { rowOfJournal, Segment } from '../journal/segment/segment.js';

/** The caller holds the directory's lock, and nothing has its journal open. Returns a sentence for the operator. */
export function takeBackLast(dir: DataDir): string {
  const path = must(findSegments(dir.journal).at(-1), 'a segment of the journal');
  using segment = closing(Segment.open(path, 'write'));
  const row = must(segment.tail(), 'a batch in the open segment');
  assert(segment.seal === null, 'the last segment is open');
  const kept = join(dir.journal, `taken-back-${row.firstSeq}-${row.lastSeq}-${row.checksum}.json`);
  writeFileSync(kept, `${JSON.stringify(row)}\n`, { mode: FILE_MODE });
  syncPath(kept);
  setMarkBack(dir, row.firstSeq - 1);
  segment.db.pragma('synchronous = FULL');
  segment.db.prepare('DELETE FROM batch WHERE last_seq = ?').run(row.lastSeq);
  return (
    `The journal's last batch, ${row.firstSeq} to ${row.lastSeq}, was taken back: the leader that followed went on without it. No client was told ` +
    `of it, unless the NATS servers have lost it since. It is kept in ${kept}`
  );
}

function setMarkBack(dir: DataDir, lastSeq: number): void {
  const mark = readMarkFile(dir.markFile);
  if (mark === null || mark.lastSeq <= lastSeq) return;
  const before =
    lastSeq === 0 ? null : must(rowOfJournal(dir.journal, lastSeq), 'the batch before the last one');
  createMarkFile(dir.markFile, before === null ? EMPTY_MARK : { lastSeq, checksum: before.checksum });
}
