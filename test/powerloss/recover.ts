/**
 * Recovers the image of a disk as a start of the server does: every order acknowledged before the power loss must be
 * there, and the state must be one that the journal went through.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../persistence/recovery/open-store.js';

/** The rolling digest of every batch that ever became durable, by its last sequence number. */
export type Digests = ReadonlyMap<number, string>;
const CLOCK = { nowMs: () => 1_800_000_000_000, monotonicMs: () => 0 };

/** Paths in the image lie below `root`. */
export function writeImage(image: ReadonlyMap<string, Buffer | null>, root: string, to: string): void {
  const folders = [...image].filter(([, content]) => content === null).map(([path]) => path);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const folder of folders.sort()) {
    mkdirSync(join(to, folder.slice(root.length)), { recursive: true, mode: 0o700 });
  }
  for (const [path, content] of image) {
    if (content !== null) writeFileSync(join(to, path.slice(root.length)), content, { mode: 0o600 });
  }
}

export function checkRecovery(path: string, acknowledgedSeq: number, digests: Digests): number {
  const store = openStore(path, CLOCK, () => {});
  try {
    const { seq } = store.engine;
    if (seq < acknowledgedSeq) throw new Error(`${acknowledgedSeq} was acknowledged, ${seq} came back`);
    const expected = seq === 0 ? store.engine.rollingDigest() : digests.get(seq);
    if (store.engine.rollingDigest() !== expected) throw new Error(`the state after ${seq} is another one`);
    return seq;
  } finally {
    store.lock.release();
  }
}
