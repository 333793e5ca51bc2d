/** The AsyncAPI document: it is served and well-formed, and the guide's examples are what it describes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StreamDocument } from '../../support/api/stream-document.js';
import { readDocument } from '../../support/document.js';
import { Harness } from '../api/harness.js';

const described = new StreamDocument();

test('it is served below both bases, without a key', () => {
  const api = new Harness();
  for (const base of ['/v1', '/api/v1']) {
    const { status, text } = api.get(`${base}/asyncapi.json`, '');
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), described.document);
  }
});

test('it lints clean under the strict rules of a public linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tote-asyncapi-'));
  const file = join(folder, 'asyncapi.json');
  writeFileSync(file, JSON.stringify(described.document));
  const require = createRequire(import.meta.url);
  const packageFile = require.resolve('@redocly/cli/package.json');
  const { bin } = require(packageFile) as { bin: Record<string, string> };
  const command = join(dirname(packageFile), bin['redocly'] ?? '');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, 'lint', '--extends', 'recommended-strict', file],
    {
      cwd: dirname(fileURLToPath(import.meta.url)),
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
    },
  );
  rmSync(folder, { recursive: true });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
});

test("every message of the guide is as described, and every kind of message is in the guide's examples", () => {
  const guide = readDocument('docs/stream.md');
  const seen = new Set<string>();
  for (const [, block = ''] of guide.matchAll(/```json\n(.*?)```/gs)) {
    for (const line of block.trim().split('\n')) {
      const message = JSON.parse(line) as { readonly type: string; readonly op: string };
      if (message.op === undefined) described.checkSent(message);
      else described.checkTaken(message);
      seen.add(message.op ?? message.type);
    }
  }
  const kinds = [...described.sent.keys(), ...described.taken.keys()];
  const inText = ['unsubscribe', 'unsubscribed', 'ping', 'pong'];
  assert.deepEqual([...seen, ...inText].toSorted(), [...new Set(kinds)].toSorted());
});
