/** The strict rules of a public linter for OpenAPI and AsyncAPI documents. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { must } from '../../../engine/base/assert.js';
import { newFile } from '../new-folder.js';

const require = createRequire(import.meta.url);

export function lintsClean(document: object, skippedRules: readonly string[] = []): void {
  const file = newFile(document);
  const packageFile = require.resolve('@redocly/cli/package.json');
  const { bin } = require(packageFile) as { bin: Record<string, string> };
  const command = join(dirname(packageFile), must(bin['redocly'], 'redocly'));
  const skips = skippedRules.flatMap((rule) => ['--skip-rule', rule]);
  const args = [command, 'lint', '--extends', 'recommended-strict', ...skips, file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: dirname(file),
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
}
