/** Snapshots on real files: nothing is listed before it is complete; anything else with a snapshot's name is refused. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { SnapshotRef } from '../../../engine/host/snapshot-store.js';
import { RULES_VERSION } from '../../../engine/model/rules.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { BusyEngine } from '../../support/engine/busy-engine.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { digestsOf, tablesOf } from '../../support/engine/snapshots.js';
import { BTC_15M, DAY_MS, Exchange, rulesFor } from '../../support/reference/exchange.js';
import { randomEngine } from '../../support/reference/random/stream.js';
import { alterDatabase, refusal, temporaryDir } from '../support/journal-files.js';

const CHAIN = 'c'.repeat(64);
const variedEngine = (seed: number, steps = 600): Engine => randomEngine(seed, steps);
const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const nameFor = (seq: number, path: string): string =>
  `snapshot-${String(seq).padStart(16, '0')}-${sha256Of(path).slice(0, 32)}.db`;

/** With the name of the new content, as nobody but this program should. */
function tamper({ seq, name }: SnapshotRef, ...statements: string[]): SnapshotRef {
  alterDatabase(name, ...statements);
  return renamed({ seq, name });
}

function renamed({ seq, name }: SnapshotRef): SnapshotRef {
  const to = join(dirname(name), nameFor(seq, name));
  renameSync(name, to);
  return { seq, name: to };
}

test('what is saved is loaded, and its name is its hash', (t) => {
  const files = new SnapshotFiles(temporaryDir(t));
  for (const engine of [...[1, 2, 3, 4, 5].map((seed) => variedEngine(seed)), busyEngine()]) {
    const ref = files.save(engine, CHAIN);
    assert.deepEqual([ref.seq, ref.name], [engine.seq, join(files.folder, nameFor(engine.seq, ref.name))]);
    const { meta, engine: loaded } = files.load(ref);
    const { seq, timeMs } = engine;
    assert.deepEqual(meta, { seq, timeMs, digest: engine.rollingDigest(), chain: CHAIN });
    assert.equal(digestsOf(loaded), digestsOf(engine));
    assert.deepEqual(tablesOf(loaded), tablesOf(engine));
    assert.deepEqual(files.save(loaded, CHAIN), ref, 'the same state is the same file');
  }
  const seqs = files.list().map(({ seq }) => seq);
  assert.equal(seqs.length, 6);
  const newestFirst = seqs.toSorted((a, b) => b - a);
  assert.deepEqual(seqs, newestFirst);
});

test('orders that were filled in another order than placed keep their places in the round', (t) => {
  const exchange = new Exchange({ markets: [BTC_15M] });
  exchange.openLate(BTC_15M, 100);
  const account = exchange.account('VIP', 10_000_00);
  const order = plainOrder({ timeMs: exchange.nowMs, account, market: BTC_15M, stakeCents: 10_00 });
  for (const limitOddsE4 of [22_000, 21_000]) exchange.apply({ ...order, limitOddsE4 });
  const other = exchange.account('VIP', 10_000_00);
  exchange.bet({ account: other, market: BTC_15M, side: 'DOWN', stakeCents: 500_00 });
  const { engine } = exchange.pair;
  assert.equal(JSON.stringify(tablesOf(engine).get('late_bet')), '[[2,3],[1,2]]');
  const files = new SnapshotFiles(temporaryDir(t));
  const { engine: loaded } = files.load(files.save(engine, CHAIN));
  for (const each of [engine, loaded]) assert.equal(each.apply(order).status, 'accepted');
  assert.equal(digestsOf(loaded), digestsOf(engine));
});

test('an operator can read it', (t) => {
  const engine = variedEngine(4);
  const { name } = new SnapshotFiles(temporaryDir(t)).save(engine, CHAIN);
  const db = new Database(name, { readonly: true });
  const one = (sql: string): unknown => db.prepare(sql).pluck().get();
  assert.equal(one('SELECT count(*) FROM account'), engine.accountCount);
  assert.equal(one('SELECT sum(balance_cents) FROM account'), engine.totals().accountsCents);
  const openStakesCents = one(`SELECT sum(stake_cents) FROM bet WHERE result = 'NONE'`);
  assert.equal(openStakesCents, engine.totals().openStakesCents);
  const statuses = "'UPCOMING', 'LIVE', 'LOCKED', 'SETTLING', 'SETTLED'";
  assert.equal(one(`SELECT count(*) FROM round WHERE status NOT IN (${statuses})`), 0);
  assert.equal(one('PRAGMA integrity_check'), 'ok');
  db.close();
});

test('any text and number survives a round trip', (t) => {
  const halves = ['half \ud83d pair', '\udc00'];
  const texts = [...halves, 'back\\slash \\ud83d', 'nul \0 inside', '"[]{}\n\r\u2028', '😀é', ''];
  const engine = new Engine();
  const timeMs = DAY_MS;
  const accepted = (command: Parameters<Engine['apply']>[0]): void => {
    assert.equal(engine.apply(command).status, 'accepted');
  };
  accepted({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: rulesFor([BTC_15M]) });
  accepted({ kind: 'depositHouse', timeMs, amountCents: 5e14, reference: 'capital' });
  const tick = { price: 0.1 + 0.2, priceTimeMs: timeMs, source: null, evidence: '' };
  accepted({ kind: 'openLate', timeMs, asset: 0, ...tick });
  texts.forEach((text, index) => {
    const account = index + 1;
    accepted({ kind: 'createAccount', timeMs, name: text, tier: 4, balanceCents: 1_000_00 + index });
    accepted({ kind: 'deposit', timeMs, account, amountCents: 1, reference: text });
    const idempotency = { keyHigh: 2 ** 48 - 1, keyLow: 2 ** 48 - 1 - index, body: index };
    const order = { timeMs, account, market: BTC_15M, side: index % 2 };
    accepted(plainOrder({ ...order, idempotency, clientSeed: text }));
  });
  accepted({ kind: 'setTrading', timeMs, enabled: false, reason: must(texts[0], 'text') });
  const files = new SnapshotFiles(temporaryDir(t));
  const { engine: loaded } = files.load(files.save(engine, CHAIN));
  assert.deepEqual([tablesOf(loaded), digestsOf(loaded)], [tablesOf(engine), digestsOf(engine)]);
  assert.deepEqual([loaded.account(1)?.name, loaded.latestOpenPrice(0)?.price], [texts[0], 0.1 + 0.2]);
});

test('a snapshot being written is not listed, and remains of one are removed', (t) => {
  const files = new SnapshotFiles(temporaryDir(t));
  const engine = variedEngine(7);
  const old = files.save(variedEngine(7, 100), CHAIN);
  const saving = files.saving(busyEngine(), CHAIN);
  assert.equal(saving.next().done, false);
  const [unfinished, ...others] = readdirSync(files.folder).filter((name) => name.endsWith('.unfinished'));
  assert.deepEqual([others, files.list()], [[], [old]]);
  files.removeStrays();
  assert.ok(existsSync(join(files.folder, must(unfinished, 'file'))), 'a writer that goes on keeps its file');
  saving.return({ seq: 0, name: '' });
  assert.deepEqual(readdirSync(files.folder).length, 1, 'one that is told to stop takes its file away');

  const lost = join(files.folder, `snapshot-0000000000000009.${process.pid}-99.unfinished`);
  writeFileSync(lost, 'half');
  utimesSync(lost, 1, 1);
  const ended = spawnSync('true').pid;
  writeFileSync(join(files.folder, `snapshot-0000000000000009.${ended}-1.unfinished`), 'half');
  // In a container the next process has the number of the one before.
  const own = must(unfinished, 'file').replace(/\d{16}/, String(engine.seq).padStart(16, '0'));
  writeFileSync(join(files.folder, own), 'half');
  const foreign = join(files.folder, 'notes.txt');
  writeFileSync(foreign, 'not ours');
  const newest = files.save(engine, CHAIN);
  files.removeStrays();
  assert.deepEqual([files.list(), readdirSync(files.folder).length], [[newest, old], 3]);
  assert.ok(existsSync(foreign));
});

/** Its snapshot has several pieces, with gaps in the numbers of its bets. */
function busyEngine(): Engine {
  const busy = new BusyEngine(90);
  for (let round = 0; round < 5; round += 1) busy.round(3_000);
  return busy.engine;
}

test('a missing folder has no snapshots', (t) => {
  const files = new SnapshotFiles(join(temporaryDir(t), 'missing'));
  assert.deepEqual(files.list(), []);
  const unreadable = new SnapshotFiles('/dev/null');
  assert.throws(() => unreadable.list(), refusal('data_dir_invalid', /null lies below something/));
  assert.throws(
    () => files.save(new Engine(), CHAIN),
    refusal('snapshot_write_failed', /missing: ENOENT: no.* Nothing is lost/),
  );
});

test('on a full disk the snapshot fails, and succeeds once there is space', (t) => {
  const folder = temporaryDir(t);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (mounted.status !== 0) return t.skip('this user may not mount');
  try {
    const files = new SnapshotFiles(folder);
    const small = files.save(variedEngine(1, 50), CHAIN);
    const sentence = /could not be written.*the journal has everything/;
    assert.throws(() => files.save(busyEngine(), CHAIN), refusal('disk_full', sentence));
    assert.deepEqual([files.list(), readdirSync(folder).length], [[small], 1]);
    const { engine } = files.load(must(files.list()[0], 'snapshot'));
    assert.equal(digestsOf(files.load(files.save(engine, CHAIN)).engine), digestsOf(engine));
  } finally {
    spawnSync('umount', [folder]);
  }
});

test('truncated, empty and foreign files are refused', (t) => {
  const files = new SnapshotFiles(temporaryDir(t));
  const whole = files.save(variedEngine(13), CHAIN);
  const content = readFileSync(whole.name);
  const bytes = content.length;
  for (const length of [0, 1, 100, 4_096, Math.floor(bytes / 2), bytes - 4_096, bytes - 64]) {
    writeFileSync(whole.name, content.subarray(0, length));
    assert.throws(() => files.load(whole), refusal('snapshot_damaged', /content is not that of its name/));
    // Even if the name fits the rest of the file. SQLite reads the missing end of a page as zeros, which may be a
    // state.
    if (length > bytes - 4_096) continue;
    const fitting = renamed(whole);
    assert.throws(() => files.load(fitting), refusal('snapshot_damaged'));
  }
  writeFileSync(whole.name, 'This is no database.');
  assert.throws(() => files.load(renamed(whole)), refusal('snapshot_damaged', /not a database/));
  assert.throws(() => files.load(whole), refusal('snapshot_damaged', /no such file/));
});

const ONE_MORE = "json_set(rows, '$[0][3]', (rows ->> '$[0][3]') + 1)";
const FOREIGN: readonly (readonly [what: string, sql: string, sentence: RegExp])[] = [
  ['another table', 'CREATE TABLE extra (a)', /tables are not those/],
  ['a table less', 'DROP TABLE open_price_block', /tables are not those/],
  ['an index', 'CREATE INDEX by_rows ON bet_block (rows)', /tables are not those/],
  ['two meta rows', 'INSERT INTO meta SELECT * FROM meta', /one good row/],
  ['no meta row', 'DELETE FROM meta', /one good row/],
  ['another number', 'UPDATE meta SET seq = seq - 1', /not the one that its name/],
  ['another time', 'UPDATE meta SET time_ms = time_ms + 1', /not the one that its name/],
  ['another digest', `UPDATE meta SET digest = '0123456789abcdef'`, /not the one that its name/],
  ['no engine', 'DELETE FROM engine_block', /engine is missing/],
  ['money from nowhere', `UPDATE account_block SET rows = ${ONE_MORE}`, /balances add up/],
  ['a lost bet', "UPDATE bet_block SET rows = json_remove(rows, '$[#-1]') WHERE rowid = 1", /bets/],
  ['half a text', 'UPDATE bet_block SET rows = substr(rows, 1, 100)', /JSON/],
];

test('a file with the right hash and wrong content is refused', (t) => {
  const files = new SnapshotFiles(temporaryDir(t));
  const engine = variedEngine(4);
  for (const [what, sql, sentence] of FOREIGN) {
    const ref = tamper(files.save(engine, CHAIN), sql);
    assert.throws(() => files.load(ref), refusal('snapshot_damaged', sentence), what);
  }
  for (const format of [0, 2]) {
    const sql = `UPDATE meta SET format_version = ${format}`;
    const foreign = tamper(files.save(engine, CHAIN), sql, 'DROP VIEW bet');
    const sentence = new RegExp(`has format ${format}; this version reads format 1`);
    assert.throws(() => files.load(foreign), refusal('other_format', sentence));
  }
  const other = files.save(engine, CHAIN);
  const misnamed = { seq: other.seq + 1, name: other.name };
  assert.throws(() => files.load(misnamed), refusal('snapshot_damaged', /not the one that its name/));
});
