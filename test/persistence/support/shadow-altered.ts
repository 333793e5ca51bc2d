/** Alters a journal so that only a replay can detect it: every checksum and the chain are valid. */
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { MarkFile } from '../../../persistence/journal/mark.js';
import { type ChainPosition, sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';

export interface Altered {
  readonly lastSeq: number;
  readonly digest: string;
  readonly altered: string;
}

export function alterDigest(dir: DataDir, seq: number): Altered {
  const other = (digest: string): string => `${digest.slice(0, -1)}${digest.endsWith('0') ? '1' : '0'}`;
  const { lastSeq, digest } = alterBatch(dir, seq, (row) => ({ ...row, digest: other(row.digest) }));
  return { lastSeq, digest, altered: other(digest) };
}

/** With the chain from there on. Returns the batch as it was. */
export function alterBatch(dir: DataDir, seq: number, alter: (row: StoredBatch) => StoredBatch): StoredBatch {
  const path = must(findSegments(dir.journal).at(-1), 'a segment');
  const segment = Segment.open(path, 'read');
  let position: ChainPosition = segment.start;
  const rows = [...segment.batches()];
  segment.close();
  const at = must(
    rows.find((row) => row.lastSeq >= seq),
    'the batch',
  );
  const db = new Database(path);
  const update = db.prepare(
    'UPDATE batch SET commands = ?, digest = ?, checksum = ?, chain = ? WHERE last_seq = ?',
  );
  let last: StoredBatch = at;
  for (const row of rows) {
    last = sealBatch(position, row === at ? alter(row) : row);
    update.run(last.commands, last.digest, last.checksum, last.chain, last.lastSeq);
    position = last;
  }
  db.close();
  const mark = new MarkFile(dir.markFile);
  mark.write({ lastSeq: last.lastSeq, checksum: last.checksum });
  mark.close();
  return at;
}
