/**
 * A run's tests keep their files in memory, where there is room. They start hundreds of servers and commands, each of
 * which waits for its disk many times over; other tests prove the value of those waits, on a disk (`newDiskDir`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = /^tote-test-run-(\d+)$/;
const STAYING: readonly unknown[] = ['EBUSY', 'EACCES', 'EPERM'];
/** Servers stop taking orders where little space is free; the tests of a run need far less. */
const FREE_BYTES_MIN = 8 * 1024 ** 3;

/**
 * From here on the temporary folder of this process and its children is in memory, and goes when this process ends.
 * Nothing changes if `TMPDIR` is set, or there is no such memory.
 */
export function useScratchInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return;
  removeOrphans();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < FREE_BYTES_MIN) return;
  const folder = join(MEMORY, `tote-test-run-${process.pid}`);
  mkdirSync(folder);
  process.env['TEST_DISK_FOLDER'] = tmpdir();
  process.env['TMPDIR'] = folder;
  process.once('exit', () => remove(folder));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

/** Runs that were killed have left their files, which hold memory. */
function removeOrphans(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    remove(join(MEMORY, name));
  }
}

/** A killed run may have left a mount, or be another user's: these stay. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (thrown) {
    if (!STAYING.includes((thrown as NodeJS.ErrnoException).code)) throw thrown;
  }
}
