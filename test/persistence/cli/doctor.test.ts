/** `tote doctor`: what it finds out about a machine, and what it says of it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checksOf, type Verdict } from '../../../persistence/cli/doctor/checks.js';
import { chronyFacts } from '../../../persistence/cli/doctor/clock-facts.js';
import type { DoctorJson } from '../../../persistence/cli/doctor/doctor.js';
import { fileSystemOf, hardLimitIn, type Machine, machineOf } from '../../../persistence/cli/doctor/facts.js';
import { tote } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';

const GOOD: Machine = {
  nodeVersion: '20.20.2',
  platform: 'linux x64',
  glibcVersion: '2.36',
  folder: '/var/lib/tote',
  fileSystem: 'ext4',
  sync: { medianUs: 120, p99Us: 900 },
  freeBytes: 200 * 1024 ** 3,
  isClockSynchronised: true,
  clockOffMs: 0.3,
  openFilesMax: 16_384,
  cores: 8,
  memoryBytes: 16 * 1024 ** 3,
  isRoot: false,
};

const verdictOf = (name: string, other: Partial<Machine>): Verdict | undefined =>
  checksOf({ ...GOOD, ...other }).find((check) => check.name === name)?.verdict;

test('a good machine is good in every point, and nothing is to be done', () => {
  for (const { name, verdict, todo } of checksOf(GOOD))
    assert.deepEqual([name, verdict, todo], [name, 'good', null]);
});

test('each point has its limits, and whatever is not good says what to do', () => {
  const expected: readonly (readonly [name: string, other: Partial<Machine>, verdict: Verdict])[] = [
    ['node', { nodeVersion: '20.18.3' }, 'bad'],
    ['node', { nodeVersion: '21.7.0' }, 'bad'],
    ['node', { nodeVersion: '22.12.0' }, 'good'],
    ['glibc', { glibcVersion: '2.27' }, 'bad'],
    ['glibc', { glibcVersion: null }, 'bad'],
    ['glibc', { nodeVersion: '24.1.0', glibcVersion: '2.36' }, 'bad'],
    ['glibc', { nodeVersion: '24.1.0', glibcVersion: '2.38' }, 'good'],
    ['cores', { cores: 1 }, 'bad'],
    ['cores', { cores: 2 }, 'note'],
    ['memory', { memoryBytes: 2 * 1024 ** 3 }, 'note'],
    ['memory', { memoryBytes: 512 * 1024 ** 2 }, 'bad'],
    ['file system', { fileSystem: 'tmpfs' }, 'bad'],
    ['file system', { fileSystem: 'nfs4' }, 'bad'],
    ['file system', { fileSystem: 'fuse.sshfs' }, 'bad'],
    ['file system', { fileSystem: 'overlay' }, 'bad'],
    ['file system', { fileSystem: 'reiserfs' }, 'note'],
    ['file system', { fileSystem: null }, 'note'],
    ['sync', { sync: null }, 'bad'],
    ['sync', { sync: { medianUs: 3, p99Us: 10 } }, 'note'],
    ['sync', { sync: { medianUs: 5_000, p99Us: 9_000 } }, 'note'],
    ['sync', { sync: { medianUs: 240, p99Us: 107_000 } }, 'note'],
    ['sync', { sync: { medianUs: 12_000, p99Us: 30_000 } }, 'bad'],
    ['free space', { freeBytes: 10 * 1024 ** 3 }, 'note'],
    ['free space', { freeBytes: 1024 ** 3 }, 'bad'],
    ['clock', { isClockSynchronised: false, clockOffMs: null }, 'bad'],
    ['clock', { clockOffMs: 400 }, 'bad'],
    ['clock', { isClockSynchronised: null, clockOffMs: null }, 'note'],
    ['open files', { openFilesMax: 1_024 }, 'note'],
    ['user', { isRoot: true }, 'note'],
  ];
  for (const [name, other, verdict] of expected) {
    const check = checksOf({ ...GOOD, ...other }).find((found) => found.name === name);
    assert.deepEqual([name, other, check?.verdict], [name, other, verdict]);
    assert.equal(check?.todo === null, verdict === 'good', JSON.stringify(check));
  }
  assert.equal(verdictOf('open files', { openFilesMax: Number.POSITIVE_INFINITY }), 'good');
});

test('the file system is that of the mount which is nearest, blanks in its path included', () => {
  const mounts = [
    '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    '30 22 0:27 / /dev/shm rw shared:4 - tmpfs tmpfs rw',
    '31 22 8:1 / /mnt/my\\040disk rw - xfs /dev/sda1 rw',
    '32 31 0:50 / /mnt/my\\040disk/far rw - nfs4 host:/x rw',
  ].join('\n');
  assert.equal(fileSystemOf('/dev/shm/x', mounts), 'tmpfs');
  assert.equal(fileSystemOf('/dev/shmx', mounts), 'ext4');
  assert.equal(fileSystemOf('/mnt/my disk/data', mounts), 'xfs');
  assert.equal(fileSystemOf('/mnt/my disk/far', mounts), 'nfs4');
  assert.equal(fileSystemOf('/x', ''), null);
});

test('what chrony and the kernel say is read as they write it', () => {
  const synchronised =
    'A29FC801,162.159.200.1,4,1763830000.1,0.000123456,-0.0001,0.0002,1.2,0.0,0.01,0.02,0.001,64.2,Normal\n';
  assert.deepEqual(chronyFacts(synchronised), { isClockSynchronised: true, clockOffMs: 0.123 });
  const alone = '00000000,,0,0.0,0.000000000,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n';
  assert.equal(chronyFacts(alone).isClockSynchronised, false);
  assert.equal(chronyFacts('506 Cannot talk to daemon').isClockSynchronised, null);
  assert.equal(
    hardLimitIn(
      'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n',
    ),
    4_096,
  );
  assert.equal(
    hardLimitIn('Max open files            1024                 unlimited            files\n'),
    Number.POSITIVE_INFINITY,
  );
});

test('this machine is looked at as it is, and nothing of it is left behind', async (t) => {
  const folder = temporaryDir(t);
  const machine = await machineOf(join(folder, 'not', 'there', 'yet'));
  assert.equal(machine.folder, folder);
  assert.ok(machine.sync !== null && machine.sync.medianUs <= machine.sync.p99Us);
  assert.ok(machine.freeBytes > 0 && machine.cores >= 1 && machine.memoryBytes > 0);
  assert.deepEqual(readdirSync(folder), []);
  const { code, stdout } = await tote(['doctor', join(folder, 'data'), '--json']);
  const { isGood, checks } = JSON.parse(stdout) as DoctorJson;
  assert.equal(code, isGood ? 0 : 1);
  assert.deepEqual(
    checks.map(({ name }) => name),
    checksOf(GOOD).map(({ name }) => name),
  );
  assert.ok(!existsSync(join(folder, 'data')));
  const text = (await tote(['doctor', join(folder, 'data')])).stdout;
  assert.match(text, /^(good|note|BAD ) {2}node /);
});
