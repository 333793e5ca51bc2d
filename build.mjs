// Compiles the project into dist/ with typia's transform. `--if-stale` returns at once when the last
// build is newer than every source, so that `npm start` costs nothing on a second start.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const stampFile = join(root, 'dist', '.built');
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
// A deleted source must not live on as a compiled file: tests are found in dist/.
rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'ts-patch', 'bin', 'tspc.js');
const { status } = spawnSync(process.execPath, [compiler, '--project', root], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
writeFileSync(stampFile, '');
