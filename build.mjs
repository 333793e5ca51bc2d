// Compiles the project into dist/ with typia's transform. `--if-stale` returns at once when the last
// build is newer than every source, so that `npm start` costs nothing on a second start.
//
// The new build takes the place of the old one only when it is whole: two builds at once do not disturb each
// other, and a mistake in a source leaves the command line that an operator may need just then.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const stampFile = join(dist, '.built');
const sources = [
  'main.ts',
  'engine',
  'http',
  'persistence',
  'bench',
  'test',
  'tsconfig.json',
  'package.json',
];

function newestMtimeMs(path) {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestMtimeMs(join(path, name))),
    info.mtimeMs,
  );
}

function isStale() {
  if (!existsSync(stampFile)) return true;
  const builtMs = statSync(stampFile).mtimeMs;
  return sources.some((source) => newestMtimeMs(join(root, source)) > builtMs);
}

if (process.argv.includes('--if-stale') && !isStale()) process.exit(0);
// Into an empty folder: a deleted source must not live on as a compiled file, since tests are found in dist/.
const next = join(root, `.build-next-${process.pid}`);
const old = join(root, `.build-old-${process.pid}`);
const compiler = join(root, 'node_modules', 'ts-patch', 'bin', 'tspc.js');
const options = ['--project', root, '--outDir', next];
const { status } = spawnSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
if (status !== 0) {
  rmSync(next, { recursive: true, force: true });
  process.exit(status ?? 1);
}
writeFileSync(join(next, '.built'), '');
if (existsSync(dist)) renameSync(dist, old);
renameSync(next, dist);
rmSync(old, { recursive: true, force: true });
