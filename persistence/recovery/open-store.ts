/** Opens a data directory for a server: the lock, the recovery of the engine, and the journal's own master secret. */
import { existsSync } from 'node:fs';
import type { Engine } from '../../engine/engine.js';
import type { Clock } from '../../engine/model/ports.js';
import { dropForeignWal } from '../archive/file.js';
import { closing } from '../data-dir/closing.js';
import { type DataDir, dataDirLayout, openDataDir } from '../data-dir/layout.js';
import { lockDataDir, START_WAIT_MS } from '../data-dir/lock.js';
import { invalidSecret, isOtherSecret, openMasterSecret } from '../data-dir/secrets.js';
import { openSigningKeys, UNKNOWN_KEYS } from '../data-dir/signing-keys.js';
import { raiseMark } from '../journal/mark.js';
import { JournalReader } from '../journal/reader.js';
import { hasSegments } from '../journal/segment/names.js';
import type { OnProgress } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { recoverEngine } from './engine.js';
import { notInitialised, type RequiredOf, refuseWithoutJournal } from './journal-gone.js';
import { prepareJournal } from './prepare.js';

export type Store = ReturnType<typeof openStore>;
export type Recovered = Store['recovered'];

interface StoreOptions extends RequiredOf {
  /** Where the manual clock of a new directory begins; absent or null: at the machine's time. */
  readonly clockStartMs?: number | null;
}

/**
 * Throws a `JournalError` if the directory cannot be used or its journal cannot be trusted; the lock is released
 * then.
 */
export function openStore(
  path: string,
  clock: Clock,
  onProgress: OnProgress,
  { clockStartMs = null, ...required }: StoreOptions = {},
) {
  const layout = dataDirLayout(path);
  refuseWithoutJournal(layout, required);
  // A master secret alone: the exchange's journal is yet to come, from the replicated log.
  const isAwaitingJournal = !hasSegments(layout.journal) && existsSync(layout.masterSecretFile);
  const dir = openDataDir(path);
  const lock = lockDataDir(dir, START_WAIT_MS);
  try {
    const { engine, recovered } = recover(dir, clock, onProgress);
    if (required.requireData && !required.isFollower && recovered.lastSeq === 0) throw notInitialised(dir);
    const masterSecret = openMasterSecret(dir, recovered.lastSeq === 0);
    checkSecret(dir, engine, masterSecret);
    const signing = openSigningKeys(dir, keyTimeMs(engine, clockStartMs ?? clock.nowMs()));
    return { dir, lock, engine, recovered, masterSecret, signing, isAwaitingJournal };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** No key is made after what it signs, and a manual clock may be behind the machine's. */
const keyTimeMs = ({ setup, timeMs }: Engine, newMs: number): number =>
  setup?.clock === 'manual' ? timeMs : newMs;

/** `notes` are sentences for the operator, on snapshots that were passed over and changes of files. */
function recover(dir: DataDir, clock: Clock, onProgress: OnProgress) {
  using prepared = closing(prepareJournal({ dir, clock, onProgress }));
  const { mark, wasUnclean } = prepared;
  using reader = closing(new JournalReader(dir));
  const snapshots = new SnapshotFiles(dir.snapshots);
  const { engine, end, snapshotSeq, ...replayed } = recoverEngine(reader, snapshots, mark, clock, onProgress);
  raiseMark(dir.markFile, mark, end);
  const notes = [...prepared.notes, ...replayed.notes, ...dropForeignWal(dir), ...lostKeys(dir, end.lastSeq)];
  return { engine, recovered: { ...end, wasUnclean, snapshotSeq, notes } };
}

/** The start makes new ones. */
const lostKeys = ({ signingKeysFile }: DataDir, lastSeq: number): string[] =>
  lastSeq > 0 && !existsSync(signingKeysFile) ? [`There was no ${signingKeysFile}: ${UNKNOWN_KEYS}`] : [];

function checkSecret(dir: DataDir, engine: Engine, masterSecret: Buffer): void {
  if (!isOtherSecret(engine.rules, masterSecret)) return;
  throw invalidSecret(
    dir.masterSecretFile,
    "is not the secret that the journal's rounds were opened with. Put the right one back from a backup.",
  );
}
