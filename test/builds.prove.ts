/** `npm install` and builds as a newcomer sees them: no warning, and the effect of each. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newFolder } from './support/new-folder.js';

const project = fileURLToPath(new URL('../..', import.meta.url));

test('npm ci takes the lock file, of which every package supports this version of Node', () => {
  const cwd = newFolder();
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(project, name), join(cwd, name));
  const options = ['--offline', '--engine-strict', '--ignore-scripts'];
  for (const args of [
    ['install', '--package-lock-only'],
    ['ci', '--dry-run'],
  ]) {
    const { status, stderr } = spawnSync('npm', [...args, ...options], { cwd, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
});

const COMPILER = { types: [], lib: ['ES2023'], skipLibCheck: true };

function writePage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'main.tsx'), 'export const shown: number = 1;\n');
  for (const name of ['index.html', 'icon.svg']) writeFileSync(join(folder, name), '');
  const compilerOptions = { ...COMPILER, noEmit: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.tsx'] }));
}

function smallProject(): string {
  const cwd = newFolder();
  for (const name of ['build.mjs', 'package.json']) copyFileSync(join(project, name), join(cwd, name));
  writeFileSync(join(cwd, 'main.ts'), 'export const built: number = 1;\n');
  writePage(join(cwd, 'http', 'console', 'page'));
  const compilerOptions = { ...COMPILER, module: 'NodeNext', rootDir: '.' };
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.ts'] }));
  symlinkSync(join(project, 'node_modules'), join(cwd, 'node_modules'));
  return cwd;
}

test('a build says at once what it does, and then how long it took; an unneeded one says nothing', () => {
  const cwd = smallProject();
  const build = (): string => {
    const args = ['build.mjs', '--if-stale'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
    return stdout;
  };
  assert.match(build(), /^Building tote: .*\nBuilt in \d+\.\d s\.\n$/);
  assert.equal(build(), '');
  writeFileSync(join(cwd, 'main.ts'), 'export const built: number = "one";\n');
  const failed = spawnSync(process.execPath, ['build.mjs'], { cwd, encoding: 'utf8' });
  assert.notEqual(failed.status, 0);
  assert.match(failed.stdout, /^Building tote: .*\nmain\.ts.*TS2322/);
  assert.doesNotMatch(failed.stdout, /Built/);
});

test('a watching build compiles each change, says what to run, and leaves nothing for `npm start` to build', async (t) => {
  const cwd = smallProject();
  const watching = spawn(process.execPath, ['build.mjs', '--watch'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => watching.kill());
  let compilations = 0;
  for await (const line of createInterface({ input: watching.stdout })) {
    if (!line.startsWith('Run the server with `node dist/main.js`')) continue;
    compilations += 1;
    assert.match(readFileSync(join(cwd, 'dist', 'main.js'), 'utf8'), new RegExp(`built = ${compilations};`));
    if (compilations === 2) break;
    writeFileSync(join(cwd, 'main.ts'), 'export const built: number = 2;\n');
  }
  assert.equal(compilations, 2);
  const fresh = spawnSync(process.execPath, ['build.mjs', '--if-stale'], { cwd, encoding: 'utf8' });
  assert.deepEqual([fresh.status, fresh.stdout], [0, '']);
});
