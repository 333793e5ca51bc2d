/**
 * The folder that a backup is fetched into. It holds the master secret and may be large, so it does not outlive the command, however
 * that ends. While files are copied a signal cannot be handled here: a small process waits for this one's end and removes the
 * folder then. What a power failure leaves, the next command for the same directory removes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../errors.js';

export interface FetchedFolder {
  readonly folder: string;
  remove(): void;
}

/** Its input ends when this process does. Signals to all processes of a terminal or a unit are not for it. */
const REMOVE_AT_END = `
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.stdin.resume().on('end', () => {
  require('node:fs').rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});`;

/** Beside `path`, on the same disk. */
export function makeFetchedFolder(path: string): FetchedFolder {
  mkdirSync(dirname(path), { recursive: true });
  const common = `${path}.fetched-`;
  removeLeft(common);
  const folder = mkdtempSync(`${common}${process.pid}-`);
  const remover = spawn(process.execPath, ['--eval', REMOVE_AT_END, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it an interrupted command leaves the folder, which the next one removes.
  remover.on('error', () => undefined);
  remover.stdin.on('error', () => undefined);
  remover.unref();
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      remover.stdin.end();
    },
  };
}

/** The name has the number of the process that fetched. */
function removeLeft(common: string): void {
  const parent = dirname(common);
  const start = basename(common);
  for (const name of readdirSync(parent)) {
    const [, pid] = /^(\d+)-/.exec(name.startsWith(start) ? name.slice(start.length) : '') ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH';
  }
}
