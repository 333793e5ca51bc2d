/**
 * The setup of a data directory (`engine/model/setup.ts`) and its rules, found without a replay: the newest snapshot has
 * them, and later rows are searched for the few commands that change them. A quick look: the snapshot is not checked.
 */
import Database from 'better-sqlite3';
import { attempt } from '../../engine/base/attempt.js';
import type { Command } from '../../engine/model/commands.js';
import type { Rules } from '../../engine/model/rules.js';
import type { Setup } from '../../engine/model/setup.js';
import { ENGINE } from '../../engine/snapshot/tables.js';
import { closing } from '../data-dir/closing.js';
import type { DataDir } from '../data-dir/layout.js';
import { findSegments, firstSeqOf, sourceOf } from '../journal/segment/names.js';
import { Segment } from '../journal/segment/segment.js';
import { commandsOf } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { readTable } from '../snapshot/schema.js';

type Declaration = Extract<Command, { readonly kind: 'declareSetup' | 'configure' }>;

/** null if nothing has been declared yet. Throws the errors of reading a segment. */
export function setupOf(dir: DataDir): Setup | null {
  const { command, engine } = newest(dir, 'declareSetup');
  if (command === null) return engine?.setup ?? null;
  const { feed, clock, rulesFrom } = command;
  return { feed, clock, rulesFrom };
}

/** null before the first ones. Throws the errors of reading a segment. */
export function rulesOf(dir: DataDir): Rules | null {
  const { command, engine } = newest(dir, 'configure');
  return (command ?? engine)?.rules ?? null;
}

/** The last command of the kind, or null and what the newest snapshot has. */
function newest<K extends Declaration['kind']>(dir: DataDir, kind: K) {
  const engine = inNewestSnapshot(dir);
  const afterSeq = engine?.seq ?? 0;
  for (const path of findSegments(dir.journal).reverse()) {
    const command = lastDeclared(path, afterSeq, kind);
    if (command !== null) return { command, engine };
    if (firstSeqOf(path) <= afterSeq) break;
  }
  return { command: null, engine };
}

/** A snapshot that cannot be read counts as none. */
function inNewestSnapshot(dir: DataDir) {
  const [ref] = new SnapshotFiles(dir.snapshots).list();
  if (ref === undefined) return null;
  return attempt(() => {
    using db = closing(new Database(ref.name, { readonly: true, fileMustExist: true }));
    const [engine] = ENGINE.values(readTable(db, ENGINE));
    return engine ?? null;
  }, null);
}

function lastDeclared<K extends Declaration['kind']>(path: string, afterSeq: number, kind: K) {
  using segment = closing(Segment.open(sourceOf(path), 'read'));
  // Clients' texts cannot contain it: their quotes are escaped.
  const row = segment.rowWith(`["${kind}",`, afterSeq);
  const isOfKind = (command: Command): command is Extract<Command, { readonly kind: K }> =>
    command.kind === kind;
  return row === null ? null : (commandsOf(row).findLast(isOfKind) ?? null);
}
