/**
 * What a newcomer sees: no warning from `npm install`, a build that says what it does, and command lines that place a
 * bet and show its result.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newDataDir, removeDataDir, Server } from './support/processes/server.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const made: string[] = [];
function folder(): string {
  const path = newDataDir();
  made.push(path);
  return path;
}
after(() => {
  for (const path of made) removeDataDir(path);
});

const sh = async (line: string): Promise<string> => (await promisify(execFile)('sh', ['-c', line])).stdout;

test('every package of the lock file supports this version of Node', () => {
  const cwd = folder();
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(project, name), join(cwd, name));
  const options = ['--package-lock-only', '--offline', '--engine-strict'];
  const { status, stderr } = spawnSync('npm', ['install', ...options], { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

/** The least that is bundled as the console's page is. */
function writePage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'main.tsx'), 'export const shown: number = 1;\n');
  const compilerOptions = { noEmit: true, types: [], lib: ['ES2023'], skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['main.tsx'] }));
}

/** A project of one file that is built as this one is. */
function smallProject(): string {
  const cwd = folder();
  for (const name of ['build.mjs', 'package.json']) copyFileSync(join(project, name), join(cwd, name));
  for (const name of ['engine', 'http', 'persistence', 'client', 'bench', 'test']) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, 'main.ts'), 'export const built: number = 1;\n');
  writeFileSync(join(cwd, 'keeping.ts'), 'export {};\n');
  writePage(join(cwd, 'http', 'console', 'page'));
  const compilerOptions = {
    module: 'NodeNext',
    rootDir: '.',
    types: [],
    lib: ['ES2023'],
    skipLibCheck: true,
  };
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

test('the printed lines bet on the round that ends first with a minute of betting left, and show the result', async () => {
  const cases = [
    { atMs: 0, market: 'BTC_FIVE_MINUTES', endsMs: 300_000 },
    { atMs: 205_000, market: 'BTC_FIVE_MINUTES', endsMs: 300_000 },
    { atMs: 205_001, market: 'BTC_FIFTEEN_MINUTES', endsMs: 900_000 },
  ];
  for (const { atMs, market, endsMs } of cases) {
    const server = await Server.start({ dataDir: folder(), env: { TOTE_DEMO: '1' } });
    const startMs = (await server.toNextDay()) - 1_000;
    if (atMs > 0) await server.advance(atMs - 1_000);
    await server.push({ BTC: 100 });
    const [text, line = '', end = '', look = ''] = await server.run.sees(
      /^(curl .*)\n\nThe round ends at (\S+)\. .*:\n {2}(curl .*)\n/m,
    );
    assert.equal(end, new Date(startMs + endsMs).toISOString(), text);
    assert.match(await sh(line), new RegExp(`"marketId":"${market}".*"status":"ACTIVE"`), line);
    assert.match(await sh(look), /"status":"ACTIVE","result":null/);
    await server.advance(startMs + endsMs - 1 - (await server.nowMs()));
    await server.push({ BTC: 101 });
    await server.advance(3_000);
    assert.match(await sh(look), /"status":"SETTLED","result":"WIN"/);
    await server.stop();
  }
});
