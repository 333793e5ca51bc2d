/**
 * A server killed while it seals a segment leaves a rollback journal. The first one who opens the segment has SQLite
 * apply it, and sees the journal without the seal.
 */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { rollbackPath } from '../../../persistence/data-dir/files.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { Segment } from '../../../persistence/journal/segment/segment.js';
import { toteJson, toteText } from '../../support/processes/cli.js';
import { crashImage, refusal, segmentAt, temporaryDir } from '../support/journal-files.js';
import { leaveHalfSeal, makeOperatorDir } from '../support/operator-dir.js';

const openSegment = (dir: DataDir): string => segmentAt(dir, -1);

function makeBoth(t: TestContext): { readonly good: DataDir; readonly half: DataDir } {
  const root = temporaryDir(t);
  const { dir: good } = makeOperatorDir(join(root, 'good'));
  const half = crashImage(good, join(root, 'half'));
  leaveHalfSeal(openSegment(half));
  return { good, half };
}

/** The command must end well. Differences that are no matter are taken out. */
async function toldOf(command: string, { root }: DataDir): Promise<string> {
  return (await toteText([...command.split(' '), root])).replaceAll(root, 'DATA_DIR');
}

test('every command sees the journal as without the half-written seal', async (t) => {
  const { good, half } = makeBoth(t);
  assert.throws(() => new Database(openSegment(half), { readonly: true }).pragma('user_version'), {
    code: 'SQLITE_READONLY_ROLLBACK',
  });
  const commands = 'verify, bet bet_3, account acc_1, replay, replay --explain, export --what ledger';
  for (const command of commands.split(', ')) {
    leaveHalfSeal(openSegment(half));
    const [expected, actual] = await Promise.all([toldOf(command, good), toldOf(command, half)]);
    assert.equal(actual, expected, command);
  }
  const statusOf = async ({ root }: DataDir): Promise<unknown> => {
    const told = await toteJson<Record<string, unknown>>(['status', root]);
    return 'sequence, acknowledged, archive, snapshotBytes, faults'.split(', ').map((name) => told[name]);
  };
  assert.deepEqual(await statusOf(half), await statusOf(good));
});

test('a reader waits for a seal in progress, or sees the state before it', (t) => {
  const { good } = makeBoth(t);
  const path = openSegment(good);
  const sealing = new Database(path);
  sealing.pragma('journal_mode = DELETE');
  sealing.exec("BEGIN IMMEDIATE; INSERT INTO seal VALUES (1, 'x', 'x', 'x')");
  copyFileSync(rollbackPath(path), join(temporaryDir(t), 'there')); // throws where there is none
  const reader = Segment.open(path, 'read');
  assert.deepEqual(reader.seal, null);
  reader.close();
  sealing.exec('ROLLBACK');
  sealing.pragma('locking_mode = EXCLUSIVE');
  sealing.exec("BEGIN EXCLUSIVE; INSERT INTO seal VALUES (1, 'x', 'x', 'x')");
  assert.throws(() => Segment.open(path, 'read'), refusal('data_dir_locked', /held by another program/));
  sealing.exec('ROLLBACK');
  sealing.close();
});
