/**
 * Takes a data directory and brings it back to life: lock, recovery into an engine, and the master secret, which must
 * be the one that the journal's rounds were opened with.
 */
import type { Engine } from '../../engine/engine.js';
import type { Clock } from '../../engine/model/ports.js';
import { type DataDir, dataDirLayout, openDataDir } from '../data-dir/layout.js';
import { type DataDirLock, lockDataDir } from '../data-dir/lock.js';
import { masterSecretFingerprint, openMasterSecret } from '../data-dir/secrets.js';
import { JournalError } from '../errors.js';
import { batchesAfter } from '../replay/read-ahead.js';
import type { OnProgress } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { recoverEngine } from './engine.js';
import { refuseWithoutJournal } from './journal-gone.js';
import { type RecoveredJournal, recoverJournal } from './prepare.js';

/** How a start went. */
export interface Recovered extends RecoveredJournal {
  /** Sequence number of the snapshot that it began with; 0 where all of the journal was replayed. */
  readonly snapshotSeq: number;
  /** Sentences for the operator: snapshots that were passed over, steps that were finished. */
  readonly notes: readonly string[];
}

/** A data directory that this process holds, and the engine as its journal left it. */
export interface Store {
  readonly dir: DataDir;
  readonly lock: DataDirLock;
  readonly engine: Engine;
  readonly recovered: Recovered;
  readonly masterSecret: Buffer;
}

/**
 * Throws a `JournalError` where the directory cannot be used or its journal cannot be vouched for; the lock is given
 * back then. `requireData`: a directory without a journal is no new one, either.
 */
export function openStore(
  path: string,
  clock: Clock,
  onProgress: OnProgress,
  { requireData = false } = {},
): Store {
  refuseWithoutJournal(dataDirLayout(path), requireData);
  const dir = openDataDir(path);
  const lock = lockDataDir(dir);
  try {
    const { engine, recovered } = recover(dir, clock, onProgress);
    const masterSecret = openMasterSecret(dir, recovered.lastSeq === 0);
    checkSecret(dir, engine, masterSecret);
    return { dir, lock, engine, recovered, masterSecret };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function recover(
  dir: DataDir,
  clock: Clock,
  onProgress: OnProgress,
): { engine: Engine; recovered: Recovered } {
  const snapshots = new SnapshotFiles(dir.snapshots);
  const { replayed, ...journal } = recoverJournal({
    dir,
    clock,
    onProgress,
    replay: (reader) =>
      recoverEngine(reader, snapshots, {
        clock,
        onProgress,
        batchesAfter: (afterSeq, endSeq) => batchesAfter(dir, reader, afterSeq, endSeq),
      }),
  });
  const { engine, snapshotSeq, notes } = replayed;
  return { engine, recovered: { ...journal, snapshotSeq, notes: [...journal.notes, ...notes] } };
}

function checkSecret(dir: DataDir, engine: Engine, masterSecret: Buffer): void {
  const inForce = engine.rules?.masterSecretFingerprint;
  if (inForce === undefined || inForce === masterSecretFingerprint(masterSecret)) return;
  throw new JournalError(
    'secret_invalid',
    `The file ${dir.masterSecretFile} is not the secret that the journal's rounds were opened with. Put the right one back from a backup.`,
  );
}
