/**
 * Cuts the power at every operation of a recording, in several ways, and recovers each resulting disk. better-sqlite3
 * has no hook between SQLite and its files, so the operations are system calls.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { must } from '../../engine/base/assert.js';
import { openDataDir } from '../../persistence/data-dir/layout.js';
import { readAll } from '../persistence/support/journal-files.js';
import { newFolder } from '../support/new-folder.js';
import { Rng } from '../support/reference/random/rng.js';
import { Disk, LOSSES, type Loss } from './disk.js';
import { environment, markPath, type Recording, record } from './record.js';
import { checkRecovery, type Digests, writeImage } from './recover.js';
import { checkStart } from './start.js';
import type { DiskOp } from './trace.js';

interface RecordOptions {
  readonly orders: number;
  /** For the recording and the images; one in memory is faster. */
  readonly folder?: string;
}

interface PowerLossOptions {
  readonly seed: number;
  readonly images: number;
  /** The real program is started on one in so many images, by the seed; on none if absent. */
  readonly startsOneIn?: number;
  /** Syncs of these paths count as done and are not, as in a server without them. */
  readonly skipsSync?: (path: string) => boolean;
  /** The image that does not recover stays: the same seed makes another recording, and so another image. */
  readonly keepsFailure?: boolean;
  readonly onProgress?: (done: number) => void;
}

interface PowerLossReport {
  readonly operations: number;
  readonly snapshots: number;
  readonly acknowledged: number;
  readonly images: ReadonlyMap<Loss, number>;
  /** Recovered with more than was acknowledged. */
  readonly aheadOfMark: number;
  readonly started: number;
}

const MARK_FORM = /last_seq=(\d{16})/;
type LosePower = (options: PowerLossOptions) => Promise<PowerLossReport>;

/** Records servers once, for as many power losses as `use` asks for. */
export async function withRecording(
  { orders, folder: parent = tmpdir() }: RecordOptions,
  use: (losePower: LosePower) => Promise<void>,
): Promise<void> {
  const folder = newFolder(parent);
  const recording = await record(join(folder, 'data'), orders);
  const digests = digestsOf(recording.root);
  await use((options) => cutEverywhere(recording, digests, join(folder, 'image'), options));
}

async function cutEverywhere(
  { root, orders, ops, acknowledged }: Recording,
  digests: Digests,
  path: string,
  { seed, images, startsOneIn, skipsSync, keepsFailure = false, onProgress }: PowerLossOptions,
): Promise<PowerLossReport> {
  const disk = new Disk();
  const rng = new Rng(seed);
  let startsAt = 0;
  const counts = new Map<Loss, number>();
  let aheadOfMark = 0;
  let started = 0;
  let acknowledgedSeq = 0;
  let done = 0;
  for (const [index, op] of ops.entries()) {
    if (op.kind !== 'sync' || skipsSync?.(op.path) !== true) disk.apply(op, index);
    acknowledgedSeq = Math.max(acknowledgedSeq, markOf(op, root));
    // Images are spread evenly over the operations.
    for (const due = Math.floor(((index + 1) * images) / ops.length); done < due; done++) {
      const loss = must(LOSSES[done % LOSSES.length], 'a loss');
      const image = disk.image(loss, rng);
      if (startsOneIn !== undefined && done % startsOneIn === 0)
        startsAt = done + rng.integer(0, startsOneIn - 1);
      const starts = startsOneIn !== undefined && done === startsAt;
      try {
        writeImage(image, root, path);
        if (checkRecovery(path, acknowledgedSeq, digests) > acknowledgedSeq) aheadOfMark++;
        // Once more as the power left it: recovery has changed it.
        if (starts) writeImage(image, root, path);
        if (starts) await checkStart(path, acknowledgedSeq, environment(orders));
      } catch (error) {
        const where = `seed ${seed}, operation ${index} (${op.kind} ${op.path}), ${loss}`;
        const kept = keepsFailure ? `; the image is in ${keep(image, root)}` : '';
        throw new Error(`power lost at ${where}: recovery fails${kept}`, { cause: error });
      }
      if (starts) started++;
      counts.set(loss, (counts.get(loss) ?? 0) + 1);
      if (done % 1_000 === 0) onProgress?.(done);
      await pause(); // A signal is heard.
    }
  }
  const snapshots = ops.filter(isSnapshot(root)).length;
  return { operations: ops.length, snapshots, acknowledged, images: counts, aheadOfMark, started };
}

/** A snapshot gets its name by the last operation of its writing. */
const isSnapshot =
  (root: string) =>
  ({ kind, path }: DiskOp): boolean =>
    kind === 'rename' && path.startsWith(join(root, 'snapshots'));

function keep(image: ReadonlyMap<string, Buffer | null>, root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tote-power-failed-'));
  writeImage(image, root, folder);
  return folder;
}

/** 0 if the operation writes no mark. Replies go out after it. */
function markOf(op: DiskOp, root: string): number {
  if (op.kind !== 'write' || op.path !== markPath(root)) return 0;
  return Number(MARK_FORM.exec(op.bytes.toString('latin1'))?.[1] ?? 0);
}

const digestsOf = (root: string): Digests =>
  new Map(readAll(openDataDir(root)).map(({ lastSeq, digest }) => [lastSeq, digest]));
