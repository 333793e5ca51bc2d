/**
 * A directory on a read-only medium, such as a mounted backup or a volume's snapshot: every command that only reads
 * works on it, with the same output. File modes do not stop root, so a real read-only mount is used; without
 * permission for one the test is skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { tote } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';
import { leaveWal, makeOperatorDir } from '../support/operator-dir.js';

const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;

/** Where `from` is mounted, read-only, until the test's end; null where this may not be done. */
function mountReadOnly(t: TestContext, from: string): string | null {
  const place = mkdtempSync(join(tmpdir(), 'tote-read-only-'));
  t.after(() => {
    spawnSync('umount', [place]);
    rmdirSync(place);
  });
  const isMounted = mount('--bind', from, place) && mount('-o', 'remount,ro,bind', place);
  if (!isMounted) t.skip('left out: no read-only mount may be made here');
  return isMounted ? place : null;
}

const READING: readonly (readonly string[])[] = [
  ['verify'],
  ['status'],
  ['account', 'acc_1'],
  ['bet', 'bet_1'],
  ['export', '--what', 'bets'],
  ['replay'],
  ['prune', '--dry-run', '--keep', '1d'],
];

/** Paths, the files' times, free space and durations in the output differ from run to run. */
const told = (stdout: string, root: string): string =>
  stdout.replaceAll(root, 'ROOT').replace(/^.*(free|time {2,}|, the last at).*$/gm, '');

test('after a clean stop commands give the same output on a read-only directory', async (t) => {
  const folder = temporaryDir(t);
  const { dir, engine } = makeOperatorDir(join(folder, 'data'));
  lockDataDir(dir).release();
  // Reading where files can be made leaves side files, with which SQLite reads a read-only directory, too.
  const elsewhere = join(folder, 'elsewhere');
  cpSync(dir.root, elsewhere, { recursive: true });
  const readOnly = mountReadOnly(t, dir.root);
  if (readOnly === null) return;
  assert.throws(() => writeFileSync(join(readOnly, 'x'), ''), { code: 'EROFS' });
  for (const args of READING) {
    const there = await tote([...args, readOnly]);
    assert.equal(there.code, 0, `${args.join(' ')}: ${there.stdout}${there.stderr}`);
    const here = await tote([...args, elsewhere]);
    assert.equal(told(there.stdout, readOnly), told(here.stdout, elsewhere), args.join(' '));
  }
  assert.deepEqual(readdirSync(dir.archive), ['archive.db']);
  const copy = join(folder, 'copy');
  for (const args of [
    ['backup', copy, readOnly],
    ['restore', '--out', join(folder, 'restored'), readOnly],
  ]) {
    const ran = await tote(args);
    assert.equal(ran.code, 0, `${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
  }
  const verified = await tote(['verify', copy, '--json']);
  assert.equal((JSON.parse(verified.stdout) as { lastSeq: number }).lastSeq, engine.seq);
});

test('after an unclean stop commands say what to do with a read-only directory', async (t) => {
  const { dir } = makeOperatorDir(join(temporaryDir(t), 'data'));
  leaveWal(findSegments(dir.journal).at(-1) ?? '');
  const readOnly = mountReadOnly(t, dir.root);
  if (readOnly === null) return;
  const { code, stdout, stderr } = await tote(['verify', readOnly]);
  assert.notEqual(code, 0);
  assert.match(
    stdout + stderr,
    /cannot be read here: .*Copy the data directory to where this user may write/,
  );
});
