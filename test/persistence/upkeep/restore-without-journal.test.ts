/** `tote restore` of a directory without its journal: a report of the loss behind the newest good snapshot. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { readArchiveProgress } from '../../../persistence/archive/file.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { readMarkFile } from '../../../persistence/journal/mark.js';
import { readAbsent } from '../../../persistence/journal/segment/absent.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { tote, toteErrors, toteText } from '../../support/processes/cli.js';
import { flipSnapshot } from '../support/damages.js';
import { temporaryDir } from '../support/journal-files.js';
import type { MadeDir } from '../support/made-dir.js';
import { makeFor } from '../support/operator-dir.js';

function withoutJournal(t: TestContext, hasMark: boolean): MadeDir {
  const made = makeFor(t);
  const mark = readFileSync(made.dir.markFile);
  rmSync(made.dir.journal, { recursive: true });
  if (hasMark) {
    mkdirSync(made.dir.journal, { mode: 0o700 });
    writeFileSync(made.dir.markFile, mark);
  }
  return made;
}

const newestSeq = ({ dir }: MadeDir): number => must(new SnapshotFiles(dir.snapshots).list()[0], 'one').seq;

test('the newest snapshot is the new beginning, and the loss after it is reported', async (t) => {
  const made = withoutJournal(t, true);
  const seq = newestSeq(made);
  const out = join(temporaryDir(t), 'restored');
  const told = await toteText(['restore', made.dir.root, '--out', out], 1);
  const { lastSeq } = must(readMarkFile(made.dir.markFile), 'mark');
  assert.match(told, new RegExp(`${seq + 1} to ${lastSeq} are lost, the last of them of about 20`));
  assert.match(told, /given again/);
  const restored = dataDirLayout(out);
  assert.deepEqual([readArchiveProgress(restored)?.seq, readAbsent(restored)], [seq, seq]);
});

test('without a mark only the archive shows what is lost; without it, it is unknown', async (t) => {
  const made = withoutJournal(t, false);
  const archivedSeq = must(readArchiveProgress(made.dir), 'archive').seq;
  const folder = temporaryDir(t);
  const known = await toteText(['restore', made.dir.root, '--out', join(folder, 'known')], 1);
  assert.match(known, new RegExp(`${newestSeq(made) + 1} to ${archivedSeq} are lost`));
  rmSync(made.dir.archive, { recursive: true });
  const unknown = await toteText(['restore', made.dir.root, '--out', join(folder, 'unknown')], 1);
  assert.match(unknown, /The source has no mark: nothing says whether/);
  assert.match(unknown, /The archive begins after \d+/);
});

test('a damaged snapshot is passed over; without a good one nothing is created', async (t) => {
  const made = withoutJournal(t, true);
  flipSnapshot(0)(made);
  const out = join(temporaryDir(t), 'restored');
  assert.match(await toteText(['restore', made.dir.root, '--out', out], 1), /was passed over: .*damaged/);
  for (const index of [1, 2]) flipSnapshot(index)(made);
  assert.match((await tote(['restore', made.dir.root, '--out', `${out}-2`])).stderr, /no snapshot is good/);
  assert.equal(existsSync(`${out}-2`), false);
});

test('every other command says what is missing, and what to do', async (t) => {
  const made = withoutJournal(t, false);
  for (const command of ['status', 'verify']) {
    const told = await toteErrors([command, made.dir.root], 1);
    assert.match(told, /no journal in .* npx tote restore .* --out NEW_DIR/);
  }
  assert.equal(existsSync(made.dir.journal), false);
});
