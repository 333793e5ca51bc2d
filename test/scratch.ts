/**
 * Where a run's tests keep their files: in memory, where there is room. They start hundreds of servers and commands, each
 * of which waits for its disk many times over, and what those waits prove has tests of its own, on a disk
 * (`newDiskDir`).
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const NAME = /^tote-test-run-(\d+)$/;
/** Servers stop taking orders where little space is free, and what the tests of a run need stays far below this. */
const FREE_BYTES_MIN = 8 * 1024 ** 3;

/**
 * From here on the temporary folder of this process and of those that it starts is one in memory, which goes when this
 * process ends. Where `TMPDIR` is set, or there is no such memory, everything stays as it is.
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
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

/** Memory is not given back by itself: removes what runs that were killed have left. */
function removeOrphans(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
