/**
 * The archive as a projection: it contains the facts of the events, its ledger adds up to every balance, it continues
 * after a crash without gaps or duplicates, and a flipped bit in it is detected.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { LedgerAnswer } from '../../../engine/model/archive-reads.js';
import type { Command } from '../../../engine/model/commands.js';
import { BET_ENDS, marketId, SIDES } from '../../../engine/model/domain.js';
import type { Accepted } from '../../../engine/model/events.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { archiveChecksum } from '../../../persistence/archive/columns.js';
import { setArchiveAside } from '../../../persistence/archive/file.js';
import { ledgerEntryOf } from '../../../persistence/archive/reader/entries.js';
import { ArchiveReader } from '../../../persistence/archive/reader/reader.js';
import { type ArchivePosition, asArchiveDamage } from '../../../persistence/archive/schema.js';
import { ArchiveWriter } from '../../../persistence/archive/writer.js';
import { closing } from '../../../persistence/data-dir/closing.js';
import { type DataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { Rng } from '../../support/reference/random/rng.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { alterDatabase, refusal, temporaryDir } from '../support/journal-files.js';
import { START } from '../support/made-dir.js';

const STEPS = 700;
const commandsOf = (seed: number): readonly Command[] => randomCommands(seed, STEPS, true, true);
const positionOf = (engine: Engine): ArchivePosition => ({
  seq: engine.seq,
  timeMs: engine.timeMs,
  digest: engine.rollingDigest(),
  chain: String(engine.seq).padStart(64, '0'),
});

type Numbered = Pick<Accepted, 'seq' | 'events'>;

function project(engine: Engine, commands: readonly Command[], writer: ArchiveWriter | null): Numbered[] {
  return commands.map((command) => {
    const outcome = engine.apply(command);
    assert.equal(outcome.status, 'accepted');
    if (outcome.status !== 'accepted') return { seq: 0, events: [] };
    writer?.add(outcome.seq, command, outcome.events);
    return outcome;
  });
}

function archiveOf(dir: DataDir, seed: number): { engine: Engine; outcomes: Numbered[] } {
  const engine = new Engine();
  const writer = ArchiveWriter.create(dir, START, engine, 1);
  writer.follow(engine);
  const outcomes = project(engine, commandsOf(seed), writer);
  writer.commit(positionOf(engine));
  writer.close();
  return { engine, outcomes };
}

function rowsOf(dir: DataDir, sql: string, ...parameters: number[]): Record<string, unknown>[] {
  using db = closing(new Database(dir.archiveFile, { readonly: true }));
  return db.prepare<number[], Record<string, unknown>>(sql).all(...parameters);
}

const DATA = ['bet', 'round', 'transfer', 'limit_step', 'progress'];
const dump = (dir: DataDir): string =>
  JSON.stringify(DATA.map((table) => rowsOf(dir, `SELECT * FROM ${table}`)));

test('rows contain the facts of the events, in words', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const { outcomes } = archiveOf(dir, 4);
  const bets = new Map(rowsOf(dir, 'SELECT * FROM bet').map((row) => [row['bet'], row]));
  const expect = (bet: number, expected: Record<string, unknown>): void => {
    const row = must(bets.get(bet), 'bet');
    for (const [column, value] of Object.entries(expected)) assert.equal(row[column], value, column);
  };
  let placed = 0;
  let settled = 0;
  for (const { seq, events } of outcomes) {
    for (const [item, event] of events.entries()) {
      if (event.type === 'betPlaced' || event.type === 'orderPending') {
        placed += 1;
        expect(event.bet, {
          account: event.account,
          market: marketId(event.market),
          round_number: event.roundNumber,
          side: SIDES[event.side],
          stake_cents: event.stakeCents,
          odds_e4: event.oddsE4,
          entry_percent_e2: event.type === 'betPlaced' ? event.entryPercentE2 : null,
          payout_cents: event.payoutCents,
          placed_seq: seq,
          placed_ms: event.timeMs,
          balance_after_cents: event.newBalanceCents,
          client_seed: event.clientSeed,
          client_order_id: event.clientOrderId,
          valid_until_ms: (event.type === 'orderPending' && event.validUntilMs) || null,
        });
      } else if (event.type === 'betSettled') {
        settled += 1;
        expect(event.bet, {
          result: BET_ENDS[event.result],
          paid_cents: event.payoutCents,
          settled_seq: seq,
          settled_item: item,
          settled_ms: event.timeMs,
          settled_balance_cents: event.newBalanceCents,
        });
      }
    }
  }
  assert.equal(bets.size, placed);
  assert.ok(settled > 50, `${settled} bets settled`);
  assert.equal(rowsOf(dir, 'SELECT * FROM bet WHERE settled_seq IS NOT NULL').length, settled);
});

test("the view `ledger` has the API's entries, which add up to every balance", (t) => {
  const dir = openDataDir(temporaryDir(t));
  const { engine } = archiveOf(dir, 3);
  const archive = must(ArchiveReader.open(dir.archiveFile), 'the archive');
  t.after(() => archive.close());
  for (let account = 0; account <= engine.accountCount; account++) {
    const entries = rowsOf(dir, 'SELECT * FROM ledger WHERE account = ? ORDER BY seq, item', account);
    let balanceCents = 0;
    for (const entry of entries) {
      balanceCents += Number(entry['amount_cents']);
      assert.equal(entry['balance_cents'], balanceCents, JSON.stringify(entry));
    }
    const shown = [...archive.accountEvents(account, engine.seq)]
      .flatMap(({ seq, event }) => ledgerEntryOf(seq, event) ?? [])
      .map(({ seq, kind, amountCents }) => [seq, kind, amountCents]);
    const viewed = entries.map(({ seq, kind, amount_cents: amountCents }) => [seq, kind, amountCents]);
    assert.deepEqual(viewed, shown.reverse());
    const isBalance = account === 0 ? engine.totals().houseCents : engine.account(account)?.balanceCents;
    assert.equal(balanceCents, isBalance, `account ${account}`);
  }
});

test('after a crash it continues, with the same file as without one', (t) => {
  const whole = openDataDir(join(temporaryDir(t), 'whole'));
  const commands = commandsOf(4);
  archiveOf(whole, 4);
  const dir = openDataDir(join(temporaryDir(t), 'crashed'));
  const rng = new Rng(4);
  ArchiveWriter.create(dir, START, new Engine(), 1).close();
  for (;;) {
    const writer = must(ArchiveWriter.open(dir), 'archive');
    const engine = new Engine();
    project(engine, commands.slice(0, writer.progress.seq), null);
    writer.follow(engine);
    const left = commands.slice(engine.seq);
    const committed = left.slice(0, 1 + rng.below(60));
    project(engine, committed, writer);
    writer.commit(positionOf(engine));
    // A crash loses the rows that were never committed.
    project(engine, left.slice(committed.length, committed.length + rng.below(30)), writer);
    writer.close();
    if (committed.length === left.length) break;
  }
  assert.deepEqual([dump(dir), checkArchive(dir.archiveFile).faults], [dump(whole), []]);
});

test('an archive that begins in the middle has the balances, and the bets that were open there', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const commands = commandsOf(5);
  const engine = new Engine();
  project(engine, commands.slice(0, 200), null);
  while (engine.totals().openStakesCents === 0) {
    project(engine, [must(commands[engine.seq], 'a command after which bets are open')], null);
  }
  const startSeq = engine.seq;
  const open = engine.totals().openStakesCents + engine.totals().reservedStakesCents;
  const writer = ArchiveWriter.create(dir, positionOf(engine), engine, 1);
  assert.equal(rowsOf(dir, 'SELECT sum(stake_cents) AS cents FROM bet')[0]?.['cents'], open);
  using reader = closing(must(ArchiveReader.open(dir.archiveFile), 'archive'));
  const checkLedgers = (): void => {
    for (let account = 1; account <= engine.accountCount; account++) {
      const question = { kind: 'ledger', account, before: null, limit: 1_000, reachedSeq: 0 } as const;
      const { entries } = must(reader.answer(question), 'it').answer as LedgerAnswer;
      const sumCents = entries.reduce((sum, { amountCents }) => sum + amountCents, 0);
      assert.equal(sumCents, engine.account(account)?.balanceCents, `account ${account}`);
    }
  };
  checkLedgers();
  writer.follow(engine);
  project(engine, commands.slice(startSeq), writer);
  writer.commit(positionOf(engine));
  writer.close();
  checkLedgers();
  const { faults, progress } = checkArchive(dir.archiveFile);
  assert.deepEqual([faults, progress?.fromSeq], [[], startSeq]);
});

test('a failed transaction leaves nothing, and the next writer continues from the file', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const commands = commandsOf(6);
  const engine = new Engine();
  const writer = ArchiveWriter.create(dir, START, engine, 1);
  writer.follow(engine);
  project(engine, commands.slice(0, Math.floor(commands.length / 2)), writer);
  writer.commit(positionOf(engine));
  const { seq } = writer.progress;
  const before = dump(dir);
  const holder = new Database(dir.archiveFile, { timeout: 0 });
  holder.exec('BEGIN IMMEDIATE');
  assert.throws(() => project(engine, commands.slice(seq), writer), { code: 'data_dir_locked' });
  const denied = asArchiveDamage(dir.archiveFile, new Database.SqliteError('denied', 'SQLITE_READONLY'));
  assert.match(
    String(denied),
    /cannot be opened here: SQLITE_READONLY: denied\. Give its files to this user/,
  );
  holder.exec('ROLLBACK');
  holder.close();
  assert.throws(() => writer.commit(positionOf(engine)), /not used after an error/);
  writer.close();
  assert.equal(dump(dir), before);

  const next = must(ArchiveWriter.open(dir), 'archive');
  assert.equal(next.progress.seq, seq);
  const again = new Engine();
  project(again, commands.slice(0, seq), null);
  next.follow(again);
  project(again, commands.slice(seq), next);
  assert.equal(dump(dir), before, 'readers see nothing of it before it is committed');
  next.commit(positionOf(again));
  next.close();
  assert.equal(checkArchive(dir.archiveFile).progress?.seq, again.seq);
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});

test('a settlement that the archive has already is damage', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const { engine, outcomes } = archiveOf(dir, 9);
  const settled = outcomes.find(({ events }) => events.some(({ type }) => type === 'betSettled'));
  const { seq, events } = must(settled, 'a settlement');
  const writer = must(ArchiveWriter.open(dir), 'archive');
  writer.follow(engine);
  const settledAgain = (): void => {
    writer.add(
      seq,
      { kind: 'settle', timeMs: engine.timeMs, betsMax: 1 },
      events.filter(({ type }) => type === 'betSettled'),
    );
    writer.commit({ ...positionOf(engine), seq: engine.seq + 1 });
  };
  assert.throws(settledAgain, refusal('archive_corrupt', /a row is there that should not be/));
  writer.close();
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});

test('an archive of another format is refused; another kind of file is damage', (t) => {
  const dir = openDataDir(temporaryDir(t));
  archiveOf(dir, 7);
  const db = new Database(dir.archiveFile);
  const checksum = archiveChecksum([999, 1]);
  db.prepare('UPDATE meta SET format_version = 999, created_ms = 1, checksum = ?').run(checksum);
  const other = refusal('other_format', /has format 999; this version reads format 1\. Start/);
  assert.throws(() => ArchiveWriter.open(dir), other);
  db.exec("UPDATE meta SET checksum = '00000000'");
  db.close();
  assert.throws(() => ArchiveWriter.open(dir), refusal('archive_corrupt', /meta table/));
  writeFileSync(dir.archiveFile, 'no database');
  assert.throws(() => ArchiveWriter.open(dir), refusal('archive_corrupt', /NOTADB/));
  const aside = setArchiveAside(dir, 12);
  assert.equal(aside, `${dir.archiveFile}.damaged-12`);
  assert.ok(!existsSync(dir.archiveFile) && existsSync(aside));
  assert.equal(ArchiveWriter.open(dir), null);
});

test('a row with a wrong checksum is not read', (t) => {
  const dir = openDataDir(temporaryDir(t));
  const { engine } = archiveOf(dir, 2);
  const db = new Database(dir.archiveFile);
  t.after(() => db.close());
  for (const table of ['placed_block', 'settled_block', 'account_bets', 'limit_step', 'transfer', 'round']) {
    db.exec(`BEGIN; UPDATE ${table} SET checksum = '00000000'`);
    const reader = new ArchiveReader(dir.archiveFile, db, 0);
    const ofAccount = (account: number) => [...reader.accountEvents(account, engine.seq)];
    const read = () => [...reader.rounds(0, engine.seq), ...[1, 2, 3].flatMap(ofAccount)];
    assert.throws(read, refusal('archive_corrupt', new RegExp(`: (the checksum of )?${table} `)));
    db.exec('ROLLBACK');
  }
});

test('any flipped bit is detected, or has no effect', (t) => {
  const dir = openDataDir(temporaryDir(t));
  archiveOf(dir, 8);
  const good = dump(dir);
  alterDatabase(dir.archiveFile, 'PRAGMA journal_mode = DELETE');
  const bytes = readFileSync(dir.archiveFile);
  const flipped = openDataDir(join(temporaryDir(t), 'flipped'));
  const rng = new Rng(8);
  let noticed = 0;
  for (let flip = 0; flip < 160; flip++) {
    const copy = Buffer.from(bytes);
    const at = rng.below(copy.length);
    copy[at] = must(copy[at], 'byte') ^ (1 << rng.below(8));
    writeFileSync(flipped.archiveFile, copy);
    if (checkArchive(flipped.archiveFile).faults.length > 0) noticed += 1;
    else assert.equal(dump(flipped), good, `a bit of byte ${at} was flipped`);
  }
  assert.ok(noticed > 40, `${noticed} of 160 flips were noticed`);
});
