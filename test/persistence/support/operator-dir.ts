/**
 * A whole small data directory as an operator has one: a random stream of real commands in a journal of three
 * segments, snapshots, archive, mark, secrets.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { FAIRNESS_TOOLS } from '../../../crypto/hashes.js';
import { signerOf } from '../../../crypto/signing.js';
import { assert, must } from '../../../engine/base/assert.js';
import type { Engine } from '../../../engine/engine.js';
import { RoundSeeds } from '../../../engine/fairness.js';
import type { Command } from '../../../engine/model/commands.js';
import { roundId } from '../../../engine/model/domain.js';
import { archiveChecksum, blockChecksum } from '../../../persistence/archive/columns.js';
import { rowQuery } from '../../../persistence/archive/schema.js';
import { rollbackPath, walPath } from '../../../persistence/data-dir/files.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { masterSecretFingerprint } from '../../../persistence/data-dir/secrets.js';
import { type RoundRoot, rootText } from '../../../persistence/roots/round-roots.js';
import { rootMaker, TEST_SIGNING, writeSigningKeys } from '../../support/engine/signing.js';
import { newFolder } from '../../support/new-folder.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { alterDatabase, temporaryDir } from './journal-files.js';
import { type Amendment, type MadeDir, makeDataDir } from './made-dir.js';

const SECRET = Buffer.alloc(32, 7);
const SIGN = signerOf(TEST_SIGNING);
export const SNAPSHOTS_AFTER: readonly number[] = [10, 45, 80];
interface OperatorDirOptions {
  /** By default 430, in 124 batches. */
  readonly commands?: number;
  readonly firstBatch?: number;
  readonly alter?: (command: Command) => Command;
  /** Replaces the Merkle root of a round's bets on record. */
  readonly rootOf?: (root: string, round: string) => string;
  /** Replaces the signature of a root on record. */
  readonly signatureOf?: (signature: string, round: string) => string;
  /** By default 1 to 6 commands in turn. */
  readonly batchSize?: (index: number) => number;
  readonly snapshotsAfter?: readonly number[];
}

const streams = new Map<number, readonly Command[]>();
function commandsOf(count: number): readonly Command[] {
  const known = streams.get(count);
  if (known !== undefined) return known;
  const made = makeCommands(count);
  streams.set(count, made);
  return made;
}

/** A third or more of a random stream's steps become commands. */
const STEPS_PER_COMMAND = 4;

/** As many whatever the stream is like, so that each batch stands in the same segment after a change of its moves. */
function makeCommands(count: number): Command[] {
  const fingerprint = masterSecretFingerprint(SECRET);
  const stream = randomCommands(12, count * STEPS_PER_COMMAND, false).slice(0, count - 1);
  assert(stream.length === count - 1, 'the stream is long enough');
  const commands = stream.map((command) =>
    command.kind === 'configure'
      ? { ...command, rules: { ...command.rules, masterSecretFingerprint: fingerprint } }
      : command,
  );
  // Three days later, so that the rest is old enough for retention.
  const timeMs = must(commands.at(-1), 'a command').timeMs + 3 * 86_400_000;
  return [...commands, { kind: 'depositHouse', timeMs, amountCents: 100, reference: 'three days later' }];
}

/** Those that tests have asked for: to copy one takes a fraction of making it. */
const originals = new Map<string, MadeDir>();

export function makeOperatorDir(root: string, options: OperatorDirOptions = {}): MadeDir {
  // Functions have no text to be found by.
  if (Object.values(options).some((option) => typeof option === 'function')) return makeAnew(root, options);
  const key = JSON.stringify(options);
  const known = originals.get(key) ?? makeAnew(join(newFolder(), 'data'), options);
  originals.set(key, known);
  cpSync(known.dir.root, root, { recursive: true });
  return { ...known, dir: openDataDir(root) };
}

function makeAnew(
  root: string,
  {
    commands = 430,
    firstBatch = 0,
    alter = (command) => command,
    rootOf = (root) => root,
    signatureOf = (signature) => signature,
    batchSize = (index) => 1 + (index % 6),
    snapshotsAfter = SNAPSHOTS_AFTER,
  }: OperatorDirOptions,
): MadeDir {
  const dir = openDataDir(root);
  writeFileSync(dir.masterSecretFile, SECRET, { mode: 0o600 });
  writeSigningKeys(dir.signingKeysFile);
  writeFileSync(dir.operatorTokenFile, `${'operator'.repeat(4)}\n`, { mode: 0o600 });
  return makeDataDir(root, commandsOf(commands).map(alter), {
    batchSize,
    snapshotsAfter,
    firstBatch,
    hasArchive: true,
    segments: 3,
    amend: (engine) => new RightRoots(engine, rootOf, signatureOf),
  });
}

/** In a folder of its own, so that a test may put others beside it. */
export const makeFor = (t: TestContext, options: OperatorDirOptions = {}): MadeDir =>
  makeOperatorDir(join(temporaryDir(t), 'data'), options);

/** The stream knows no secret, so the roots in it are made up. */
class RightRoots implements Amendment {
  readonly #made = new Map<string, string>();
  readonly #seeds = new RoundSeeds(SECRET, FAIRNESS_TOOLS);
  readonly #make: () => readonly RoundRoot[];

  constructor(
    engine: Engine,
    private readonly rootOf: (root: string, round: string) => string,
    private readonly signatureOf: (signature: string, round: string) => string,
  ) {
    this.#make = rootMaker(engine, SECRET);
  }

  amended(command: Command): Command {
    if (command.kind !== 'publishRoot') return command;
    const round = roundId(command.market, command.roundNumber);
    const made = this.#made.get(round);
    // A round that was voided before its lock has none of its own.
    const merkleRoot = made === undefined ? command.merkleRoot : this.rootOf(made, round);
    const root = { ...command, merkleRoot };
    const { keyId } = TEST_SIGNING;
    return { ...root, keyId, signature: this.signatureOf(SIGN(rootText(this.#seeds, root)), round) };
  }

  applied(): void {
    for (const { market, roundNumber, merkleRoot } of this.#make())
      this.#made.set(roundId(market, roundNumber), merkleRoot);
  }
}

export function flipBit(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset] = must(bytes[offset], 'a byte') ^ 1;
  writeFileSync(path, bytes);
}

/** As `alterDatabase`, with right checksums. */
export function forgeArchive(path: string, sql: string): void {
  alterDatabase(path, sql);
  const db = new Database(path);
  for (const table of ['placed_block', 'account_bets', 'transfer', 'progress']) {
    const seal = db.prepare(`UPDATE ${table} SET checksum = ? WHERE checksum = ?`);
    for (const row of rowQuery(db, `SELECT * FROM ${table}`).all()) {
      const cells = row.slice(0, -1);
      const isBlock = table === 'placed_block';
      const checksum = isBlock
        ? blockChecksum(cells.slice(0, -1), `${cells.at(-1)}`)
        : archiveChecksum(cells);
      seal.run(checksum, row.at(-1));
    }
  }
  db.close();
}

/** Alters the amount of the first account's first deposit, with or without a new checksum. Returns its command. */
export function alterDeposit(dir: DataDir, cents: number, isForged: boolean): number {
  const db = new Database(dir.archiveFile);
  const seq = db.prepare<[], number>('SELECT min(seq) FROM transfer WHERE account = 1').pluck().get();
  db.close();
  const change = `UPDATE transfer SET amount_cents = amount_cents + ${cents} WHERE account = 1 AND seq = ${seq}`;
  (isForged ? forgeArchive : alterDatabase)(dir.archiveFile, change);
  return must(seq, 'a deposit');
}

/** Leaves the last rows of the open segment in its WAL, as a kill does; returns both files' content. */
export function leaveWal(path: string): { readonly database: Buffer; readonly wal: Buffer } {
  const db = new Database(path);
  db.pragma('wal_autocheckpoint = 0');
  const last = 'WHERE last_seq > (SELECT max(last_seq) - 9 FROM batch)';
  const rows = db.prepare<[], unknown[]>(`SELECT * FROM batch ${last}`).raw().all();
  db.exec(`DELETE FROM batch ${last}`);
  db.pragma('wal_checkpoint(TRUNCATE)');
  const insert = db.prepare('INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?)');
  for (const row of rows) insert.run(...row);
  const content = { database: readFileSync(path), wal: readFileSync(walPath(path)) };
  db.close();
  writeFileSync(path, content.database);
  writeFileSync(walPath(path), content.wal);
  return content;
}

/**
 * As a kill in the middle of a seal leaves the segment: pages of the seal's transaction are in the file, and the
 * rollback journal that takes them back lies beside it. Earlier pages are written over, too, and the file is longer.
 */
export function leaveHalfSeal(path: string): void {
  const db = new Database(path);
  db.pragma('journal_mode = PERSIST');
  // Has pages written before the transaction ends, and the journal synced each time.
  db.pragma('cache_size = 1');
  db.exec("BEGIN IMMEDIATE; INSERT INTO seal VALUES (1, 'x', 'x', 'x'); CREATE TABLE spill (a)");
  db.exec("INSERT INTO spill SELECT zeroblob(1000) FROM batch; UPDATE batch SET digest = 'half'");
  const content = { database: readFileSync(path), journal: readFileSync(rollbackPath(path)) };
  db.exec('ROLLBACK');
  db.close();
  writeFileSync(path, content.database);
  writeFileSync(rollbackPath(path), content.journal);
}
