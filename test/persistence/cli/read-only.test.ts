/**
 * A directory on a read-only medium, such as a mounted backup or a volume's snapshot. File modes do not stop root, so a real
 * read-only mount is used; without permission for one the test is skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tote } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir } from '../support/operator-dir.js';

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

test('on a read-only medium commands say to copy the directory', async (t) => {
  const { dir } = makeOperatorDir(join(temporaryDir(t), 'data'));
  const readOnly = mountReadOnly(t, dir.root);
  if (readOnly === null) return;
  for (const command of ['verify', 'status', 'replay']) {
    const { code, stdout, stderr } = await tote([command, readOnly]);
    assert.notEqual(code, 0);
    assert.match(
      stdout + stderr,
      /cannot be read here: .*Copy the data directory to where this user may write/,
    );
  }
});
