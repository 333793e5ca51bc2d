/** The file of operator tokens, and its mistakes, each told with its line. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import {
  addOperatorToken,
  openOperatorTokens,
  readOperatorTokens,
  removeOperatorToken,
} from '../../../persistence/data-dir/operator-tokens.js';
import { temporaryDir } from '../support/journal-files.js';

const SHA = 'ab'.repeat(32);
const AT = '2026-11-22T12:00:00.000Z';
const lineOf = (fields: object): string =>
  JSON.stringify({ name: 'ann', role: 'read', sha256: SHA, createdAt: AT, ...fields });

test('a made token is in the file as its digest only, closed to other users; comments stay when it is revoked', (t) => {
  const path = join(temporaryDir(t), 'tokens');
  writeFileSync(path, '# who looks after what\n', { mode: 0o600 });
  const secret = addOperatorToken(path, 'ann', 'support', AT);
  const other = addOperatorToken(path, 'bob@desk', 'read', AT);
  assert.match(secret, /^toteop_[A-Za-z0-9_-]{43}$/);
  assert.notEqual(secret, other);
  const text = readFileSync(path, 'utf8');
  assert.ok(!text.includes(secret) && !text.includes(secret.slice(7)));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const found = readOperatorTokens(path, true).map(({ name, role }) => `${name}: ${role}`);
  assert.deepEqual(found, ['ann: support', 'bob@desk: read']);
  const add = (): string => addOperatorToken(path, 'ann', 'admin', AT);
  assert.throws(add, /There is a token with the name ann already/);
  removeOperatorToken(path, 'ann');
  assert.throws(() => removeOperatorToken(path, 'ann'), /There is no token with the name ann/);
  assert.match(readFileSync(path, 'utf8'), /^# who looks after what\n\{"name":"bob@desk".*\}\n$/);
  const lines = Array.from({ length: 1_000 }, (_, n) =>
    lineOf({ name: `n${n}`, sha256: `${n + SHA}`.slice(0, 64) }),
  );
  writeFileSync(path, lines.join('\n'));
  assert.throws(add, /has 1000 tokens, and no more are taken/);
});

test('each mistake is told with its line, and never with a value', (t) => {
  const path = join(temporaryDir(t), 'tokens');
  const secret = `toteop_${'x'.repeat(43)}`;
  const cases: readonly (readonly [line: string, told: RegExp])[] = [
    [lineOf({ name: 'operator' }), /line 2: "operator" is the name of the token that every server has/],
    [lineOf({ name: 'eve' }), /line 2: its name or digest stands on an earlier line/],
    [lineOf({ sha256: 'cd'.repeat(32) }), /line 2: its name or digest stands on an earlier line/],
    ...[
      ...[secret, '[]', lineOf({ name: 'a b' }), lineOf({ role: 'root' }), lineOf({ role: 1 })],
      ...[lineOf({ sha256: secret }), lineOf({ sha256: undefined }), lineOf({ rol: 'admin' })],
      lineOf({ createdAt: 'yesterday' }),
    ].map((line) => [line, /line 2: must be \{"name": 1 to 64 letters/] as const),
  ];
  for (const [line, told] of cases) {
    writeFileSync(path, `${lineOf({ name: 'eve', sha256: 'cd'.repeat(32) })}\n${line}\n`, { mode: 0o600 });
    assert.throws(
      () => readOperatorTokens(path, true),
      (thrown) => {
        assert.ok(thrown instanceof Error);
        assert.match(thrown.message, told);
        assert.ok(!thrown.message.includes(secret), thrown.message);
        return true;
      },
    );
  }
  writeFileSync(path, 'no\n'.repeat(12), { mode: 0o600 });
  assert.throws(() => readOperatorTokens(path, true), /line 1: .*line 10: .*; and 2 more\.$/);
});

test('a file that others may write is refused, and so is a missing one that was asked for', (t) => {
  const dir = openDataDir(join(temporaryDir(t), 'data'));
  const lacking = /operator-token is missing. Put it back; only a start makes a new one\.$/;
  assert.throws(() => openOperatorTokens({ dir, token: null, file: null }, false), lacking);
  const [first, ...none] = openOperatorTokens({ dir, token: null, file: null });
  assert.deepEqual([first?.name, first?.role, none.length], ['operator', 'admin', 0]);
  const file = join(dir.root, 'elsewhere');
  assert.throws(() => openOperatorTokens({ dir, token: null, file }), /elsewhere: is missing\.$/);
  writeFileSync(file, `${lineOf({})}\n`);
  chmodSync(file, 0o620);
  assert.throws(() => openOperatorTokens({ dir, token: null, file }), /may be written by other users/);
  chmodSync(file, 0o644);
  assert.equal(openOperatorTokens({ dir, token: null, file }).length, 2);
});
