/**
 * This version starts on the directory of any released version, with the same state; it refuses those of newer ones.
 * See README.md beside the golden directories.
 */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { newSha256 } from '../../crypto/sha256.js';
import { must } from '../../engine/base/assert.js';
import { openDataDir } from '../../persistence/data-dir/layout.js';
import { createMarkFile } from '../../persistence/journal/mark.js';
import { crcHex, sealBatch } from '../../persistence/journal/segment/batch-row.js';
import { findSegments } from '../../persistence/journal/segment/names.js';
import { FORMAT_VERSION } from '../../persistence/journal/segment/schema.js';
import { openStore, type Recovered } from '../../persistence/recovery/open-store.js';
import { CLOCK, refusal, temporaryDir } from '../persistence/support/journal-files.js';

const FOLDER = fileURLToPath(new URL('../../../test/golden/', import.meta.url));
const GOLDEN = readdirSync(FOLDER)
  .filter((name) => name.startsWith('format-'))
  .flatMap((format) =>
    readdirSync(join(FOLDER, format))
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(format, name.slice(0, -'.json'.length))),
  );

/** A copy that a server may work on. */
function copyOf(t: TestContext, name: string): string {
  const root = join(temporaryDir(t), 'data');
  cpSync(join(FOLDER, name), root, { recursive: true });
  chmodSync(root, 0o700);
  // A checkout keeps no modes.
  for (const secret of ['master-secret', 'signing-keys']) {
    if (existsSync(join(root, secret))) chmodSync(join(root, secret), 0o600);
  }
  return root;
}

/** From this format on digests cover the entry percent and client seed of bets. */
const FORMAT_WITH_ENTRIES = 4;

/** Starts on `root` as a server does, and stops again. Returns the state, and how it was recovered. */
function start(
  root: string,
  format = FORMAT_WITH_ENTRIES,
): { readonly state: object; readonly recovered: Recovered } {
  const store = openStore(root, CLOCK, () => {});
  const { engine, recovered } = store;
  store.lock.release();
  const { seq, timeMs } = engine;
  const state = {
    seq,
    timeMs,
    digest: engine.rollingDigest(),
    stateDigest: engine.stateDigest(newSha256, format < FORMAT_WITH_ENTRIES ? Number.POSITIVE_INFINITY : 1),
    bets: engine.betCount,
    totals: engine.totals(),
  };
  return { state, recovered };
}

/** What the version that wrote the directory said of it. The directories before format 6 are from before limit orders. */
function expectedOf(name: string): object {
  const { totals, ...rest } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as {
    readonly totals: object;
  };
  return { ...rest, totals: { reservedStakesCents: 0, ...totals } };
}

for (const name of GOLDEN) {
  const format = Number(/^format-(\d+)/.exec(name)?.[1]);
  const expected = expectedOf(name);

  test(`${name} is recovered unchanged, and so again`, (t) => {
    const root = copyOf(t, name);
    const first = start(root, format);
    assert.deepEqual(first.state, expected);
    assert.equal(first.recovered.wasUnclean, name.endsWith('unclean'));
    const second = start(root, format);
    assert.deepEqual(second.state, expected);
    assert.equal(second.recovered.wasUnclean, false);
    assert.deepEqual(second.recovered.notes, []);
  });

  test(`${name} is recovered from the journal alone, and from a snapshot without earlier segments`, (t) => {
    const whole = copyOf(t, name);
    rmSync(join(whole, 'snapshots'), { recursive: true, force: true });
    const { recovered, state } = start(whole, format);
    assert.deepEqual(state, expected);
    assert.equal(recovered.snapshotSeq, 0);

    const pruned = copyOf(t, name);
    const dir = openDataDir(pruned);
    if (readdirSync(dir.snapshots).length === 0) return;
    for (const sealed of findSegments(dir.journal).slice(0, -1)) rmSync(sealed);
    const fromSnapshot = start(pruned, format);
    assert.deepEqual(fromSnapshot.state, expected);
    assert.ok(fromSnapshot.recovered.snapshotSeq > 0);
    const notes = fromSnapshot.recovered.notes.join('\n');
    // From the third format on what was pruned is written down, and these files were not.
    if (format >= 3) {
      assert.match(
        notes,
        /are missing from the journal, .* does not say that they were pruned: they are lost/,
      );
      return;
    }
    // Its version did not write down what was pruned.
    assert.match(notes, /^Nothing says why .* recorded as pruned now\.$/);
    assert.deepEqual(start(pruned, format).recovered.notes, []);
  });
}

/** Writes another format version, with a right checksum, into the last segment. */
function setFormat(root: string, version: number): void {
  const db = new Database(must(findSegments(openDataDir(root).journal).at(-1), 'a segment'));
  const meta = db.prepare('SELECT created_ms, first_seq, previous_chain FROM meta').raw().get() as unknown[];
  const checksum = crcHex([version, ...meta].join(' '));
  db.prepare('UPDATE meta SET format_version = ?, checksum = ?').run(version, checksum);
  db.close();
}

test('a newer format is refused and left unchanged', (t) => {
  const root = copyOf(t, 'format-1/clean');
  start(root);
  setFormat(root, FORMAT_VERSION + 1);
  const sentence = new RegExp(
    `has format version ${FORMAT_VERSION + 1}; this version of the server knows ${FORMAT_VERSION}`,
  );
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.throws(() => start(root), refusal('journal_newer_version', sentence));
  }
});

for (const kind of ['advance', 'cashOut']) {
  const version = kind === 'advance' ? 2 : 1;
  test(`"${kind}" of version ${version}, which a newer version writes, is refused by its name`, (t) => {
    const root = copyOf(t, 'format-1/clean');
    const { recovered } = start(root);
    const dir = openDataDir(root);
    const db = new Database(must(findSegments(dir.journal)[0], 'a segment'));
    const { chain, digest } = db
      .prepare('SELECT chain, digest FROM batch WHERE last_seq = ?')
      .get(recovered.lastSeq) as { chain: string; digest: string };
    const { lastSeq, lastTimeMs: timeMs } = recovered;
    const commands = JSON.stringify([[kind, version, timeMs, {}]]);
    const batch = { firstSeq: lastSeq + 1, lastSeq: lastSeq + 1, timeMs, commands, digest };
    const row = sealBatch({ lastSeq, chain }, batch);
    db.prepare('INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?)').run(
      row.firstSeq,
      row.lastSeq,
      row.timeMs,
      row.digest,
      row.checksum,
      row.chain,
      row.commands,
    );
    db.close();
    createMarkFile(dir.markFile, { lastSeq: row.lastSeq, checksum: row.checksum });
    const sentence = new RegExp(
      `"${kind}" of version ${version}, which this program does not know: a newer version.*Start the version`,
    );
    assert.throws(() => start(root), refusal('replay_mismatch', sentence));
  });
}
