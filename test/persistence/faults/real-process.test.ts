/** A real process killed or out of space: what it acknowledged is there, and its lock is released. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDataDir } from '../../../persistence/data-dir/layout.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { batchesUpTo, recover, refusal, temporaryDir } from '../support/journal-files.js';

const CHILD = fileURLToPath(new URL('../support/journal-child.js', import.meta.url));

/** Runs a command and hands its lines of output to `onLine`; resolves when it has ended. */
async function run(
  t: TestContext,
  command: readonly string[],
  onLine: (line: string, child: ChildProcess) => void,
): Promise<{ code: number | null; signal: string | null }> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) onLine(line, child);
  const [code, signal] = await exited;
  return { code, signal };
}

const durableIn = (line: string): number => Number(/^durable (\d+)$/.exec(line)?.[1] ?? 0);

test('a second process is refused while the first lives, and let in once it is killed', async (t) => {
  const root = temporaryDir(t);
  const dir = openDataDir(root);
  let refusals = 0;
  const { signal } = await run(t, [process.execPath, CHILD, 'lock', root], (line, child) => {
    assert.equal(line, 'locked');
    const sentence = new RegExp(`${root} is in use by the process ${child.pid}\\.`);
    assert.throws(() => lockDataDir(dir), refusal('data_dir_locked', sentence));
    refusals += 1;
    child.kill('SIGKILL');
  });
  assert.deepEqual([refusals, signal], [1, 'SIGKILL']);
  lockDataDir(dir).release();
});

test('a kill in the middle of writing loses no acknowledged batch, time after time', async (t) => {
  const root = temporaryDir(t);
  let durableSeq = 0;
  for (const acknowledgements of [1, 20, 100]) {
    let seen = 0;
    const { signal } = await run(t, [process.execPath, CHILD, 'write', root], (line, child) => {
      durableSeq = Math.max(durableSeq, durableIn(line));
      seen += 1;
      if (seen === acknowledgements) child.kill('SIGKILL');
    });
    assert.equal(signal, 'SIGKILL');
    const { given, lastSeq, wasUnclean } = recover(openDataDir(root));
    assert.ok(wasUnclean);
    assert.ok(lastSeq >= durableSeq, `${lastSeq} recovered, ${durableSeq} acknowledged`);
    assert.deepEqual(given, batchesUpTo(given.length));
  }
});

test('when the disk is full the writer fails, and the acknowledged batches are there', async (t) => {
  const root = temporaryDir(t);
  const lines: string[] = [];
  const limited = `ulimit -f 300 && exec '${process.execPath}' '${CHILD}' write '${root}'`;
  const { code } = await run(t, ['/bin/sh', '-c', limited], (line) => lines.push(line));
  assert.equal(code, 3);
  assert.equal(lines.at(-1), 'failed journal_write_failed');
  const durableSeq = Math.max(...lines.map(durableIn));
  assert.ok(durableSeq > 0);
  const { given, lastSeq, wasUnclean } = recover(openDataDir(root));
  assert.ok(wasUnclean);
  assert.ok(lastSeq >= durableSeq);
  assert.deepEqual(given, batchesUpTo(given.length));
});
