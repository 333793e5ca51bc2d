/** A directory without its journal is never mistaken for a new one, whatever else is left. */
import assert from 'node:assert/strict';
import fs, { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { dollars } from '../../../config/config-values.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { openStore } from '../../../persistence/recovery/open-store.js';
import { tote, toteErrors, toteLines, toteText } from '../../support/processes/cli.js';
import { CLOCK, refusal, temporaryDir } from '../support/journal-files.js';
import { makeFor } from '../support/operator-dir.js';

const start = (root: string, options = {}): void => openStore(root, CLOCK, () => {}, options).lock.release();
const filesOf = (root: string): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();

test('without the journal the refusal names what is left, and the command that recovers the most', (t) => {
  const root = makeFor(t).dir.root;
  rmSync(join(root, 'journal'), { recursive: true });
  const before = filesOf(root);
  const sentence =
    /no journal in .*\/journal, but the directory is not new: it has \d snapshots, an archive, the master secret\..* backup\..* newest good snapshot, which loses what came after it: npx tote restore '.*data' --out NEW_DIR/;
  assert.throws(() => start(root), refusal('journal_incomplete', sentence));
  assert.deepEqual(filesOf(root), before, 'nothing is made or changed');
});

test('a lost master secret is not made anew, and another one is refused; lost signing keys are named', (t) => {
  const { root, masterSecretFile, signingKeysFile } = makeFor(t).dir;
  rmSync(signingKeysFile);
  const { recovered, lock } = openStore(root, CLOCK, () => {});
  lock.release();
  assert.match(recovered.notes.join(), /There was no .*signing-keys: put it back/);
  rmSync(masterSecretFile);
  const missing = /master-secret is missing, but the journal has/;
  assert.throws(() => start(root), refusal('secret_invalid', missing));
  assert.equal(existsSync(masterSecretFile), false);
  writeFileSync(masterSecretFile, Buffer.alloc(32, 1), { mode: 0o600 });
  assert.throws(() => start(root), refusal('secret_invalid', /is not the secret that the journal's rounds/));
});

test('the folder or lock of another user is named', (t) => {
  const { root, journal, lockFile } = makeFor(t).dir;
  mkdirSync(lockFile);
  for (const theirs of [root, journal, lockFile]) {
    const refused = Object.assign(new Error(theirs), { code: 'EACCES' });
    t.mock.method(fs, 'accessSync', (path: string) => assert.ok(path !== theirs, refused));
    syncBuiltinESMExports();
    assert.throws(() => start(root), refusal('data_dir_invalid', new RegExp(`: ${theirs} is closed`)));
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
});

test('each part alone is enough', (t) => {
  const root = makeFor(t).dir.root;
  const files = {
    'journal/mark': String.raw`a mark\. Commands up to \d+ were acknowledged`,
    'master-secret': 'the master secret',
  };
  const parts = { snapshots: 'snapshots', archive: 'an archive', ...files };
  for (const [part, words] of Object.entries(parts)) {
    const left = join(temporaryDir(t), 'left');
    mkdirSync(join(left, 'journal'), { recursive: true, mode: 0o700 });
    cpSync(join(root, part), join(left, part), { recursive: true });
    assert.throws(() => start(left), refusal('journal_incomplete', new RegExp(`it has [^.]*${words}`)));
  }
});

test('a new directory is started on, but in production only one that `tote init` has made', async (t) => {
  const root = join(temporaryDir(t), 'data');
  const required = { requireData: true };
  const sentence = /no journal in .*data, .* mounted.*: npx tote init '.*data' --house/;
  const notMade = refusal('data_dir_invalid', sentence);
  for (const isFollower of [false, true])
    assert.throws(() => start(root, { ...required, isFollower }), notMade);
  assert.equal(existsSync(root), false);
  start(root);
  assert.throws(() => start(root, required), notMade);
  const init = ['init', root, '--house-capital', '5,000.50'];
  await toteText(init);
  start(root, required);
  assert.match((await tote(init)).stderr, /has an exchange already; nothing was changed/);
  const { journal } = dataDirLayout(root);
  const [deposit, ...others] = await toteLines<{ text: string }>(['replay', root]);
  assert.match(JSON.stringify(deposit), /depositHouse.*500050/);
  assert.deepEqual([others, readdirSync(journal).includes('in-use')], [[], false]);
  await toteText(['verify', root]);
});

test('a house needs money, and takes 5,000,000,000,000 USD at most', async (t) => {
  assert.equal(dollars('5,000,000,000,000.00'), 500_000_000_000_000);
  assert.throws(() => dollars('5,000,000,000,000.01'), /^Error: at most 5,000,000,000,000\.00$/);
  for (const wrong of ['0', '1e3', '-5', '0.001']) {
    const told = await toteErrors(['init', temporaryDir(t), '--house-capital', wrong], 2);
    assert.match(told, /--house-capital.*Expected (more than 0|an amount in dollars)/);
  }
});
