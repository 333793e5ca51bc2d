/**
 * The shadow's real thread: it follows the journal, reports its state, pauses when the disk is nearly full, ends
 * when asked, and reports a divergence.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { orders, setUpCommands } from '../../../bench/engine/scenario.js';
import { must } from '../../../engine/base/assert.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { walPath } from '../../../persistence/data-dir/files.js';
import { absentPath } from '../../../persistence/journal/segment/absent.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import type { ShadowNews, ShadowOptions } from '../../../persistence/shadow/messages.js';
import { ShadowThread } from '../../../persistence/shadow/thread.js';
import { askUntil } from '../../support/ask-until.js';
import { alterDatabase, onlySegment, temporaryDir } from '../support/journal-files.js';
import { HotSide, shadowOptions } from '../support/shadow-files.js';

const ACCOUNTS = 20;
/** A thread that is terminated leaves half a file, for the next start to delete. */
const CLOSE_MS_MAX = 60_000;

function hotSide(t: TestContext, bets: number): HotSide {
  return new HotSide(temporaryDir(t), (print) => [
    ...setUpCommands(ACCOUNTS, 10_000, print),
    ...orders(0, bets, ACCOUNTS),
  ]);
}

function startThread(hot: HotSide, changes: Partial<ShadowOptions> = {}, ...msMax: (number | undefined)[]) {
  const diverged: Error[] = [];
  const notes: string[] = [];
  const news: ShadowNews[] = [];
  const events = {
    onDiverged: (error: Error) => diverged.push(error),
    onNote: (text: string) => notes.push(text),
    onNews: (told: ShadowNews) => news.push(told),
    onHead: () => undefined,
  };
  const [silentMsMax, closeMsMax = CLOSE_MS_MAX] = msMax;
  const thread = new ShadowThread(shadowOptions(hot.dir, changes), events, closeMsMax, silentMsMax);
  thread.begin();
  return { thread, diverged, notes, news };
}

const spoilRow = ({ dir }: HotSide, which: 'min' | 'max'): void =>
  alterDatabase(
    onlySegment(dir),
    `UPDATE batch SET commands = commands || ' ' WHERE last_seq = (SELECT ${which}(last_seq) FROM batch)`,
  );

const until = ({ thread }: { thread: ShadowThread }, holds: (status: ShadowThread['status']) => boolean) =>
  askUntil(() => thread.status, holds);

test('it follows the journal while it is written, makes a damaged archive whose folder is deleted anew, and closes all files at the end', async (t) => {
  const hot = hotSide(t, 2_000);
  const { port1, port2 } = new MessageChannel();
  const started = startThread(hot, { snapshotCommands: 300, reader: port1 });
  while (hot.left > 0) {
    if (hot.left > 800 && hot.left < 1_200) {
      for (const isDamage of [true, true, false]) port2.postMessage({ text: `is: ${isDamage}`, isDamage });
      await until(started, ({ reason }) => reason === 'is: true');
      rmSync(hot.dir.archive, { recursive: true });
    }
    hot.write(400, 20);
    const { seq } = hot.engine;
    const status = await until(
      started,
      ({ archiveSeq, state }) => archiveSeq === seq && state === 'following',
    );
    assert.deepEqual([status.appliedSeq, status.reason], [seq, null]);
    assert.ok(status.heapUsedBytes > 0 && status.freeBytes > status.recoveryNeedsBytes);
  }
  const { seq, bytes, tookMs } = must(started.thread.status.snapshot, 'a snapshot');
  assert.ok(seq > 300);
  assert.deepEqual(started.news.at(-1), { kind: 'snapshot', seq, bytes, tookMs });
  const denial = { operator: 'ann', role: 'read', route: 'r', times: 1 } as const;
  started.thread.keepRefusals({ seq, timeMs: 1, denials: [denial], guesses: null });
  await started.thread.close();
  hot.close();
  for (const path of findSegments(hot.dir.journal)) assert.ok(!existsSync(walPath(path)), 'no WAL is left');
  assert.ok(!existsSync(walPath(hot.dir.archiveFile)));
  const db = new Database(hot.dir.archiveFile, { readonly: true });
  assert.equal(db.prepare('SELECT count(*) FROM refusal').pluck().get(), 1, 'refusals that wait are kept');
  db.close();
  assert.deepEqual(started.diverged, []);
  assert.match(
    started.notes.join('|'),
    /^is: true\|is: false\|The archive .* was deleted .*\|The archive .* is missing: it is made anew as/,
  );
  assert.deepEqual(checkArchive(hot.dir.archiveFile).faults, []);
});

test('a thread that waits for a disk which hangs passes for failed, for well once it goes on, and holds up no stop', async (t) => {
  const hot = hotSide(t, 100);
  hot.write(hot.left, 10);
  // A pipe is opened for reading once someone writes to it.
  const pipe = absentPath(hot.dir);
  const absent = readFileSync(pipe);
  rmSync(pipe);
  spawnSync('mkfifo', [pipe]);
  const left = startThread(hot, {}, 1_000, 1);
  await until(left, ({ state }) => state === 'failed');
  await left.thread.close();
  assert.ok(left.thread.isRunning);
  writeFileSync(pipe, absent);
  const started = startThread(hot, {}, 1_000);
  const { reason } = await until(started, ({ state }) => state === 'failed');
  assert.match(reason ?? '', /told nothing for \d+ s: the disk .* may hang/);
  writeFileSync(pipe, absent);
  await until(started, ({ state }) => state === 'following');
  await started.thread.close();
  hot.close();
});

test('below the soft mark of free space it pauses and says why', async (t) => {
  const hot = hotSide(t, 100);
  hot.write(hot.left, 10);
  const endless = Number.MAX_SAFE_INTEGER;
  const started = startThread(hot, { space: { softBytes: endless, reserveBytes: 1, hardBytes: 1 } });
  const { reason } = await until(started, ({ state }) => state === 'paused');
  assert.match(reason ?? '', /too little disk space is free \(level soft\)/);
  assert.ok(!existsSync(hot.dir.archiveFile));
  await started.thread.close();
  hot.close();
});

test('a damaged row that it comes to is a fault of the journal as well, until it is mended', async (t) => {
  const hot = hotSide(t, 100);
  hot.write(hot.left, 20);
  hot.close();
  spoilRow(hot, 'max');
  const started = startThread(hot);
  const { oldRows, reason } = await until(started, ({ state }) => state === 'failed');
  assert.deepEqual([oldRows.faults, started.notes, started.diverged], [[reason], [reason], []]);
  alterDatabase(onlySegment(hot.dir), 'UPDATE batch SET commands = rtrim(commands)');
  const mended = await until(started, ({ state }) => state === 'following');
  assert.deepEqual([mended.oldRows.faults, mended.reason], [[], null]);
  await started.thread.close();
});

test('rows that a start skips are checked in the background, and faults are reported once', async (t) => {
  const hot = hotSide(t, 600);
  const first = startThread(hot, { snapshotCommands: 300 });
  hot.write(500, 20);
  await until(first, ({ archiveSeq, snapshot }) => archiveSeq === 500 && (snapshot?.seq ?? 0) >= 300);
  await first.thread.close();
  hot.close();
  spoilRow(hot, 'min');
  const second = startThread(hot, { snapshotCommands: 10_000 });
  const { oldRows, state } = await until(second, ({ oldRows: { isDone } }) => isDone);
  assert.equal(state, 'following');
  assert.deepEqual([oldRows.faults.length, oldRows.checkedSeq], [1, oldRows.endSeq]);
  assert.deepEqual(second.notes, oldRows.faults);
  assert.match(oldRows.faults.join(), /the row after sequence number \d+ is bad: its checksum/);
  writeFileSync(hot.dir.backupStamp, '');
  utimesSync(hot.dir.backupStamp, 0, 60);
  await until(second, ({ backupAtMs }) => backupAtMs === 60_000);
  await second.thread.close();
});
