/** From the simulated disk to an engine, by the real recovery code: what a process does before it serves. */
import type { SnapshotStore } from '../../../engine/host/snapshot-store.js';
import type { Clock, JournalStore } from '../../../engine/model/ports.js';
import { type RecoveredEngine, recoverEngine } from '../../../persistence/recovery/engine.js';

/** Recovers and raises the mark to the end; throws what the real recovery throws. */
export function recover(store: JournalStore, snapshots: SnapshotStore, clock: Clock): RecoveredEngine {
  const recovered = recoverEngine(store, snapshots, { clock });
  const { lastSeq, checksum } = recovered.end;
  if (lastSeq > (store.readMark()?.lastSeq ?? 0)) store.writeMark({ lastSeq, checksum });
  return recovered;
}
