/** `tote prune` while a server's retention records what it deletes: no entry of either is lost. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { absentPath, readAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../../persistence/journal/segment/names.js';
import { tote, toteProcess } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir } from '../support/operator-dir.js';

test('prune waits for another, gives up before it deletes anything, and works the next time', async (t) => {
  const { dir } = makeOperatorDir(join(temporaryDir(t), 'data'));
  const before = findSegments(dir.journal);
  const prune = ['prune', dir.root, '--keep', '1d', '--snapshots', '1'];
  const other = new Database(`${absentPath(dir)}.lock`);
  other.exec('BEGIN EXCLUSIVE');
  const meanwhile = await toteProcess(prune);
  other.close();
  assert.equal(meanwhile.code, 3);
  assert.match(
    meanwhile.stderr,
    /Another process deletes or copies files of .*nothing was changed\. Try again/,
  );
  assert.deepEqual([findSegments(dir.journal), readAbsent(dir)], [before, null]);

  assert.equal((await tote(prune)).code, 0);
  const lastSeq = firstSeqOf(findSegments(dir.journal)[0] ?? '') - 1;
  assert.ok(lastSeq > 0, 'a segment has gone');
  assert.equal(readAbsent(dir), lastSeq);
});
