/**
 * Takes a data directory and brings its journal back to life: lock, recovery by replay into a new engine, and
 * the master secret, which must be the one that the journal's rounds were opened with.
 */
import { assert, fail } from '../engine/assert.js';
import { decodeCommand } from '../engine/command-codec.js';
import { Engine } from '../engine/engine.js';
import type { Clock, StoredBatch } from '../engine/ports.js';
import { type DataDir, openDataDir } from './data-dir.js';
import { JournalError } from './errors.js';
import { type DataDirLock, lockDataDir } from './lock.js';
import { type Recovered, recoverJournal } from './recovery.js';
import type { OnProgress } from './replay.js';
import { masterSecretFingerprint, openMasterSecret } from './secrets.js';

/** A data directory that this process holds, and the engine as its journal left it. */
export interface Store {
  readonly dir: DataDir;
  readonly lock: DataDirLock;
  readonly engine: Engine;
  readonly recovered: Recovered;
  readonly masterSecret: Buffer;
}

/** Throws a `JournalError` where the directory cannot be used or its journal cannot be vouched for. */
export function openStore(path: string, clock: Clock, onProgress: OnProgress): Store {
  const dir = openDataDir(path);
  const lock = lockDataDir(dir);
  const engine = new Engine();
  const recovered = recoverJournal({ dir, clock, onProgress, apply: (batch) => applyBatch(engine, batch) });
  assert(engine.seq === recovered.lastSeq, 'the engine ends where the journal ends');
  const masterSecret = openMasterSecret(dir, recovered.lastSeq === 0);
  const inForce = engine.rules?.masterSecretFingerprint;
  if (inForce !== undefined && inForce !== masterSecretFingerprint(masterSecret)) {
    throw new JournalError(
      'secret_invalid',
      `The file ${dir.masterSecretFile} is not the secret that the journal's rounds were opened with. Put the right one back from a backup.`,
    );
  }
  return { dir, lock, engine, recovered, masterSecret };
}

/** A journaled command was accepted once; one that is not accepted again was decided by another engine. */
function applyBatch(engine: Engine, batch: StoredBatch): string {
  const commands: unknown = JSON.parse(batch.commands);
  assert(Array.isArray(commands), 'a batch is a list of commands');
  for (const text of commands) {
    const command = decodeCommand(text);
    const outcome = engine.apply(command);
    if (outcome.status !== 'accepted')
      fail(`command ${engine.seq + 1}, ${command.kind}, is ${outcome.status}`);
  }
  assert(engine.seq === batch.lastSeq, `the batch holds commands up to ${batch.lastSeq}`);
  return engine.rollingDigest();
}
