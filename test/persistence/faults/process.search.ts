/**
 * Faults of the medium while segments are rolled, recovered and read, in a process of its own: a failing fsync, a full
 * disk. The next start has everything acknowledged, or is refused; and a read-only directory can be read.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Engine } from '../../../engine/engine.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { dataDirLayout, openDataDir } from '../../../persistence/data-dir/layout.js';
import { CHAIN_START } from '../../../persistence/journal/segment/batch-row.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { byEffort } from '../../support/effort.js';
import { CLI_MAIN, tote, toteErrors, toteText } from '../../support/processes/cli.js';
import {
  batchesUpTo,
  readAll,
  recover,
  refusal,
  stopped,
  temporaryDir,
  writeSegments,
} from '../support/journal-files.js';
import { makeFor } from '../support/operator-dir.js';

const CHILD = fileURLToPath(new URL('../support/journal-child.js', import.meta.url));
/** A segment of this size is sealed after its first batch. */
const ONE_BATCH_BYTES = '1';
/** More syncs than a start, two commits and two rolls make in either thread. */
const SYNCS = 26;
const EACH = byEffort({ test: 4, prove: 1, night: 1 });
const ACKNOWLEDGEMENTS = 3;
const hasStrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const TRACED = { skip: hasStrace ? false : 'strace is not there, or may not trace' };

async function write(t: TestContext, root: string, wrap: readonly string[]) {
  const [file = '', ...args] = [...wrap, process.execPath, CHILD, root, ONE_BATCH_BYTES];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const kill = (): void => {
    const isThere = child.exitCode === null && child.signalCode === null;
    if (isThere && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  t.after(kill);
  const exited = once(child, 'exit');
  let durableSeq = 0;
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    durableSeq = Math.max(durableSeq, Number(/^durable (\d+)$/.exec(line)?.[1] ?? 0));
    seen += 1;
    if (seen === ACKNOWLEDGEMENTS) kill();
  }
  const [code] = await exited;
  return { durableSeq, hasFailed: code !== null && code !== 0 };
}

function assertThere(root: string, durableSeq: number, what: string): void {
  const { given, lastSeq } = recover(openDataDir(root));
  assert.ok(lastSeq >= durableSeq, `${what}: ${durableSeq} was acknowledged, ${lastSeq} is there`);
  assert.deepEqual(given, batchesUpTo(given.length), what);
}

test('each fsync of a start, of commits and of rolls fails once', TRACED, async (t) => {
  // Killed, so that the start that is to fail has a copy to make.
  const killed = temporaryDir(t);
  await write(t, killed, []);
  let failures = 0;
  let tried = 0;
  for (let nth = 1; nth <= SYNCS; nth += EACH) {
    const root = join(temporaryDir(t), 'data');
    cpSync(killed, root, { recursive: true });
    const inject = ['strace', '-f', '-o', '/dev/null', '-e', `inject=fsync:error=EIO:when=${nth}`];
    const { durableSeq, hasFailed } = await write(t, root, inject);
    tried += 1;
    if (hasFailed) failures += 1;
    assertThere(root, durableSeq, `fsync ${nth}`);
  }
  assert.ok(failures > tried / 2, `${failures} of ${tried} ended the process`);
});

test('a disk that does not tell of files fails the journal, and has lost none', TRACED, async (t) => {
  const root = join(temporaryDir(t), 'data');
  const { markFile } = openDataDir(root);
  const inject = ['-P', markFile, '-e', 'inject=statx:error=EIO:when=2'];
  const { durableSeq, hasFailed } = await write(t, root, ['strace', '-f', '-o', '/dev/null', ...inject]);
  assert.ok(hasFailed);
  assertThere(root, durableSeq, 'statx');
});

test('a disk that fills while segments are sealed and begun', async (t) => {
  // In blocks of `ulimit`, 512 or 1,024 bytes: from less than a segment without rows to more than one with its first
  // batch.
  for (const blocks of [20, 30, 32, 33, 34, 40, 60]) {
    const root = temporaryDir(t);
    const { durableSeq } = await write(t, root, ['/bin/sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh']);
    if (findSegments(openDataDir(root).journal).length > 0) assertThere(root, durableSeq, `${blocks} blocks`);
  }
});

test('on a full disk nothing is called damaged, and commands end with 4', async (t) => {
  const root = join(temporaryDir(t), 'data');
  const dir = stopped(writeSegments(root, 30));
  ArchiveWriter.create(dir, { seq: 0, timeMs: 0, digest: '', chain: CHAIN_START }, new Engine(), 1).close();
  const place = join(temporaryDir(t), 'mounted');
  mkdirSync(place);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', place]).status !== 0)
    return t.skip('this user may not mount');
  try {
    cpSync(root, place, { recursive: true });
    assert.throws(() => writeFileSync(join(place, 'filler'), Buffer.alloc(1 << 20)), /ENOSPC/);
    for (const command of ['verify', 'token ann --role read', 'rotate-signing-key', 'snapshot']) {
      const told = await toteErrors([...command.split(' '), place], 4);
      assert.match(told, /while its disk is full|has no space left/);
    }
    const status = await toteText(['status', place], 1);
    assert.match(status, /archive.db can be neither read nor written while its disk is full/);
    assert.match((await tote(['doctor', place])).stdout, /^sync +bad +not writable/m);
  } finally {
    spawnSync('umount', [place]);
  }
});

test(
  'a disk that does not read is to be checked before a backup is used, and so is one that takes no copy',
  TRACED,
  (t) => {
    const dir = stopped(writeSegments(join(temporaryDir(t), 'data'), 30));
    const [segment = ''] = findSegments(dir.journal);
    const { root } = makeFor(t).dir;
    const out = join(root, '..', 'out');
    const unwritten = /^3 .*The copy in .*out cannot be written: SQLITE_IOERR_WRITE/s;
    const [archive, first] = ['archive/archive', 'journal/segment-0000000000000001'];
    const of = [
      [segment, ['verify', dir.root], /does not read it: .*Check the disk .* If it stays so/],
      [dir.markFile, ['verify', dir.root], /mark: the disk does not read or write it. Check the disk/],
      [join(out, `${archive}.db.unfinished`), ['restore', root, '--out', out], unwritten],
      [join(out, `${first}.db.unfinished`), ['backup', out, root], unwritten],
    ] as const;
    for (const [file, command, expected] of of) {
      const inject = [
        '-P',
        file,
        '-e',
        `inject=${file.startsWith(out) ? 'pwrite64' : 'read,pread64'}:error=EIO`,
      ];
      const args = ['-f', '-o', '/dev/null', ...inject, process.execPath, CLI_MAIN, ...command];
      const { status, stdout, stderr } = spawnSync('strace', args, { encoding: 'utf8' });
      assert.match(`${stdout}${status} ${stderr}`, expected);
    }
  },
);

test('a directory on a read-only mount is refused with what to do, and its copy is good', (t) => {
  const root = join(temporaryDir(t), 'data');
  const dir = stopped(writeSegments(root, 30));
  const place = join(temporaryDir(t), 'mounted');
  mkdirSync(place);
  const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
  if (!mount('--bind', root, place)) return t.skip('this user may not mount');
  try {
    assert.ok(mount('-o', 'remount,ro,bind', place));
    assert.throws(() => readAll(dataDirLayout(place)), /copy the data directory to where this user may/);
    const refused = refusal('data_dir_invalid', /read-only .* such as a copy\.$/);
    assert.throws(() => backup(dataDirLayout(place), `${root}-copy`), refused);
    for (const path of [place, join(place, 'new'), join(place, 'new', 'below')])
      assert.throws(() => openDataDir(path), refused);
  } finally {
    spawnSync('umount', [place]);
  }
  assert.deepEqual(recover(dir).given, batchesUpTo(30));
});
