/**
 * The setup of a data directory (`engine/model/setup.ts`), found without a replay: the newest snapshot has it, and
 * later rows are searched for the few commands that change it. A quick look: the snapshot is not checked.
 */
import Database from 'better-sqlite3';
import { attempt } from '../../engine/base/attempt.js';
import { decodeCommand } from '../../engine/model/command-codec.js';
import type { Setup } from '../../engine/model/setup.js';
import { ENGINE } from '../../engine/snapshot/tables.js';
import { closing } from '../data-dir/closing.js';
import type { DataDir } from '../data-dir/layout.js';
import { findSegments, firstSeqOf, sourceOf } from '../journal/segment/names.js';
import { Segment } from '../journal/segment/segment.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { readTable } from '../snapshot/schema.js';

/** In the text of a batch. Clients' texts cannot contain it: their quotes are escaped. */
const IN_BATCH = '["declareSetup",';

/** null if nothing has been declared yet. Throws the errors of opening a segment. */
export function setupOf(dir: DataDir): Setup | null {
  const snapshot = inNewestSnapshot(dir);
  const afterSeq = snapshot?.seq ?? 0;
  for (const path of findSegments(dir.journal).reverse()) {
    const found = lastDeclared(path, afterSeq);
    if (found !== null) return found;
    if (firstSeqOf(path) <= afterSeq) break;
  }
  return snapshot?.setup ?? null;
}

/** A snapshot that cannot be read counts as none. */
function inNewestSnapshot(dir: DataDir): { readonly seq: number; readonly setup: Setup | null } | null {
  const [newest] = new SnapshotFiles(dir.snapshots).list();
  if (newest === undefined) return null;
  return attempt(() => {
    using db = closing(new Database(newest.name, { readonly: true, fileMustExist: true }));
    const [engine] = ENGINE.values(readTable(db, ENGINE));
    return engine ?? null;
  }, null);
}

function lastDeclared(path: string, afterSeq: number): Setup | null {
  using segment = closing(Segment.open(sourceOf(path), 'read'));
  const text = segment.db
    .prepare<[number, string], string>(
      'SELECT commands FROM batch WHERE last_seq > ? AND instr(commands, ?) > 0 ORDER BY last_seq DESC LIMIT 1',
    )
    .pluck()
    .get(afterSeq, IN_BATCH);
  if (text === undefined) return null;
  const command = (JSON.parse(text) as unknown[][])
    .filter(([kind]) => kind === 'declareSetup')
    .map((value) => decodeCommand(value))
    .at(-1);
  if (command?.kind !== 'declareSetup') return null;
  const { feed, clock, rulesFrom } = command;
  return { feed, clock, rulesFrom };
}
