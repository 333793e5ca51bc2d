/** The journal's thread: acknowledgements in order, a clean end, and no success after the first error. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { Batch, JournalWriterEvents, SpaceLevel } from '../../../engine/model/ports.js';
import { fileBytes, walPath } from '../../../persistence/data-dir/files.js';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { JournalError } from '../../../persistence/errors.js';
import { readMarkFile } from '../../../persistence/journal/mark.js';
import type { JournalThreadOptions } from '../../../persistence/journal/messages.js';
import { JournalThread, startJournalThread } from '../../../persistence/journal/thread.js';
import { askUntil } from '../../support/ask-until.js';
import { batchAt, batchesUpTo, onlySegment, recover, temporaryDir } from '../support/journal-files.js';

function openJournal(t: TestContext, options: Partial<JournalThreadOptions> = {}) {
  const dir = openDataDir(temporaryDir(t));
  const { lastSeq } = recover(dir);
  const started = startJournalThread();
  const ended = new Promise((resolve) => started.worker.once('exit', resolve));
  const thread = new JournalThread(started, { dir, durability: 'fsync', lastSeq, ...options });
  const acknowledged: number[] = [];
  const levels: SpaceLevel[] = [];
  const failures: Error[] = [];
  let waiting: ((lastSeq: number) => void) | null = null;
  let fail: (error: Error) => void = () => {};
  const failure = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const events: JournalWriterEvents = {
    onDurable(durableSeq) {
      acknowledged.push(durableSeq);
      must(waiting, 'a commit that waits')(durableSeq);
    },
    onFailure: (error) => {
      failures.push(error);
      fail(error);
    },
    onLost: ({ error }) => fail(error),
    onSpaceLevel: (level) => levels.push(level),
  };
  thread.open(events);
  const commit = (batch: Batch): Promise<number> =>
    new Promise((resolve, reject) => {
      waiting = resolve;
      failure.then(reject);
      thread.commit(batch);
    });
  return { dir, thread, acknowledged, levels, commit, failure, failures, ended };
}

test('commits are acknowledged in order, and a close leaves a clean journal', async (t) => {
  const { dir, thread, acknowledged, levels, commit } = openJournal(t);
  for (const batch of batchesUpTo(30)) assert.equal(await commit(batch), batch.lastSeq);
  assert.ok(thread.activeMs > 0);
  await thread.close();
  const ends = batchesUpTo(30).map(({ lastSeq }) => lastSeq);
  assert.deepEqual(acknowledged, ends);
  assert.deepEqual([levels.length, existsSync(walPath(onlySegment(dir)))], [1, false]);
  assert.equal(existsSync(dir.inUseFile), false);
  const { given, wasUnclean } = recover(dir);
  assert.deepEqual([wasUnclean, given], [false, batchesUpTo(30)]);
});

test('commits that come together share a sync: the last one is acknowledged, and all are in the journal', async (t) => {
  const { dir, thread, acknowledged, commit } = openJournal(t);
  const batches = batchesUpTo(30);
  // All are there before the thread looks at the first.
  for (const batch of batches.slice(0, -1)) thread.commit(batch);
  const last = must(batches.at(-1), 'the last batch');
  assert.equal(await commit(last), last.lastSeq);
  await thread.close();
  assert.deepEqual([acknowledged, readMarkFile(dir.markFile)?.lastSeq], [[last.lastSeq], last.lastSeq]);
  assert.deepEqual(recover(dir).given, batches);
});

test('a commit out of order or after the close, and a close too early or again, are programming errors', async (t) => {
  const { thread, commit } = openJournal(t);
  const first = commit(batchAt(0));
  assert.throws(() => thread.commit(batchAt(0)), /commits are in order/);
  assert.throws(() => thread.close(), /no commit may be in flight/);
  assert.equal(await first, 1);
  const closed = thread.close();
  assert.throws(() => thread.commit(batchAt(1)), /a journal that is closing takes no batch/);
  await closed;
  assert.throws(() => thread.close(), /a journal that is closed is not closed/);
});

test('a megabyte has a sync, an acknowledgement and a checkpoint of its own', async (t) => {
  const { dir, thread, acknowledged, commit } = openJournal(t);
  const commands = JSON.stringify(['x'.repeat(2 ** 20)]);
  const large = (seq: number): Batch => ({ ...batchAt(0), firstSeq: seq, lastSeq: seq, commands });
  thread.commit(large(1));
  assert.equal(await commit(large(2)), 1);
  assert.throws(() => thread.close(), /no commit may be in flight/);
  assert.equal(await commit(large(3)), 2);
  await askUntil(() => acknowledged.includes(3), Boolean);
  assert.ok(fileBytes(walPath(onlySegment(dir))) < 2 * commands.length);
  await thread.close();
});

test('a batch that cannot be written is a failure, told once, and nothing is acknowledged after it', async (t) => {
  const { dir, thread, acknowledged, commit, failure, failures, ended } = openJournal(t);
  await commit(batchAt(0));
  await assert.rejects(commit(batchAt(2)), /must follow 1/);
  assert.equal((await failure).name, 'AssertionError');
  thread.commit(batchAt(1));
  await assert.rejects(thread.close(), /must follow 1/);
  await ended;
  assert.deepEqual([acknowledged, failures], [[1], [await failure]]);
  assert.ok(existsSync(dir.inUseFile));
});

test('a close that fails rejects', async (t) => {
  const { dir, thread, commit } = openJournal(t);
  await commit(batchAt(0));
  rmSync(dir.journal, { recursive: true });
  await assert.rejects(thread.close(), { code: 'journal_lost' });
});

test('a journal that ends elsewhere than recovery found is a failure', async (t) => {
  assert.match((await openJournal(t, { lastSeq: 7 }).failure).message, /must end at 7, not 0/);
});

test('an error keeps its class, code and cause across threads', async (t) => {
  const dir = openDataDir(temporaryDir(t));
  recover(dir);
  const markFile = `${import.meta.dirname}/no-such-folder/mark`;
  const error = await openJournal(t, { dir: { ...dir, markFile } }).failure;
  assert.ok(error instanceof JournalError);
  assert.equal(error.code, 'mark_unreadable');
  assert.match(error.stack ?? '', /at new MarkFile/);
});

test('a thread that dies is a failure', async (t) => {
  const { failure, thread } = openJournal(t, { space: { softBytes: 1, reserveBytes: 2, hardBytes: 3 } });
  assert.match((await failure).message, /thresholds must not rise/);
  await assert.rejects(thread.close(), /thresholds must not rise/);
});

test('the level of free space is reported at the opening', async (t) => {
  const petabyte = 2 ** 50;
  const space = { softBytes: petabyte, reserveBytes: petabyte, hardBytes: petabyte };
  const { levels, commit, thread } = openJournal(t, { space });
  await commit(batchAt(0));
  assert.deepEqual(levels, ['hard']);
  await thread.close();
});
