/** Runs the operators' `verify` on the files of a server that is not running. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const COMMAND_LINE = fileURLToPath(new URL('../../persistence/cli/main.js', import.meta.url));

export function checkFiles(dataDir: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND_LINE, 'verify', dataDir], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, `verify ${dataDir}: ${stdout}\n${stderr}`);
}
