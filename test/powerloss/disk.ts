/**
 * A disk with a volatile cache. Synced changes survive; a power loss may keep all, none, any part of others in any
 * order, and any sectors of one write. Names (creations, renames, removals) of one folder survive in order, as on
 * every journaling file system, and certainly only once the folder was synced.
 */
import { dirname } from 'node:path';
import { assert, must } from '../../engine/base/assert.js';
import type { Rng } from '../support/reference/random/rng.js';
import type { DiskOp } from './trace.js';

const SECTOR_BYTES = 512;

interface PendingChange {
  readonly number: number;
  readonly op: Extract<DiskOp, { kind: 'write' | 'truncate' }>;
}

class File {
  durable: Buffer = Buffer.alloc(0);
  pending: PendingChange[] = [];
}

interface PendingName {
  readonly number: number;
  readonly op: Extract<DiskOp, { kind: 'create' | 'mkdir' | 'unlink' | 'rename' }>;
  readonly file: File | null;
}

/** null stands for a folder. */
type Names = Map<string, File | null>;

/** The fate of changes that were not synced. */
export const LOSSES = ['all kept', 'all dropped', 'first ones kept', 'any kept', 'any kept, torn'] as const;
export type Loss = (typeof LOSSES)[number];

export class Disk {
  readonly #names: Names = new Map();
  readonly #durableNames: Names = new Map();
  readonly #pendingNames = new Map<string, PendingName[]>();

  /** `number` is the operation's place in the recording. */
  apply(op: DiskOp, number: number): void {
    switch (op.kind) {
      case 'create':
        this.#name({ number, op, file: new File() });
        break;
      case 'mkdir':
      case 'unlink':
      case 'rename':
        this.#name({ number, op, file: null });
        break;
      case 'write':
      case 'truncate':
        must(this.#names.get(op.path), `the file ${op.path}`).pending.push({ number, op });
        return;
      case 'sync':
        this.#sync(op.path, op.covers);
    }
  }

  image(loss: Loss, rng: Rng): ReadonlyMap<string, Buffer | null> {
    const names: Names = new Map(this.#durableNames);
    for (const pending of this.#pendingNames.values()) {
      const kept = keptNames(pending.length, loss, rng);
      for (const change of pending.slice(0, kept)) rename(names, change);
    }
    const contents = new Map<File, Buffer>();
    const image = new Map<string, Buffer | null>();
    for (const [path, file] of names) {
      if (file === null) {
        image.set(path, null);
        continue;
      }
      const content = contents.get(file) ?? contentAfter(file, loss, rng);
      contents.set(file, content);
      image.set(path, content);
    }
    return image;
  }

  #name(change: PendingName): void {
    rename(this.#names, change);
    const folder = dirname(change.op.path);
    const pending = this.#pendingNames.get(folder);
    if (pending === undefined) this.#pendingNames.set(folder, [change]);
    else pending.push(change);
  }

  #sync(path: string, covers: number): void {
    const file = this.#names.get(path);
    if (file instanceof File) {
      const isCovered = ({ number }: PendingChange): boolean => number < covers;
      for (const { op } of file.pending.filter(isCovered)) file.durable = changed(file.durable, op);
      file.pending = file.pending.filter((change) => !isCovered(change));
      return;
    }
    const pending = this.#pendingNames.get(path) ?? [];
    const synced = pending.filter(({ number }) => number < covers);
    for (const change of synced) rename(this.#durableNames, change);
    this.#pendingNames.set(path, pending.slice(synced.length));
  }
}

function rename(names: Names, { op, file }: PendingName): void {
  switch (op.kind) {
    case 'create':
      names.set(op.path, must(file, 'the file that was made'));
      return;
    case 'mkdir':
      names.set(op.path, null);
      return;
    case 'unlink':
      names.delete(op.path);
      return;
    case 'rename': {
      const moved = names.get(op.path);
      assert(moved !== undefined, `${op.path} is there to be renamed`);
      names.delete(op.path);
      names.set(op.to, moved);
    }
  }
}

function keptNames(count: number, loss: Loss, rng: Rng): number {
  if (loss === 'all kept') return count;
  return loss === 'all dropped' ? 0 : rng.integer(0, count);
}

function contentAfter(file: File, loss: Loss, rng: Rng): Buffer {
  let content = file.durable;
  const first = rng.integer(0, file.pending.length);
  file.pending.forEach(({ op }, index) => {
    const isKept =
      loss === 'all kept' ||
      (loss === 'first ones kept' && index < first) ||
      (loss.startsWith('any kept') && rng.chance(0.5));
    if (isKept) content = changed(content, op, loss === 'any kept, torn' ? rng : null);
  });
  return content;
}

/** With `torn`, only some sectors of a write arrive. */
function changed(content: Buffer, op: PendingChange['op'], torn: Rng | null = null): Buffer {
  if (op.kind === 'truncate') {
    const cut = Buffer.alloc(op.size);
    content.copy(cut);
    return cut;
  }
  const end = op.offset + op.bytes.length;
  const after = Buffer.alloc(Math.max(content.length, end));
  content.copy(after);
  for (let at = 0; at < op.bytes.length; ) {
    const sectorEnd = (Math.floor((op.offset + at) / SECTOR_BYTES) + 1) * SECTOR_BYTES - op.offset;
    const to = Math.min(sectorEnd, op.bytes.length);
    if (torn === null || torn.chance(0.5)) op.bytes.copy(after, op.offset + at, at, to);
    at = to;
  }
  return after;
}
