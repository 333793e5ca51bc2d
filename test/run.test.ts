/** A test file that never came to its tests fails the run. */
import { deepEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newFolder } from './support/new-folder.js';

const FINE = "import { test } from 'node:test';\ntest('fine', () => {});\n";
const FILES = {
  'fine.test.js': FINE,
  'throws.test.js': `${FINE}throw new Error('at load');`,
  'no-module.test.js': "import './nowhere.js';",
  'no-test.test.js': 'export {};',
  'exits.test.js': `${FINE}process.exit(0);`,
  'stays.test.js': `${FINE}setInterval(() => {}, 1_000);`,
  'leaves.test.js': `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const { pid } = spawn('sleep', ['900'], { stdio: ['ignore', 'ignore', 'inherit'] }).on('spawn', function () { this.unref(); });
writeFileSync(new URL('left', import.meta.url), String(pid));
${FINE}`,
};

test('a run fails with a file that cannot be loaded, has no test or ends its process, and names it', async () => {
  const home = newFolder();
  // The runner keeps the times of its files two folders up.
  const folder = join(home, 'dist', 'test');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = (...parts: string[]) =>
    new Promise<[code: unknown, failed: string[]]>((resolve) => {
      const args = [fileURLToPath(new URL('run.js', import.meta.url)), '--folder', folder, ...parts];
      execFile(process.execPath, args, { env }, (error, stdout) =>
        resolve([error?.code ?? 0, /^# failed (.*)$/m.exec(stdout)?.[1]?.split(' ').sort() ?? []]),
      );
    });
  deepEqual(await run('fine'), [0, []]);
  deepEqual(await run('fine', 'throws', 'no-'), [
    1,
    ['no-module.test.js', 'no-test.test.js', 'throws.test.js'],
  ]);
  deepEqual(await run('exits'), [1, ['exits.test.js']]);
  deepEqual(await run('fine', 'stays'), [0, []], 'a file that keeps its process up does not, either');
  deepEqual(await run('leaves'), [0, []], 'a process that a file leaves behind does not keep the run up');
  process.kill(Number(readFileSync(join(folder, 'left'), 'utf8')));
  deepEqual(await run('no-', '--seconds', '0'), [0, []]);
});
