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
import { raiseMark } from '../journal/mark.js';
import { openJournalReader } from '../journal/reader.js';
import { batchesAfter } from '../replay/read-ahead.js';
import type { JournalEnd, OnProgress } from '../replay/replay.js';
import { SnapshotFiles } from '../snapshot/files.js';
import { type RecoveredEngine, recoverEngine } from './engine.js';
import { refuseWithoutJournal } from './journal-gone.js';
import { prepareJournal } from './prepare.js';

/** How a start went. */
export interface Recovered extends JournalEnd {
  /** The last server on this directory was killed, or failed. */
  readonly wasUnclean: boolean;
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

/**
 * The three steps of a recovery, each of which may refuse: prepare the files, recover the engine from them, and raise the
 * mark to where it stands.
 */
function recover(
  dir: DataDir,
  clock: Clock,
  onProgress: OnProgress,
): { readonly engine: Engine; readonly recovered: Recovered } {
  const prepared = prepareJournal({ dir, clock, onProgress });
  try {
    const { engine, end, snapshotSeq, notes } = replay(dir, clock, onProgress);
    raiseMark(dir.markFile, prepared.mark, end);
    const { wasUnclean } = prepared;
    return {
      engine,
      recovered: { ...end, wasUnclean, snapshotSeq, notes: [...prepared.notes, ...notes] },
    };
  } finally {
    prepared.close();
  }
}

function replay(dir: DataDir, clock: Clock, onProgress: OnProgress): RecoveredEngine {
  const reader = openJournalReader(dir);
  try {
    return recoverEngine(reader, new SnapshotFiles(dir.snapshots), {
      clock,
      onProgress,
      batchesAfter: (afterSeq, endSeq) => batchesAfter(dir, reader, afterSeq, endSeq),
    });
  } finally {
    reader.close();
  }
}

function checkSecret(dir: DataDir, engine: Engine, masterSecret: Buffer): void {
  const inForce = engine.rules?.masterSecretFingerprint;
  if (inForce === undefined || inForce === masterSecretFingerprint(masterSecret)) return;
  throw new JournalError(
    'secret_invalid',
    `The file ${dir.masterSecretFile} is not the secret that the journal's rounds were opened with. Put the right one back from a backup.`,
  );
}
