/** From the simulated disk to an engine, by the real recovery code. */
import type { SnapshotStore } from '../../../engine/host/snapshot-store.js';
import type { Clock } from '../../../engine/model/ports.js';
import { type RecoveredEngine, recoverEngine } from '../../../persistence/recovery/engine.js';
import type { SimStore } from './store.js';

/** Raises the mark to the end. Throws the errors of the real recovery. */
export function recover(store: SimStore, snapshots: SnapshotStore, clock: Clock): RecoveredEngine {
  const recovered = recoverEngine(store, snapshots, { clock });
  const { lastSeq, checksum } = recovered.end;
  if (lastSeq > (store.readMark()?.lastSeq ?? 0)) store.writeMark({ lastSeq, checksum });
  return recovered;
}
