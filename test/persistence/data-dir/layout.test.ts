/** The data directory, its lock and its secrets: faults are refused, with a remedy. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { dataDirLayout, openDataDir, readableFolders } from '../../../persistence/data-dir/layout.js';
import { findHolder, lockDataDir } from '../../../persistence/data-dir/lock.js';
import {
  masterSecretFingerprint,
  openMasterSecret,
  openOperatorToken,
  readSecret,
} from '../../../persistence/data-dir/secrets.js';
import { rotateSigningKeys } from '../../../persistence/data-dir/signing-keys.js';
import { absentPath, writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { withoutRetention } from '../../../persistence/upkeep/retention/retention.js';
import { refusal, temporaryDir } from '../support/journal-files.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a missing data directory is created, closed to other users', (t) => {
  const root = join(temporaryDir(t), 'deep', 'data');
  const dir = openDataDir(root);
  assert.deepEqual([[modeOf(dir.root), modeOf(dir.journal)], openDataDir(root)], [[0o700, 0o700], dir]);
});

test('two that create it at once both have it', async (t) => {
  const program = `const { parentPort, workerData: { layout, turns, root } } = require('node:worker_threads');
    import(layout).then(({ openDataDir }) => {
      for (let turn = 1; turn <= 40; turn++) {
        for (Atomics.add(turns, 0, 1); Atomics.load(turns, 0) < 2 * turn; );
        try { openDataDir(root + turn); } catch (thrown) { parentPort.postMessage(thrown.message); }
      }
      parentPort.postMessage('done');
    });`;
  const layout = new URL('../../../persistence/data-dir/layout.js', import.meta.url).href;
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const options = { eval: true, workerData: { layout, turns, root: join(temporaryDir(t), 'data') } };
  const said = [1, 2].map(() => once(new Worker(program, options), 'message'));
  assert.deepEqual((await Promise.all(said)).flat(), ['done', 'done']);
});

test('a file in its place is named in the error', (t) => {
  const file = join(temporaryDir(t), 'data');
  writeFileSync(file, '');
  const isNone = refusal('data_dir_invalid', /not a directory, or links to none: is its disk mounted/);
  assert.throws(() => openDataDir(file), isNone);
  symlinkSync(`${file}-unmounted`, `${file}-link`);
  assert.throws(() => openDataDir(`${file}-link`), isNone);
  const { root, archive } = openDataDir(`${file}-whole`);
  rmSync(archive, { recursive: true });
  symlinkSync(`${file}-unmounted`, archive);
  assert.throws(() => readableFolders(dataDirLayout(root)), isNone);
  assert.throws(() => openDataDir(join(file, 'below')), refusal('data_dir_invalid', /below lies below some/));
  assert.throws(() => openDataDir('/proc/none/data'), refusal('data_dir_invalid', /mkdir '.proc.none'/));
  assert.throws(() => openDataDir('d'.repeat(401)), refusal('data_dir_invalid', /longer than 400/));
  assert.throws(() => openDataDir(`${Buffer.of(0xe9)}`), refusal('data_dir_invalid', /not UTF-8/));
});

test('a directory that other users may write is refused with the command that mends it', (t) => {
  const { root, journal, snapshots, archive } = openDataDir(temporaryDir(t));
  for (const path of [root, journal, snapshots, archive]) {
    chmodSync(path, path === root ? 0o720 : 0o702);
    assert.throws(() => openDataDir(root), refusal('data_dir_invalid', new RegExp(`chmod go-w ${path}$`)));
    chmodSync(path, 0o755);
    openDataDir(root);
  }
});

test('files and folders of root belong to the owner of the directory, whose server must use them', (t) => {
  if (process.geteuid?.() !== 0) return t.skip('only root gives files away');
  const root = temporaryDir(t);
  chownSync(root, 65_534, 65_534);
  const dir = openDataDir(root);
  symlinkSync(join(root, 'other'), dir.pidFile);
  rotateSigningKeys(dir, 1);
  withoutRetention(dir, () => writeAbsent(dir, 1));
  using _lock = lockDataDir(dir);
  const absent = absentPath(dir);
  assert.equal(modeOf(`${absent}.lock`), 0o600);
  for (const file of [dir.signingKeysFile, dir.lockFile, dir.pidFile, absent, `${absent}.lock`])
    assert.deepEqual([statSync(file).uid, statSync(file).gid], [65_534, 65_534], file);
  assert.equal(existsSync(join(root, 'other')), false, 'no link is followed');
});

test('a start waits for the lock of a process that is about to end', async (t) => {
  const dir = openDataDir(temporaryDir(t));
  const program = `const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
    const db = new Database(process.argv[1]);
    db.exec('BEGIN EXCLUSIVE');
    console.log('held');
    const { spawnSync } = await import('node:child_process');
    const opened = ['/proc/' + process.ppid + '/fd', '-lname', process.argv[1]];
    process.stdin.once('data', () => { while (spawnSync('find', opened).stdout.length === 0); process.exit(); });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', dir.lockFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  assert.throws(() => lockDataDir(dir), refusal('data_dir_locked', /in use/));
  child.stdin.write('end\n');
  // The child ends once this process has opened the file: it waits by then.
  lockDataDir(dir, 60_000).release();
});

test('the lock is exclusive, also within a process, closed to other users, and can be released', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const lock = lockDataDir(dir);
  assert.equal(readFileSync(dir.pidFile, 'utf8'), `${process.pid}\n`);
  assert.throws(() => findHolder(dir), /holder of a lock must not probe it/);
  assert.throws(() => lockDataDir(dir), refusal('data_dir_locked', new RegExp(`process ${process.pid}\\.`)));
  rmSync(dir.pidFile);
  assert.throws(() => lockDataDir(dir), refusal('data_dir_locked', /by another process\./));
  lock.release();
  assert.equal(modeOf(dir.lockFile), 0o600);
  chmodSync(dir.lockFile, 0o644);
  const again = lockDataDir(dir);
  lock.release();
  assert.ok(existsSync(dir.pidFile), 'it is released once');
  assert.equal(modeOf(dir.lockFile), 0o600, 'also if it was opened to others');
  writeFileSync(dir.operatorUrlFile, '');
  again.release();
  for (const file of [dir.pidFile, dir.operatorUrlFile]) assert.equal(existsSync(file), false, file);
});

test('the master secret is created once, with mode 0600, and never replaced', (t) => {
  const dir = openDataDir(temporaryDir(t));
  assert.throws(() => openMasterSecret(dir, false), refusal('secret_invalid', /is missing.*backup/));
  const made = openMasterSecret(dir, true);
  assert.match(masterSecretFingerprint(Buffer.alloc(0)), /^e3b0c44298fc1c149afbf4c8/, 'the SHA-256');
  assert.deepEqual([made.length, modeOf(dir.masterSecretFile)], [32, 0o600]);
  for (const mayCreate of [true, false]) assert.deepEqual(openMasterSecret(dir, mayCreate), made);
  writeFileSync(dir.masterSecretFile, made.subarray(1));
  assert.throws(() => openMasterSecret(dir, true), refusal('secret_invalid', /has 31 bytes, not 32/));
});

test('a secret that others can read, or the server cannot, is refused', (t) => {
  const dir = openDataDir(temporaryDir(t));
  openMasterSecret(dir, true);
  openOperatorToken(dir);
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(dir.masterSecretFile, mode);
    assert.throws(() => openMasterSecret(dir, true), refusal('secret_invalid', /users. Run: chmod 600/));
    chmodSync(dir.operatorTokenFile, mode);
    assert.throws(() => openOperatorToken(dir), refusal('secret_invalid', /operator-token is open/));
  }
  assert.throws(() => readSecret(dir.root), refusal('secret_invalid', /cannot be read: EISDIR/));
});

test('a retired signing key is forgotten, and one that does not fit its public half is refused', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const [{ privateKey: retired }, { privateKey }] = [rotateSigningKeys(dir, 1), rotateSigningKeys(dir, 2)];
  const text = readFileSync(dir.signingKeysFile, 'utf8');
  assert.ok(!text.includes(retired));
  writeFileSync(dir.signingKeysFile, text.replace(privateKey, retired));
  assert.throws(() => rotateSigningKeys(dir, 3), refusal('secret_invalid', /private key that does not fit/));
});

test('the operator token is created once, and an operator may provide another', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const made = /^[\w-]{43}$/.exec(openOperatorToken(dir))?.[0];
  assert.deepEqual([modeOf(dir.operatorTokenFile), openOperatorToken(dir)], [0o600, made]);
  writeFileSync(dir.operatorTokenFile, 'correct-horse-battery\n');
  assert.equal(openOperatorToken(dir), 'correct-horse-battery');
  for (const bad of ['', 'fifteen-letters', 'has spaces in its middle', 'x'.repeat(256)]) {
    writeFileSync(dir.operatorTokenFile, bad);
    assert.throws(() => openOperatorToken(dir), refusal('secret_invalid', /must hold 16 to 255 visible/));
  }
});
