/** All commands of `tote` have help with examples, helpful errors, exit codes; and status, snapshot, prune. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { EXIT_CODES_HELP, exitCodeOf } from '../../../persistence/cli/frame/exit-codes.js';
import { Output, ReaderGone, type Streams } from '../../../persistence/cli/frame/output.js';
import { textOf } from '../../../persistence/cli/frame/text.js';
import { COMMANDS } from '../../../persistence/cli/registry.js';
import { run } from '../../../persistence/cli/run.js';
import { walPath } from '../../../persistence/data-dir/files.js';
import type { DataDir } from '../../../persistence/data-dir/layout.js';
import { lockDataDir } from '../../../persistence/data-dir/lock.js';
import { asFileFault, isDiskFull, JournalError } from '../../../persistence/errors.js';
import { absentPath, readAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../../../persistence/journal/segment/names.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import type { inspect } from '../../../persistence/upkeep/inspect.js';
import type { PrunePlan } from '../../../persistence/upkeep/retention/retention.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { assertRows } from '../../support/document.js';
import { CLI_MAIN, tote, toteJson, toteProcess } from '../../support/processes/cli.js';
import { alterDatabase, temporaryDir } from '../support/journal-files.js';
import { leaveWal, makeFor } from '../support/operator-dir.js';

test('the help lists every command and the exit codes; every command has examples', async () => {
  const help = await toteProcess(['--help']);
  assert.deepEqual([await tote(['help']), help.code], [help, 0]);
  for (const { name, summary } of COMMANDS)
    assert.match(help.stdout, new RegExp(`^  ${name} .*${summary.slice(0, 12)}`, 'm'));
  const helps = await Promise.all(COMMANDS.map(({ name }) => tote([name, '--help'])));
  for (const [index, { code, stdout }] of helps.entries()) {
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`\nExamples:\n {2}npx tote ${COMMANDS[index]?.name}`));
    assert.match(stdout, / {2}--json /);
    assert.ok(stdout.endsWith(`${EXIT_CODES_HELP}\n`));
  }
  const documented = readFileSync('docs/ops/commands.md', 'utf8').matchAll(/^\| (\d+) \| (.*) \|$/gm);
  const lines = [...documented].map(([, code, is]) => `  ${code}  ${is}`);
  assert.equal(EXIT_CODES_HELP, ['Exit codes:', ...lines].join('\n'));
});

test('docs/ops/commands.md lists every command', () => {
  const rows = COMMANDS.map(({ name, summary }) => `| \`${name}\` | ${summary} |\n`);
  assertRows('docs/ops/commands.md', '| Command | |\n|---|---|\n', rows, 'cli/frame');
});

test('--version prints that of package.json, and nothing else', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.deepEqual(await toteProcess(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a mistake on the command line ends with code 2, a suggestion and what was expected', async () => {
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /Usage: tote/],
    [['verfy'], /unknown command 'verfy'\n\(Did you mean verify\?\)/],
    [['status', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [['restore'], /required option '--out <dir>' not specified/],
    [
      ['restore', '--out', 'x', '--to', 'tuesday'],
      /'--to <SEQ\|TIME>' argument 'tuesday' is invalid\. Expected a sequence number from 1, or a time: 2026/,
    ],
    [['replay', '--from', '2026-01-01', '--last', '2'], /cannot be used with/],
    [['replay', '--limit', '2'], /unknown option '--limit'/],
    [
      ['prune', '--keep', '30'],
      /'--keep <age>' argument '30' is invalid.*Expected "all", or how long, in hours or days: 12h, 30d/,
    ],
    [['backup'], /missing required argument 'BACKUP_DIR'/],
    [['status', 'a', 'b'], /too many arguments/],
  ];
  const ran = await Promise.all(refusals.map(([args]) => tote(args)));
  for (const [index, { code, stderr, stdout }] of ran.entries()) {
    const [args, sentence] = refusals[index] ?? [[], /^$/];
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, sentence);
  }
});

test('a missing data directory ends with code 3, on stderr, and with --json also on stdout', async (t) => {
  const path = join(temporaryDir(t), 'nothing');
  const ran = await toteProcess(['status', path, '--json']);
  assert.equal(ran.code, 3);
  assert.match(ran.stderr, /tote status: There is no data directory at .*nothing/);
  const { error } = JSON.parse(ran.stdout) as { error: { code: string; message: string } };
  assert.deepEqual([error.code, existsSync(path)], ['data_dir_invalid', false], 'nothing is made');
  // As a backup leaves it that is killed before its first file.
  mkdirSync(join(path, 'journal'), { recursive: true });
  assert.match((await tote(['verify', path])).stderr, /no data directory at .*, or nothing in them/);
  rmSync(path, { recursive: true });
  writeFileSync(path, '');
  assert.match((await tote(['restore', '--out', 'r', path])).stderr, /be used: .*nothing.* not a directory/);
});

test('the data directory is the operand, else TOTE_DATA_DIR', async (t) => {
  const { dir, engine } = makeFor(t);
  const ran = await toteProcess(['status', '--json'], { env: { TOTE_DATA_DIR: dir.root } });
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal((JSON.parse(ran.stdout) as { sequence: number }).sequence, engine.seq);
});

interface Status extends Pick<ReturnType<typeof inspect>, 'segments' | 'snapshots' | 'faults'> {
  readonly server: { readonly isRunning: boolean; readonly pid: number | null };
  readonly wasStoppedUncleanly: boolean;
  readonly sequence: number;
  readonly acknowledged: number;
  readonly shadowLag: number;
}

test('status shows the last command, sizes, and the running server', async (t) => {
  const { dir, engine, batches } = makeFor(t);
  const stopped = await toteJson<Status>(['status', dir.root]);
  assert.deepEqual([stopped.server, stopped.wasStoppedUncleanly], [{ isRunning: false, pid: null }, false]);
  assert.deepEqual([stopped.sequence, stopped.acknowledged, stopped.shadowLag], [engine.seq, engine.seq, 0]);
  const areSealed = stopped.segments.map(({ isSealed }) => isSealed);
  assert.deepEqual(areSealed, [true, true, false]);
  for (const [index, segment] of stopped.segments.entries()) {
    assert.equal(segment.firstSeq, (stopped.segments[index - 1]?.lastSeq ?? 0) + 1);
    assert.equal(segment.bytes, statSync(findSegments(dir.journal)[index] ?? '').size);
  }
  const snapshotSeqs = stopped.snapshots.map(({ seq }) => seq);
  assert.deepEqual(snapshotSeqs, [batches[80]?.lastSeq, batches[45]?.lastSeq, batches[10]?.lastSeq]);

  const lock = lockDataDir(dir);
  const running = await toteProcess(['status', dir.root]);
  lock.release();
  assert.match(running.stdout, new RegExp(`^server +running yes, pid ${process.pid}$`, 'm'));
});

test('status of a damaged directory shows what it can, and ends with 1', async (t) => {
  const { dir } = makeFor(t);
  writeFileSync(dir.markFile, 'x');
  const [, second = '', last = ''] = findSegments(dir.journal);
  writeFileSync(second, 'x');
  const half = `'[["declareSetup",'`;
  alterDatabase(last, `UPDATE batch SET commands = ${half} WHERE commands LIKE '%"declareSetup"%'`);
  const status = await toteJson<Status>(['status', dir.root], 1);
  assert.deepEqual([status.segments.length, status.faults.length], [2, 3], status.faults.join());
});

test('a folder that is closed to the user is passed over by status, and named by what would write below it', (t) => {
  const { dir } = makeFor(t);
  const closed = `${dir.root}-closed`;
  for (const folder of [join(dir.root, 'lost+found'), closed]) mkdirSync(folder, { mode: 0 });
  // Root may list it, unless it gives that right away.
  const asUser =
    process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
  const ran = (...args: string[]) => {
    const [program = '', ...rest] = [...asUser, process.execPath, CLI_MAIN, ...args];
    return spawnSync(program, rest, { encoding: 'utf8' });
  };
  const { status, stdout, stderr } = ran('status', dir.root);
  assert.deepEqual([status, stderr], [0, ''], stdout);
  assert.match(stdout, /^total bytes +[1-9]/m);
  const isNamed = new RegExp(`be used: ${closed} is closed to this user`);
  assert.match(ran('verify', join(closed, 'data')).stderr, isNamed);
  for (const place of [closed, join(closed, 'new', 'place')])
    assert.match(ran('backup', place, dir.root).stderr, isNamed);
});

test('snapshot writes the present state, and verify accepts it', async (t) => {
  const { dir, engine } = makeFor(t);
  const made = await toteJson<{ seq: number; path: string; stateDigest: string }>(['snapshot', dir.root]);
  assert.deepEqual([made.seq, made.stateDigest], [engine.seq, engine.stateDigest(newSha256)]);
  assert.equal(new SnapshotFiles(dir.snapshots).list()[0]?.name, made.path);
  const report = verify(dir);
  assert.deepEqual(report.faults, []);
  assert.ok(report.snapshotsCompared.includes(made.path));
});

type Pruned = PrunePlan & { readonly isDone: boolean };
const pruneArgs = ({ root }: DataDir): string[] => ['prune', root, '--keep', '1d', '--snapshots', '1'];

test('prune deletes only what snapshot and archive cover, the rest is good, and a dry run deletes nothing', async (t) => {
  const { dir, engine } = makeFor(t);
  const before = findSegments(dir.journal);
  const dry = await toteJson<Pruned>([...pruneArgs(dir), '--dry-run']);
  assert.deepEqual([dry.isDone, findSegments(dir.journal)], [false, before]);
  const snapshots = new SnapshotFiles(dir.snapshots).list();
  const snapshotSeq = snapshots[0]?.seq ?? 0;
  const done = await toteJson<Pruned>(pruneArgs(dir));
  assert.deepEqual({ ...done, isDone: false }, dry);
  const gone = done.snapshots.map(({ name }) => name);
  assert.ok(gone.includes(must(snapshots.at(-1), 'the oldest').name), 'before the first segment that stays');
  assert.ok(!gone.includes(must(snapshots[0], 'the newest').name));
  assert.ok(done.segments.length > 0, 'a segment goes');
  for (const { lastSeq, path } of done.segments) assert.ok(lastSeq <= snapshotSeq && !existsSync(path));
  const report = verify(dir);
  assert.deepEqual([report.faults, report.lastSeq], [[], engine.seq]);
});

test('prune waits for another, gives up before it deletes anything, and works the next time', async (t) => {
  const { dir } = makeFor(t);
  const before = findSegments(dir.journal);
  const other = new Database(`${absentPath(dir)}.lock`);
  other.exec('BEGIN EXCLUSIVE');
  const meanwhile = await toteProcess(pruneArgs(dir));
  other.close();
  assert.equal(meanwhile.code, 3);
  assert.match(meanwhile.stderr, /Another process deletes or copies files of .*nothing was changed/);
  assert.deepEqual([findSegments(dir.journal), readAbsent(dir)], [before, null]);

  assert.equal((await tote(pruneArgs(dir))).code, 0);
  const lastSeq = firstSeqOf(findSegments(dir.journal)[0] ?? '') - 1;
  assert.ok(lastSeq > 0, 'a segment has gone');
  assert.equal(readAbsent(dir), lastSeq);
});

test('an uncleanly stopped directory is read as it is, and its WAL stays', async (t) => {
  const { dir, engine } = makeFor(t);
  const open = findSegments(dir.journal).at(-1) ?? '';
  const { wal, database } = leaveWal(open);
  assert.ok((await toteJson<Status>(['status', dir.root])).wasStoppedUncleanly, 'the WAL tells by itself');
  for (const args of [['status'], ['verify'], ['snapshot'], ['prune', '--keep', '30d']]) {
    assert.equal((await tote([...args, dir.root])).code, 0, args.join(' '));
    assert.deepEqual(readFileSync(walPath(open)), wal);
    assert.deepEqual(readFileSync(open), database);
  }
  assert.equal(verify(dir).lastSeq, engine.seq);
});

test('help whose reader leaves early end without an error', async () => {
  const gone: Streams = {
    stdout: () => {
      throw new ReaderGone();
    },
    stderr: (text) => assert.fail(text),
  };
  for (const args of [['--help'], ['verify', '--help']])
    assert.equal(await run(args, gone), 0, args.join(' '));
});

test('a text has the last rows of a list, and the pager shows what is longer than the terminal', () => {
  const shown: string[] = [];
  const streams: Streams = {
    stdout: (bytes) => void (bytes.length > 0 && shown.push(`out ${bytes}`)),
    stderr: (text) => assert.fail(text),
    page: (bytes) => void shown.push(`page ${bytes}`),
    terminalRows: 4,
  };
  const answer = { seq: 7, ledger: ['one entry', 'another entry', 'a third entry'] };
  new Output(false, streams, 3).answer(answer);
  const short = new Output(false, streams, 1);
  short.answer({ seq: 7 });
  short.flush();
  const json = new Output(true, streams, 1);
  json.answer(answer);
  json.flush();
  assert.deepEqual(shown, [
    'page seq  7\n\nledger: 3\n  one entry\n  another entry\n  a third entry\n',
    'out seq  7\n',
    `out ${JSON.stringify(answer, null, 2)}\n`,
  ]);
});

test('an interrupt ends a command at once, although it works without a pause', async (t) => {
  const { dir } = makeFor(t);
  const child = spawn(process.execPath, [CLI_MAIN, 'replay', dir.root, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  // Its output fills the pipe, so that it cannot end earlier.
  await once(child.stdout, 'readable');
  child.kill('SIGINT');
  child.stdout.resume();
  assert.deepEqual(await ended, [null, 'SIGINT']);
});

test('a full disk, a used-up quota and what SQLite says of either are one failure, also of the output', (t) => {
  const line = `"${process.execPath}" "${CLI_MAIN}" status --json "${makeFor(t).dir.root}" >/dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
  assert.match(`${status} ${stderr}`, /^4 tote status: The output cannot be written.*: ENOSPC: [^\n]*\n$/);
  const failure = (code: string, errno = 0): Error => Object.assign(new Error('write'), { code, errno });
  const quota = failure('UNKNOWN', -constants.errno.EDQUOT);
  const full = ['ENOSPC', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'];
  const named = [...full, 'EIO', 'SQLITE_IOERR_WRITE'].filter((code) => isDiskFull(failure(code)));
  assert.deepEqual(named, full);
  assert.equal(isDiskFull('ENOSPC'), false);
  const outOfMemory = failure('SQLITE_NOMEM');
  assert.equal(asFileFault('It', outOfMemory, { disk: assert.fail, damage: assert.fail }), outOfMemory);
  assert.deepEqual([quota, new JournalError('disk_full', ''), failure('EIO')].map(exitCodeOf), [4, 4, 3]);
});

test('a list may have hundreds of thousands of rows', () => {
  const bets = Array.from({ length: 200_000 }, (_, index) => ({ bet: index }));
  assert.equal(textOf({ bets }, Number.POSITIVE_INFINITY).split('\n').length, 200_004);
});
