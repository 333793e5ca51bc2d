/** `tote restore`: a new directory at any command, from a good source and from damaged ones. */
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fail, must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { readMarkFile } from '../../../persistence/journal/mark.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { type Restored, restore } from '../../../persistence/upkeep/restore/restore.js';
import { Stretches } from '../../../persistence/upkeep/restore/stretches.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote, toteErrors, toteJson } from '../../support/processes/cli.js';
import { digestAt } from '../support/made-dir.js';
import { flipBit, makeFor, SNAPSHOTS_AFTER } from '../support/operator-dir.js';

function expectGood(out: string, restored: Restored): void {
  const report = verify(dataDirLayout(out));
  assert.deepEqual([report.faults, report.replayed?.toSeq], [[], restored.seq]);
  assert.equal(report.replayed?.stateDigest, restored.stateDigest);
  assert.equal(readMarkFile(dataDirLayout(out).markFile)?.lastSeq, restored.seq);
}

test('at every command of a journal the restored state is that of a replay', (t) => {
  const made = makeFor(t, { commands: 90 });
  const stretches = new Stretches(made.dir);
  const ends = new Set(made.batches.map(({ lastSeq }) => lastSeq));
  assert.equal(made.engine.seq, 90);
  for (let toSeq = 1; toSeq <= 90; toSeq += 1) {
    const out = join(made.dir.root, '..', `at-${toSeq}`);
    const restored = restore(made.dir, stretches, { out, toSeq });
    assert.equal(restored.seq, toSeq);
    assert.equal(restored.stateDigest, digestAt(made, toSeq), `at ${toSeq}`);
    assert.equal(restored.isBatchSplit, !ends.has(toSeq), `at ${toSeq}`);
    if (toSeq % 10 === 3) expectGood(out, restored);
    rmSync(out, { recursive: true });
  }
});

test('the new directory has the secrets, and the snapshots and the archive up to that command', async (t) => {
  const made = makeFor(t);
  const { dir, batches } = made;
  const toSeq = must(batches[50], 'a batch').lastSeq - 1;
  const out = join(dir.root, '..', 'restored');
  // As one that a server deletes just after the folder was listed.
  symlinkSync('deleted', join(dir.snapshots, `snapshot-${'1'.padStart(16, '0')}-${'0'.repeat(32)}.db`));
  const restored = await toteJson<Restored>(['restore', dir.root, '--to', String(toSeq), '--out', out]);
  expectGood(out, restored);
  const copy = dataDirLayout(out);
  for (const name of ['masterSecretFile', 'operatorTokenFile'] as const) {
    assert.deepEqual(readFileSync(copy[name]), readFileSync(dir[name]));
    assert.equal(statSync(copy[name]).mode & 0o777, 0o600);
  }
  assert.equal(restored.snapshots.length, SNAPSHOTS_AFTER.filter((batch) => batch < 50).length);
  assert.deepEqual([restored.archive?.seq, restored.stateDigest], [toSeq, digestAt(made, toSeq)]);
  assert.ok(!existsSync(copy.inUseFile), 'a server finds a cleanly stopped journal');
});

test('a time means the last command at or before it; before the first there is none', async (t) => {
  const { dir, batches } = makeFor(t);
  const { lastSeq, timeMs } = must(batches[30], 'a batch');
  const expected = new Stretches(dir).seqAtTime(timeMs);
  const at = (name: string): string => join(dir.root, '..', name);
  for (const [name, time] of Object.entries({ iso: new Date(timeMs).toISOString(), ms: `${timeMs}` })) {
    const { seq } = await toteJson<Restored>(['restore', dir.root, '--to', time, '--out', at(name)]);
    assert.ok(seq >= lastSeq && seq === expected, `${seq}`);
  }
  const early = await tote(['restore', dir.root, '--to', '1999-01-01', '--out', at('early')]);
  assert.match(`${early.code} ${early.stderr}`, /^1 .*no command at or before 1999-01-01T00:00:00\.000Z/);
  assert.ok(!existsSync(at('early')));
});

test('with a damaged tail everything before it is restored, and the loss is reported', async (t) => {
  const { dir, batches, engine } = makeFor(t);
  const path = must(findSegments(dir.journal).at(-1), 'a segment');
  const bad = must(batches.at(-4), 'a batch');
  flipBit(path, readFileSync(path).lastIndexOf(bad.commands) + 3);
  const out = join(dir.root, '..', 'restored here');
  const ran = await tote(['restore', dir.root, '--out', out]);
  assert.equal(ran.code, 1, 'acknowledged commands are missing');
  assert.ok(ran.stderr.endsWith(`npx tote verify '${out}'\n`), ran.stderr);
  const { faults, lastSeq } = verify(dataDirLayout(out));
  assert.deepEqual([faults, lastSeq], [[], bad.firstSeq - 1]);
  assert.match(ran.stdout, new RegExp(`After ${bad.firstSeq - 1} the source is not good: .*checksum`));
  const lost = `acknowledged commands up to ${engine.seq}: ${bad.firstSeq} to ${engine.seq} are lost`;
  assert.ok(ran.stdout.includes(lost), ran.stdout);

  const beyond = await tote(['restore', dir.root, '--to', String(bad.lastSeq), '--out', `${out}-2`]);
  const sentence = new RegExp(`^1 .* up to sequence number ${bad.firstSeq - 1}, not to ${bad.lastSeq}`);
  assert.match(`${beyond.code} ${beyond.stderr}`, sentence);
  assert.ok(!existsSync(`${out}-2`));
  const now = await tote(['restore', dir.root, '--to', new Date().toISOString(), '--out', `${out}-3`]);
  assert.match(`${now.code} ${now.stdout}`, /^1 .*are lost, and some may be from before the chosen time/s);
});

test('what is not good beside the journal is named, left out or not believed', (t) => {
  const { dir } = makeFor(t);
  const cut = join(dir.root, '..', 'cut');
  restore(dir, new Stretches(dir), { out: cut, toSeq: 100 });
  cpSync(dir.snapshots, dataDirLayout(cut).snapshots, { recursive: true });
  const beyond = new Stretches(dataDirLayout(cut));
  assert.equal(beyond.lastSeq, 100);
  assert.match(beyond.notes.at(-1) ?? '', /^The snapshot at \d+ was passed over: it is not of this/);
  writeFileSync(dir.archiveFile, 'no database');
  writeFileSync(dir.masterSecretFile, Buffer.alloc(32, 9));
  writeFileSync(dir.markFile, 'no mark');
  const { archive, notes } = restore(dir, new Stretches(dir), { out: `${cut}-2`, toSeq: null });
  assert.equal(archive, null);
  const secret = /^The file .* is not the secret that the rounds were opened with/;
  const isTold = (sentence: RegExp): boolean => notes.some((note) => sentence.test(note));
  for (const sentence of [/^The archive is left out: .*damaged/, secret, /^The source's mark cannot be read/])
    assert.ok(isTold(sentence), notes.join('\n'));
});

test('a snapshot of another journal is not believed where this one has its row, and nothing is left of a failure', (t) => {
  const { dir } = makeFor(t, { firstBatch: 45 });
  const twin = makeFor(t, { rootOf: () => 'ab'.repeat(32) });
  t.mock.method(Engine.prototype, 'stateDigest', () => fail('at the end'));
  const out = join(dir.root, '..', 'restored');
  for (const wasThere of [false, true]) {
    if (wasThere) mkdirSync(out);
    const meanwhile = (): void => void (wasThere && writeFileSync(join(out, 'mine'), ''));
    assert.throws(() => restore(dir, new Stretches(dir), { out, toSeq: null }, meanwhile), /at the end/);
    assert.deepEqual(existsSync(out) ? readdirSync(out) : null, wasThere ? ['mine'] : null);
  }
  rmSync(dir.snapshots, { recursive: true });
  cpSync(twin.dir.snapshots, dir.snapshots, { recursive: true });
  const { all, notes } = new Stretches(dir);
  const passedOver = notes.filter((note) =>
    /^The snapshot at \d+ .*: it is not of this journal\.$/.test(note),
  );
  assert.deepEqual([all.length, passedOver.length], [1, 2], 'before the first root they are the same');
});

test('of two restores into one place the first to end stays', (t) => {
  const { dir } = makeFor(t);
  const target = { out: join(dir.root, '..', 'both'), toSeq: null };
  const all: Restored[] = [];
  const meanwhile = (): unknown => all.length > 0 || all.push(restore(dir, new Stretches(dir), target));
  assert.throws(() => restore(dir, new Stretches(dir), target, meanwhile), { code: 'data_dir_locked' });
  expectGood(target.out, must(all[0], 'the first'));
});

test('it never writes to an existing place, which is refused and left unchanged', async (t) => {
  const { dir } = makeFor(t);
  const taken = join(dir.root, '..', 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'file'), 'mine');
  symlinkSync(dir.root, `${taken}-link`);
  for (const [out, why] of [
    ['', /its name is empty/],
    [taken, /it is not empty/],
    [dir.root, /it is the data directory itself/],
    [join(`${taken}-link`, 'new'), /or lies in it/],
    [join(taken, 'file'), /not a directory/],
  ] as const) {
    assert.match(await toteErrors(['restore', dir.root, '--out', out], 3), why);
  }
  assert.deepEqual([readFileSync(join(taken, 'file'), 'utf8'), verify(dir).faults], ['mine', []]);
});
