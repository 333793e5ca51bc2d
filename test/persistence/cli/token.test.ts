/** `tote token` and `tote tokens`: a token is shown once, and its rights stand in the file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { tote, toteErrors, toteProcess } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';

test('a token is made, listed and revoked; only the first shows it', async (t) => {
  const dir = openDataDir(join(temporaryDir(t), 'data'));
  const made = await tote(['token', 'ann', '--role', 'support', dir.root]);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^toteop_[A-Za-z0-9_-]{43}\n$/, 'nothing else is on stdout, for a script');
  const told = /^ann has the role support in .*operator-tokens\.\nThe server reads it when it starts\.\n$/;
  assert.match(made.stderr, told);
  const listed = await tote(['tokens', dir.root]);
  assert.match(listed.stdout, /^ann +support +2\d{3}-/m);
  assert.equal((await tote(['token', 'ann', '--role', 'admin', dir.root])).code, 3);
  const revoked = await tote(['token', 'ann', '--revoke', dir.root]);
  assert.equal(revoked.code, 0, revoked.stderr);
  assert.equal(readFileSync(dir.operatorTokensFile, 'utf8'), '');
  assert.equal((await tote(['token', 'ann', '--revoke', dir.root])).code, 1);
  for (const { stdout, stderr } of [listed, revoked])
    assert.ok(!`${stdout}${stderr}`.includes(made.stdout.trim()));
});

test('it says how a running server learns of it, and takes the file of the environment', async (t) => {
  const dir = openDataDir(join(temporaryDir(t), 'data'));
  const file = join(dir.root, 'elsewhere');
  const env = { TOTE_OPERATOR_TOKENS_FILE: file };
  const lock = lockDataDir(dir);
  const made = await toteProcess(['token', 'bob', '--role', 'read', dir.root], { env });
  lock.release();
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, new RegExp(`kill -HUP ${process.pid}\n`));
  const others = ['cid', 'dan', 'eve'].map((name) => ['token', name, '--role', 'read', dir.root]);
  await Promise.all(others.map((args) => toteProcess(args, { env })));
  assert.match(readFileSync(file, 'utf8'), /"name":"bob","role":"read"/);
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 5, 'made at the same time, none is lost');
});

test('a name or role that cannot be is refused as a mistake on the command line', async (t) => {
  const { root } = openDataDir(join(temporaryDir(t), 'data'));
  const cases: readonly (readonly [args: readonly string[], told: RegExp])[] = [
    [['token', 'ann', root], /Say what it may do: --role read, support, admin/],
    [['token', 'ann', '--role', 'root', root], /Allowed choices are read, support, admin/],
    [['token', 'operator', '--role', 'read', root], /That is the name of the token that every server has/],
    [['token', 'a b', '--role', 'read', root], /Expected 1 to 64 letters/],
    [['token', 'ann', '--role', 'read', '--revoke', root], /cannot be used with/],
  ];
  for (const [args, told] of cases) assert.match(await toteErrors(args, 2), told);
});
