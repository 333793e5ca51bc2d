/** The environment of a run, without which its figures mean nothing to anyone else. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt } from '../../engine/base/attempt.js';
import { uwsVersion } from '../../http/uws/library.js';
import type { Cores } from './cores.js';

export interface Environment {
  readonly takenAt: string;
  readonly cpu: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly loadAverage: number;
  readonly versions: Readonly<Record<string, string | null>>;
  /** With a note if the sources were changed since. */
  readonly commit: string | null;
  readonly disk?: {
    readonly cores: Cores;
    /** fsync means little on a file system in memory. */
    readonly dataDir: string;
    readonly fileSystem: string;
    readonly device: string;
    readonly durability: string;
  };
}

/** In the checkout that this program was built in, wherever it was started. */
const OWN_FOLDER = dirname(fileURLToPath(import.meta.url));

export const environment = (): Environment => ({
  takenAt: new Date().toISOString(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cpuCount: cpus().length,
  memoryBytes: totalmem(),
  kernel: `${process.platform} ${release()} ${process.arch}`,
  loadAverage: loadavg()[0] ?? 0,
  versions: {
    node: process.versions.node,
    v8: process.versions.v8,
    'uWebSockets.js': uwsVersion,
    'redis-server': firstLine('redis-server', ['--version']),
    wrk: firstLine('wrk', ['-v']),
  },
  commit: commitOf(OWN_FOLDER),
});

export const ownEnvironment = (dataDir: string, durability: string, cores: Cores): Required<Environment> => ({
  ...environment(),
  disk: { cores, dataDir: resolve(dataDir), ...mountOf(dataDir), durability },
});

function mountOf(path: string): { fileSystem: string; device: string } {
  const real = attempt(() => realpathSync(path), path);
  const mounts = attempt(() => readFileSync('/proc/mounts', 'utf8'), '')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point]) => point !== undefined && isInside(real, point))
    .sort(([, a], [, b]) => (a ?? '').length - (b ?? '').length);
  const [device = 'unknown', , fileSystem = 'unknown'] = mounts.at(-1) ?? [];
  return { fileSystem, device };
}

const isInside = (path: string, point: string): boolean =>
  point === '/' || path === point || path.startsWith(`${point}/`);

function firstLine(command: string, args: readonly string[]): string | null {
  try {
    const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return output.split('\n')[0] ?? null;
  } catch (error) {
    // `wrk -v` prints its version and fails.
    const output = error instanceof Error ? String(Reflect.get(error, 'stdout') ?? '') : '';
    return output === '' ? null : (output.split('\n')[0] ?? basename(command));
  }
}

/** The commit of the checkout that `cwd` is in. */
export function commitOf(cwd: string): string | null {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const isChanged = (): boolean => git('status', '--porcelain', '--untracked-files=no') !== '';
  return attempt(() => git('rev-parse', '--short', 'HEAD') + (isChanged() ? ' and changes' : ''), null);
}
