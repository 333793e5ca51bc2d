/** `tote doctor`: the facts of a machine, and its sentences on them. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Check,
  judgeClock,
  judgeFileSystem,
  judgeFiles,
  judgeSpace,
  judgeSync,
} from '../../../persistence/cli/commands/doctor.js';
import { fileSystemRisks } from '../../../persistence/data-dir/file-system.js';
import { parseChrony } from '../../../process/clock-sync.js';
import { tote, toteText } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';

interface Doctor {
  readonly isGood: boolean;
  readonly checks: readonly Check[];
}

/** As statfs(2) numbers them. */
const [EXT4, TMPFS, REISERFS] = [0xef53, 0x01021994, 0x52654973];

test('each point has its limits, and whatever is not good says what to do', () => {
  const clock = { isClockSynchronised: true, clockOffMs: 0.3 };
  const found = [
    [judgeFileSystem(EXT4), 'good'],
    [judgeFileSystem(TMPFS), 'bad'],
    [judgeFileSystem(REISERFS), 'note'],
    [judgeSync({ medianUs: 120, p99Us: 900 }), 'good'],
    [judgeSync(null), 'bad'],
    [judgeSync({ medianUs: 3, p99Us: 10 }), 'note'],
    [judgeSync({ medianUs: 5_000, p99Us: 9_000 }), 'note'],
    [judgeSync({ medianUs: 240, p99Us: 107_000 }), 'note'],
    [judgeSync({ medianUs: 12_000, p99Us: 30_000 }), 'bad'],
    [judgeClock(clock), 'good'],
    [judgeClock({ ...clock, isClockSynchronised: false }), 'bad'],
    [judgeClock({ ...clock, clockOffMs: 400 }), 'bad'],
    [judgeClock({ ...clock, isClockSynchronised: null }), 'note'],
    [judgeSpace(1024 ** 2), 'bad'],
    [judgeSpace(1.5 * 1024 ** 3), 'note'],
    [judgeSpace(3 * 1024 ** 3), 'good'],
    [judgeFiles(1_024), 'note'],
    [judgeFiles('unlimited'), 'good'],
  ] as const;
  found.forEach(([[verdict, advice], expected], at) => {
    assert.deepEqual([at, verdict, advice === null], [at, expected, verdict === 'good']);
  });
  assert.match(fileSystemRisks('/dev/shm').join(), /^TOTE_DATA_DIR: \/dev\/shm is on tmpfs, /);
});

test('what chrony says is read as it writes it', () => {
  const synchronised =
    'A29FC801,162.159.200.1,4,1763830000.1,0.000123456,-0.0001,0.0002,1.2,0.0,0.01,0.02,0.001,64.2,Normal\n';
  assert.deepEqual(parseChrony(synchronised), { isClockSynchronised: true, clockOffMs: 0.123 });
  const alone = '00000000,,0,0.0,0.000000000,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n';
  assert.equal(parseChrony(alone).isClockSynchronised, false);
  assert.equal(parseChrony('506 Cannot talk to daemon').isClockSynchronised, null);
});

test('this machine is looked at as it is, and nothing of it is left behind', async (t) => {
  const folder = temporaryDir(t);
  const path = join(folder, 'not', 'there', 'yet');
  const { code, stdout } = await tote(['doctor', path, '--json']);
  const { isGood, checks } = JSON.parse(stdout) as Doctor;
  assert.equal(code, isGood ? 0 : 1);
  const value = (name: string): string | undefined => checks.find((check) => check.name === name)?.value;
  assert.match(value('file system') ?? '', new RegExp(`, ${folder}$`));
  assert.match(value('sync') ?? '', /^\d+\.\d\d ms, 99 of 100 within/);
  const names = checks.map(({ name }) => name);
  const points = ['file system', 'space', 'sync', 'clock', 'open files'];
  assert.deepEqual([names, readdirSync(folder)], [points, []]);
  assert.ok(!existsSync(path));
  assert.match((await tote(['doctor', path])).stdout, /^clock +(good|note|bad) /m);
});

test('a configuration is judged as a start in production would judge it', async (t) => {
  const folder = temporaryDir(t);
  const [data, file] = [join(folder, 'data'), join(folder, 'tote.env')];
  const settings = async (text: string): Promise<string[]> => {
    writeFileSync(file, text);
    const { stdout } = await tote(['doctor', data, '--env-file', file, '--json']);
    const { checks } = JSON.parse(stdout) as Doctor;
    return checks
      .filter(({ name }) => name === 'settings')
      .map(({ value, verdict }) => `${verdict} ${value}`);
  };
  const judged = async (text: string, ...expected: readonly RegExp[]): Promise<void> => {
    const found = await settings(text);
    assert.equal(found.length, expected.length, found.join('\n'));
    for (const [at, pattern] of expected.entries()) assert.match(found[at] ?? '', pattern);
  };
  await judged('TOTE_PROT=1\nTOTE_OPERATOR_HOST=0.0.0.0', /^bad .*TOTE_PROT: no such/, /^bad .*without TLS/);
  await judged('# a comment\n\nexport TOTE_PORT=1', /^bad .*tote.env, line 3: expected NAME=value/);
  await judged('TOTE_FEED=push', /^bad .*npx tote init/);
  await toteText(['init', data, '--house-capital', '1,000']);
  await judged('', /^bad TOTE_FEED: is not set/);
  await judged('TOTE_FEED=push\n; fine', /^good /);
  await judged(' TOTE_FEED="coinbase"\nTOTE_DURABILITY=os', /^good /, /^note TOTE_DURABILITY=os: a power/);
  for (const name of ['master-secret', 'operator-token']) chmodSync(join(data, name), 0o644);
  const open = ['master-secret', 'operator-token'].map(
    (name) => new RegExp(`^bad .*${name} is open to other`),
  );
  await judged('TOTE_FEED=push', ...open);
  await judged('TOTE_PROT=1\nTOTE_FEED=push', /^bad .*TOTE_PROT: no such/, ...open);
  rmSync(join(data, 'archive'), { recursive: true });
  writeFileSync(join(data, 'archive'), '');
  await judged('TOTE_FEED=push', /^bad .*archive is not a directory/, ...open);
});
