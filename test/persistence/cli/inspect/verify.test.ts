/** `tote verify`: a good directory is good in all its parts, and every kind of fault is found and located. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { newSha256 } from '../../../../crypto/hashes.js';
import { signerOf } from '../../../../crypto/signing.js';
import { must } from '../../../../engine/base/assert.js';
import { Engine } from '../../../../engine/engine.js';
import { roundId } from '../../../../engine/model/domain.js';
import { OPERATOR_KINDS } from '../../../../engine/model/operators.js';
import type { StoredBatch } from '../../../../engine/model/ports.js';
import { headStatement, type SignedHead } from '../../../../engine/proofs/statements.js';
import { removeDatabase } from '../../../../persistence/data-dir/files.js';
import { type DataDir, openDataDir } from '../../../../persistence/data-dir/layout.js';
import { rotateSigningKeys } from '../../../../persistence/data-dir/signing-keys.js';
import { JournalError } from '../../../../persistence/errors.js';
import { createMarkFile } from '../../../../persistence/journal/mark.js';
import {
  CHAIN_START,
  type ChainPosition,
  sealBatch,
} from '../../../../persistence/journal/segment/batch-row.js';
import { findSegments, segmentPath, writeSegment } from '../../../../persistence/journal/segment/names.js';
import { Segment } from '../../../../persistence/journal/segment/segment.js';
import { SnapshotFiles } from '../../../../persistence/snapshot/files.js';
import { Findings, type Part } from '../../../../persistence/upkeep/verify/findings.js';
import { type VerifyReport, verify } from '../../../../persistence/upkeep/verify/verify.js';
import { TEST_SIGNING } from '../../../support/engine/signing.js';
import { tote, toteErrors, toteJson, toteText } from '../../../support/processes/cli.js';
import { alterDatabase, segmentAt, temporaryDir } from '../../support/journal-files.js';
import type { MadeDir } from '../../support/made-dir.js';
import { flipBit, forgeArchive, makeOperatorDir, SNAPSHOTS_AFTER } from '../../support/operator-dir.js';

const BEGINNING: ChainPosition = { lastSeq: 0, chain: CHAIN_START };
const make = (t: TestContext): MadeDir => makeOperatorDir(temporaryDir(t));

function expectFaults(dir: DataDir, ...parts: Part[]): VerifyReport {
  const report = verify(dir);
  const found = [...new Set(report.faults.map(({ part }) => part))];
  assert.deepEqual(found.sort(), parts.sort(), JSON.stringify(report.faults, null, 2));
  assert.equal(report.isGood, false);
  return report;
}

function expectSentence(report: VerifyReport, part: Part, file: string, sentence: RegExp): void {
  const fault = report.faults.find((candidate) => candidate.part === part && candidate.file === file);
  assert.match(must(fault, `a fault of ${part} in ${file}`).what, sentence);
}

function expectFault(dir: DataDir, part: Part, file: string, sentence: RegExp): VerifyReport {
  const report = expectFaults(dir, part);
  expectSentence(report, part, file, sentence);
  return report;
}

test('a good directory is good: journal, snapshots and archive agree', async (t) => {
  const { dir, batches, engine, events } = make(t);
  const report = await toteJson<VerifyReport>(['verify', dir.root]);
  const { isGood, faults, segments, lastSeq } = report;
  assert.deepEqual([isGood, faults, segments.length, lastSeq], [true, [], 3, engine.seq]);
  const digests = { rollingDigest: engine.rollingDigest(), stateDigest: engine.stateDigest(newSha256) };
  const replayed = { fromSeq: 0, toSeq: engine.seq, batches: batches.length, ...digests };
  assert.deepEqual([report.replayed, report.snapshotsCompared.length], [replayed, SNAPSHOTS_AFTER.length]);
  const rows = ['betPlaced', 'betSettled', 'balanceMoved', 'roundSettled'];
  const archived = events.flat().filter(({ type }) => rows.includes(type));
  const commands = batches.flatMap((batch) => JSON.parse(batch.commands) as [kind: string][]);
  const actions = commands.filter(([kind]) => OPERATOR_KINDS.some((known) => known === kind));
  assert.equal(report.archive?.rowsCompared, archived.length + actions.length);
  assert.equal(report.archive?.seq, engine.seq);
  const kinds = events.flat().map(({ type }) => type);
  assert.equal(report.signatures.journal, kinds.filter((type) => type === 'rootPublished').length);
  const { archive, journal } = report.signatures;
  assert.ok(archive > 0 && archive <= journal, 'the archive has the roots of settled rounds');
});

test('a Merkle root that is not that of the bets of its round is named, and so is each other one', (t) => {
  const wrong: string[] = [];
  const rootOf = (root: string, round: string): string =>
    wrong.push(round) % 2 === 0 ? altered(root) : root;
  const { dir } = makeOperatorDir(temporaryDir(t), { rootOf, batchSize: () => 60, snapshotsAfter: [] });
  const { faults } = expectFaults(dir, 'root');
  const seconds = wrong.filter((_, at) => at % 2 === 1);
  assert.ok(new Set(faults.map(({ seq }) => seq)).size < seconds.length, 'a batch has more than one');
  assert.equal(faults.length, seconds.length);
  for (const [at, round] of seconds.entries())
    assert.match(must(faults[at], 'a fault').what, new RegExp(`the Merkle root .* for the round ${round};`));
});

const altered = (hex: string): string => `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}`;

test('a root with a wrong signature is named, with its key, in the journal and in the archive', async (t) => {
  const rounds: string[] = [];
  const alterThird = (signature: string, round: string): string =>
    rounds.push(round) === 3 ? altered(signature) : signature;
  const { dir } = makeOperatorDir(temporaryDir(t), { signatureOf: alterThird, snapshotsAfter: [] });
  const { faults, signatures } = expectFaults(dir, 'signature');
  assert.equal(signatures.journal, rounds.length, 'those behind it are checked, too');
  const sentence = `The Merkle root of round ${rounds[2]} has a signature that is none of the key ${TEST_SIGNING.keyId},`;
  const files = faults.map(({ file, what }) => {
    assert.ok(what.startsWith(sentence), what);
    return file;
  });
  assert.ok(findSegments(dir.journal).includes(files[0] ?? ''));
  assert.deepEqual(files.slice(1), [dir.archiveFile]);
  const told = await toteText(['verify', dir.root], 1);
  assert.match(told, new RegExp(`signatures +journal ${rounds.length}, archive \\d+\n`));
  assert.match(told, /^signature .*segment-\d+\.db +\d+ +The Merkle root of round/m);
});

test('of a pruned journal the archive tells what was signed, and the snapshot what is not settled', (t) => {
  const { batches, events } = make(t);
  // The first batch in the middle that leaves a round with a root and without a settlement.
  const at = batches.findIndex(({ lastSeq }, n) => n > 40 && hasUnsettledRoot(events.slice(0, lastSeq)));
  const options = { signatureOf: altered, snapshotsAfter: [at], firstBatch: at + 1 };
  const { dir } = makeOperatorDir(temporaryDir(t), options);
  const { faults } = expectFaults(dir, 'signature');
  const [snapshot] = new SnapshotFiles(dir.snapshots).list();
  const files = new Set(faults.map(({ file }) => file));
  for (const file of [must(snapshot, 'a snapshot').name, segmentAt(dir, 0), dir.archiveFile])
    assert.ok(files.has(file), file);
});

function hasUnsettledRoot(events: MadeDir['events']): boolean {
  const rooted = new Set<string>();
  for (const event of events.flat()) {
    if (event.type === 'rootPublished') rooted.add(roundId(event.market, event.roundNumber));
    if (event.type === 'roundSettled') rooted.delete(roundId(event.market, event.roundNumber));
  }
  return rooted.size > 0;
}

test('a key that roots are signed with and nothing tells of is named once, with the first such round', async (t) => {
  const { dir } = make(t);
  const { keyId, publicKey } = TEST_SIGNING;
  rotateSigningKeys(dir, 1);
  assert.deepEqual(verify(dir).faults, [], 'a key that was retired is there still');
  rmSync(dir.signingKeysFile);
  const ofFirst = String.raw`^The Merkle root of round \w+, the first of them, is signed with the key ${keyId}, which`;
  for (const lack of [/nothing tells of: .*signing-keys is missing\./, /is not in .*signing-keys\./]) {
    const { faults, signatures } = expectFaults(dir, 'signature');
    assert.equal(faults.length, 1);
    assert.match(must(faults[0], 'a fault').what, new RegExp(`${ofFirst} ${lack.source}`));
    assert.deepEqual(signatures, { journal: 0, archive: 0 });
    rotateSigningKeys(dir, 1);
  }
  // As noted where the machine that signed was asked.
  const keys = join(temporaryDir(t), 'keys.json');
  writeFileSync(keys, JSON.stringify({ success: true, data: [{ keyId, publicKey }] }));
  assert.match(await toteText(['verify', '--keys', keys, dir.root]), /^signatures +journal [1-9]/m);
});

test('keys that were noted elsewhere are trusted, not those of the directory', async (t) => {
  const { dir } = make(t);
  const keys = join(temporaryDir(t), 'keys.json');
  const { keyId, publicKey } = rotateSigningKeys(openDataDir(temporaryDir(t)), 1);
  writeFileSync(keys, JSON.stringify({ data: [{ keyId, publicKey }] }));
  const told = await toteText(['verify', '--keys', keys, dir.root], 1);
  assert.match(told, /^signature .*, which is none of those that were given\.$/m);
  const others = [{ keyId, publicKey: altered(publicKey) }, { keyId, publicKey: 'ab' }, { keyId }];
  for (const wrong of [{}, ...others.map((key) => ({ data: [key] }))]) {
    writeFileSync(keys, JSON.stringify(wrong));
    assert.equal((await tote(['verify', '--keys', keys, dir.root])).code, 2, JSON.stringify(wrong));
  }
});

const headAt = ({ lastSeq: seq, chain }: ChainPosition): SignedHead => {
  const head = { seq, chain, time: '2026-06-10T12:00:00.000Z' };
  return { ...head, keyId: TEST_SIGNING.keyId, signature: signerOf(TEST_SIGNING)(headStatement(head)) };
};

test('a journal is the one of a signed head, or lacks something, or is another one', (t) => {
  const { dir, batches, engine } = make(t);
  const says = (head: SignedHead, of = dir): [faults: string[], notes: string[]] => {
    const { faults, notes, isGood } = verify(of, { notedHead: { file: 'keys.json', head } });
    assert.equal(isGood, faults.length === 0);
    for (const { part, file, seq } of faults)
      assert.deepEqual([part, file, seq], ['head', 'keys.json', head.seq]);
    return [faults.map(({ what }) => what), notes.filter((note) => /signed head|had at/.test(note))];
  };
  const batch = must(batches[20], 'a batch');
  const had = 'The journal has all that it had at 2026-06-10T12:00:00.000Z';
  const found = (seq: number): [string[], string[]] => [[], [`${had}, command ${seq}.`]];
  for (const at of [must(batches[0], 'a batch'), batch, must(batches.at(-1), 'a batch')])
    assert.deepEqual(says(headAt(at)), found(at.lastSeq));
  const onlyFault = (head: SignedHead, sentence: RegExp, of = dir): void => {
    const [faults, notes] = says(head, of);
    assert.deepEqual([faults.length, notes], [1, []]);
    assert.match(must(faults[0], 'a fault'), sentence);
  };
  const beyond = { ...batch, lastSeq: engine.seq + 7 };
  onlyFault(headAt(beyond), new RegExp(`ends at ${engine.seq} now: at least 7 commands are missing`));
  onlyFault(headAt({ ...batch, chain: altered(batch.chain) }), /it has [0-9a-f]{64} now: it is another one/);
  const several = batches.find(({ firstSeq, lastSeq }) => firstSeq < lastSeq);
  const long = must(several, 'a batch of more than one command');
  onlyFault(headAt({ ...long, lastSeq: long.lastSeq - 1 }), /a batch that ended .* it has none now/);
  const head = headAt(batch);
  onlyFault({ ...head, signature: altered(head.signature) }, /a signature that is none of the key/);
  onlyFault({ ...head, keyId: '0123456789abcdef' }, /the key 0123456789abcdef, which is not known here/);

  const firstBatch = must(SNAPSHOTS_AFTER[1], 'a snapshot') + 1;
  const pruned = makeOperatorDir(temporaryDir(t), { firstBatch });
  const [faults, notes] = says(head, pruned.dir);
  assert.deepEqual([faults, notes.length], [[], 1]);
  assert.match(must(notes[0], 'a note'), /is not compared: the journal begins behind it/);
  const before = must(pruned.batches[firstBatch - 1], 'a batch');
  assert.deepEqual(says(headAt(before), pruned.dir), found(before.lastSeq));
  onlyFault(headAt({ ...before, chain: altered(before.chain) }), /it is another one/, pruned.dir);
});

test('a file without a signed head is refused', async (t) => {
  const { dir } = make(t);
  const file = join(temporaryDir(t), 'keys.json');
  for (const wrong of [{ data: [] }, { head: null }, { head: { ...headAt({ lastSeq: 1, chain: '0' }) } }]) {
    writeFileSync(file, JSON.stringify(wrong));
    assert.equal((await tote(['verify', '--head', file, dir.root])).code, 2, JSON.stringify(wrong));
  }
});

test('a row of the archive that has no root in its form is a fault, not an end', (t) => {
  const { dir } = make(t);
  const lines = "'two' || char(10) || 'lines'";
  alterDatabase(dir.archiveFile, `UPDATE round SET merkle_root = ${lines} WHERE merkle_root IS NOT NULL`);
  const report = expectFaults(dir, 'archive', 'signature');
  expectSentence(report, 'signature', dir.archiveFile, /^The proof of round \w+ has no Merkle root in its/);
});

test('a private signing key that does not fit the public one is a fault, and tokens of operators that a start would refuse', (t) => {
  const { dir } = make(t);
  const text = readFileSync(dir.signingKeysFile, 'utf8');
  writeFileSync(dir.signingKeysFile, text.replace(TEST_SIGNING.privateKey, altered(TEST_SIGNING.privateKey)));
  expectFault(dir, 'secret', dir.signingKeysFile, /has a private key that does not fit the public key/);
  writeFileSync(dir.signingKeysFile, text);
  for (const [file, sentence] of [
    [dir.operatorTokenFile, /must hold .* on one line/],
    [dir.operatorTokensFile, /line 1: must be/],
  ] as const) {
    writeFileSync(file, 'half a li\n', { mode: 0o600 });
    expectFault(dir, 'secret', file, sentence);
    rmSync(file);
  }
});

test('a foreign or missing master secret is the fault, and no roots are compared without it', (t) => {
  const { dir } = makeOperatorDir(temporaryDir(t), { rootOf: () => 'ab'.repeat(32) });
  writeFileSync(dir.masterSecretFile, Buffer.alloc(32, 8));
  expectFault(dir, 'secret', dir.masterSecretFile, /not the secret/);
  rmSync(dir.masterSecretFile);
  expectFault(dir, 'secret', dir.masterSecretFile, /is missing/);
});

test('after a flipped bit in a row, which is named, the other segments and parts are checked', (t) => {
  const { dir, batches } = make(t);
  const path = segmentAt(dir, 1);
  const bad = must(batches[60], 'a row');
  flipBit(path, readFileSync(path).indexOf(bad.commands) + 5);
  const sentence = new RegExp(`after sequence number ${bad.firstSeq - 1} is bad: its checksum`);
  const report = expectFault(dir, 'journal', path, sentence);
  assert.deepEqual([report.lastSeq, report.replayed?.toSeq], [bad.firstSeq - 1, bad.firstSeq - 1]);
  const paths = report.segments.map(({ path: name }) => name);
  assert.deepEqual(paths, findSegments(dir.journal));
  assert.ok(report.notes.some((note) => note.includes('lies behind a fault')));
});

test('a journal edited consistently from some row on disagrees with replay, mark, snapshots and archive', (t) => {
  const { dir, batches } = make(t);
  const target = batches.findIndex(
    ({ commands }, index) => index > 50 && /\["deposit"|\["placeOrder"/.test(commands),
  );
  const batch = must(batches[target], 'the batch of an amount');
  const commands = batch.commands.replace(/"amountCents":(\d+)|"(UP|DOWN)",(\d+)/, forgeAmount);
  const path = rewrite(dir, batches.with(target, { ...batch, commands }));
  // A command that is refused with its new amount did nothing that the archive could lack.
  const isRefused = verify(dir).faults.some(({ part, what }) => part === 'replay' && !/digest/.test(what));
  const others: Part[] = isRefused ? [] : ['archive'];
  const report = expectFaults(dir, 'mark', 'replay', 'snapshot', ...others);
  const end = "the engine's rolling digest is [0-9a-f]{16}, the journal's is";
  const sentence = new RegExp(`^Batch \\d+ to \\d+(: ${end}| cannot be replayed: command)`);
  expectSentence(report, 'replay', path, sentence);
  expectSentence(report, 'mark', dir.markFile, /was acknowledged with the checksum/);
});

/** Returns the one segment behind `start`. */
function rewrite(dir: DataDir, batches: readonly StoredBatch[], start = BEGINNING): string {
  const path = segmentPath(dir.journal, start.lastSeq + 1);
  for (const old of findSegments(dir.journal)) if (old >= path) removeDatabase(old);
  const rows: StoredBatch[] = [];
  for (const batch of batches)
    if (batch.firstSeq > start.lastSeq) rows.push(sealBatch(rows.at(-1) ?? start, batch));
  writeSegment(path, { createdMs: 1, firstSeq: start.lastSeq + 1, previousChain: start.chain }, rows);
  return path;
}

function forgeAmount(text: string): string {
  return text.replace(/\d+$/, (digits) => String(Number(digits) + 1));
}

test('a journal that has the same commands in other batches is not that of snapshots, mark and archive', (t) => {
  const { dir, batches } = make(t);
  const [newest, , oldest] = new SnapshotFiles(dir.snapshots).list();
  const before = batches.findIndex(({ lastSeq }) => lastSeq === oldest?.seq);
  const [first, second] = batches.slice(before);
  assert.ok(first !== undefined && second !== undefined);
  const commands = `${first.commands.slice(0, -1)},${second.commands.slice(1)}`;
  rewrite(dir, batches.toSpliced(before, 2, { ...second, firstSeq: first.firstSeq, commands }));
  const report = expectFaults(dir, 'mark', 'snapshot', 'archive');
  expectSentence(report, 'snapshot', oldest?.name ?? '', /^No batch of the journal ends where it stands\.$/);
  expectSentence(report, 'snapshot', newest?.name ?? '', /^It is not of this journal: its chain hash is not/);
  expectSentence(report, 'archive', dir.archiveFile, /^It was made from another journal: chain hash or/);
});

test('a chain of hashes that begins or goes on with another one is a fault, though each row follows', (t) => {
  const { dir, batches } = make(t);
  const { lastSeq } = must(batches[60], 'a batch');
  const chain = 'ab'.repeat(32);
  rewrite(dir, batches.slice(0, 61));
  const later = rewrite(dir, batches, { lastSeq, chain });
  expectFault(dir, 'journal', later, /^Its chain hash does not follow from the segment before it\.$/);
  const path = rewrite(dir, batches, { lastSeq: 0, chain });
  expectFault(dir, 'journal', path, /^It does not begin with the chain hash of a beginning\.$/);
});

test('books that do not add up are a fault, the sums at each batch, all at each snapshot and at the end', (t) => {
  const { dir, batches } = make(t);
  const { totals } = Engine.prototype;
  const less = { openSeedsCents: -1 };
  const faults: readonly (readonly [change: Readonly<Record<string, number>>, RegExp])[] = [
    [{ depositsCents: 1 }, /^house 0 \+ accounts 0 \+ .* = 0 cents, but deposits 1 - withdrawals 0 = 1$/],
    [{ houseCents: -1e13, accountsCents: 1e13 }, /^house -1(0{13}) \+ accounts 1\1 /],
    [{ ...less, accountsCents: 1 }, /^the accounts' balances add up to \d+ cents, the engine's sum is \d+$/],
    [{ ...less, openStakesCents: 1 }, /^the open bets' stakes add up to \d+ cents, the engine's sum is \d+$/],
    [{ ...less, reservedStakesCents: 1 }, /^the resting orders' stakes add up to \d+ cents, the engine's /],
  ];
  for (const [change, sentence] of faults) {
    t.mock.method(Engine.prototype, 'totals', function (this: Engine) {
      const sums = Object.entries(totals.call(this));
      return Object.fromEntries(sums.map(([name, cents]) => [name, cents + (change[name] ?? 0)]));
    });
    const { faultCount } = expectFault(dir, 'conservation', '', sentence);
    const ofBatches = 'openSeedsCents' in change ? 0 : batches.length;
    assert.equal(faultCount, ofBatches + SNAPSHOTS_AFTER.length + 1);
    t.mock.restoreAll();
  }
});

test('an altered snapshot is detected by its name, a consistently altered one by its state', (t) => {
  const { dir } = make(t);
  const [newest] = new SnapshotFiles(dir.snapshots).list();
  const { name } = must(newest, 'a snapshot');
  flipBit(name, readFileSync(name).length - 100);
  const report = expectFault(dir, 'snapshot', name, /its content is not that of its name/);
  assert.equal(report.snapshotsCompared.length, SNAPSHOTS_AFTER.length - 1);
  flipBit(name, readFileSync(name).length - 100);
  alterDatabase(name, `UPDATE account_block SET rows = replace(rows, 'null,', '"eve",')`);
  const hash = newSha256();
  hash.update(readFileSync(name));
  const forged = name.replace(/\w{32}(?=\.db$)/, hash.digestHex().slice(0, 32));
  renameSync(name, forged);
  expectFault(dir, 'snapshot', forged, /^Its state has the digest \w{64}; the replay gives \w{64}\.$/);
});

test('a snapshot that a running server deletes meanwhile is no fault', (t) => {
  const { dir } = make(t);
  const [newest] = new SnapshotFiles(dir.snapshots).list();
  const { name } = must(newest, 'a snapshot');
  const { faults, notes } = verify(dir, { onSeq: () => rmSync(name, { force: true }) });
  assert.deepEqual([faults, /is not compared: it was deleted meanwhile/.test(notes.join())], [[], true]);
});

test('what passes by itself is no fault of any part, and ends the check with its own exit code', async (t) => {
  const { dir } = make(t);
  const codes = { disk_full: 4, data_dir_locked: 3, segment_gone: 3 } as const;
  for (const code of ['disk_full', 'data_dir_locked', 'segment_gone'] as const) {
    const refuse = (): never => {
      throw new JournalError(code, 'not now');
    };
    assert.throws(() => new Findings().read('mark', dir.markFile, refuse), { code });
    // The archive's check begins a transaction.
    for (const isOfArchive of [false, true]) {
      if (isOfArchive) t.mock.method(Database.prototype, 'exec', refuse);
      else t.mock.method(Segment.prototype, 'chunkAfter', refuse);
      assert.match(await toteErrors(['verify', dir.root], codes[code]), /not now/, `${code} ${isOfArchive}`);
      t.mock.restoreAll();
    }
  }
});

test('in the archive a flipped bit, a forged row, a missing row and an extra row are detected', (t) => {
  const up = `UPDATE placed_block SET rows = replace(rows, '"UP"', '"DOWN"') WHERE first_bet = 1`;
  const twice = "UPDATE placed_block SET rows = replace(rows, '[2,', '[1,') WHERE first_bet = 1";
  const later = 'UPDATE settled_block SET time_ms = time_ms + 1 WHERE rowid = 1';
  const newest = 'DELETE FROM transfer WHERE seq = (SELECT max(seq) FROM transfer)';
  const copied = 'INSERT INTO transfer SELECT seq, item + 99, time_ms, account, amount_cents, balance_cents';
  const counted = `${copied}, reason, '', '' FROM transfer LIMIT 1; UPDATE progress SET transfers = transfers + 1`;
  for (const [change, sql, sentence] of [
    [alterDatabase, up, /placed_block 1 \d+ is damaged: its checksum/],
    [alterDatabase, later, /settled_block .* is damaged: its/],
    [alterDatabase, "UPDATE account_bets SET placed = '[]'", /account_bets 1 \d+ is damaged: its checksum/],
    [alterDatabase, "INSERT INTO refusal VALUES (1, 1, 1, '', '', '', '')", /^refusal 1 1 is damaged: its/m],
    [alterDatabase, 'DELETE FROM account_bets WHERE account = 1', /lists of accounts do not name the bets/],
    [forgeArchive, "UPDATE account_bets SET placed = '[]'", /^the lists .* the bets that were placed$/m],
    [forgeArchive, "UPDATE account_bets SET settled = '[]'", /^the lists .* the bets that were settled$/m],
    [forgeArchive, twice, /^bet 1 comes after bet 1$/m],
    [forgeArchive, 'UPDATE transfer SET amount_cents = 1', /as \[.*\]; the journal gives \[.*\]/],
    [forgeArchive, "UPDATE progress SET digest = ''", /^It was made from another journal: chain hash/m],
    [alterDatabase, newest, /It lacks the row .* of transfers/],
    [alterDatabase, `${copied}, reason, reference, checksum FROM transfer LIMIT 1`, /there must be/],
    [forgeArchive, counted, /^It says that it has \d+ transfers; the journal gives \d+\.$/m],
  ] as const) {
    const { dir } = make(t);
    change(dir.archiveFile, sql);
    const report = expectFaults(dir, 'archive');
    assert.match(report.faults.map(({ what }) => what).join('\n'), sentence);
  }
});

test('a mark that is missing, unreadable or ahead of the journal is a fault', (t) => {
  const { dir, engine } = make(t);
  const content = readFileSync(dir.markFile);
  rmSync(dir.markFile);
  expectFault(dir, 'mark', dir.markFile, /It is missing/);
  writeFileSync(dir.markFile, content.fill(0));
  expectFault(dir, 'mark', dir.markFile, /neither of its two slots is whole/);
  createMarkFile(dir.markFile, { lastSeq: engine.seq + 3, checksum: '00000000' });
  const ahead = new RegExp(`ends at ${engine.seq}: ${engine.seq + 1} to ${engine.seq + 3} are missing`);
  expectFault(dir, 'mark', dir.markFile, ahead);
});

test('what a start refuses of segments with good rows, as a wrong name or a side file, is a fault', (t) => {
  const { dir } = make(t);
  renameSync(segmentAt(dir, 1), segmentPath(dir.journal, 2));
  expectFault(dir, 'journal', dir.journal, /begins at sequence number \d+, which is not that of its name/);
  writeFileSync(`${segmentAt(dir, 0)}-wal`, 'x'.repeat(5_000));
  expectFault(dir, 'journal', dir.journal, /was sealed, but .*-wal lies beside it/);
});

test('a missing archive is a note while the journal is complete; it, or a too old one, is a loss if that was pruned', (t) => {
  const { dir } = make(t);
  rmSync(dir.archiveFile);
  const { isGood, notes } = verify(dir);
  assert.ok(isGood);
  assert.match(must(notes[0], 'a note'), /There is no archive/);
  const pruned = makeOperatorDir(temporaryDir(t), { firstBatch: must(SNAPSHOTS_AFTER[0], 'a snapshot') }).dir;
  rmSync(pruned.archiveFile);
  expectFault(pruned, 'archive', pruned.archiveFile, /is missing, and the journal begins at \d+ only/);
  const earlier = makeOperatorDir(temporaryDir(t), { commands: 20, snapshotsAfter: [] }).dir;
  renameSync(earlier.archiveFile, pruned.archiveFile);
  expectFault(pruned, 'archive', pruned.archiveFile, /^It ends at 20. The journal begins at \d+ only/);
});
