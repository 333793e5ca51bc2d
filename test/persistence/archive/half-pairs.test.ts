/**
 * Texts with half a surrogate pair, which older versions accepted from operators. UTF-8 cannot represent them, but
 * journals that contain them are good: they verify, are backed up, and return the texts unchanged.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { must } from '../../../engine/base/assert.js';
import type { Command } from '../../../engine/model/commands.js';
import type { EngineEvent, PastEvent } from '../../../engine/model/events.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { type ArchiveCell, isIntact } from '../../../persistence/archive/form/checksum.js';
import { findDataDir } from '../../../persistence/data-dir/layout.js';
import { ArchiveReader } from '../../../persistence/replay/history-archive.js';
import { backup } from '../../../persistence/upkeep/backup/backup.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir, SNAPSHOTS_AFTER } from '../support/operator-dir.js';

/** Both halves, alone and in the wrong order, beside what looks like them once it is decoded. */
const HALVES = '\ud800\udbff \udc00\udfff\ud83d😀 é\ufffd';

/** Every text given by a client or an operator. */
function withHalves(command: Command): Command {
  switch (command.kind) {
    case 'createAccount':
      return { ...command, name: HALVES };
    case 'deposit':
    case 'withdraw':
    case 'depositHouse':
    case 'withdrawHouse':
      return { ...command, reference: command.reference + HALVES };
    case 'setTrading':
    case 'voidRound':
      return { ...command, reason: HALVES };
    case 'placeOrder':
      return { ...command, clientSeed: HALVES };
    default:
      return command;
  }
}

test('a journal with half surrogate pairs verifies with its snapshots and archive, and is backed up', (t) => {
  const root = temporaryDir(t);
  const { dir, engine } = makeOperatorDir(join(root, 'data'), { alter: withHalves });
  const report = verify(dir);
  assert.deepEqual(report.faults, []);
  assert.equal(report.snapshotsCompared.length, SNAPSHOTS_AFTER.length);
  const to = join(root, 'backup');
  assert.deepEqual(backup(dir, to).faults, []);
  const copy = findDataDir(to);
  assert.deepEqual(verify(copy).faults, []);
  assert.equal(verify(copy).archive?.seq, engine.seq);
});

/** Without what the archive keeps with the bet only. */
function asArchived(event: EngineEvent): PastEvent {
  if (event.type === 'betPlaced') return { ...event, filled: null };
  if (event.type !== 'betSettled') return event;
  const { side: _side, stakeCents: _stakeCents, rested: _rested, ...facts } = event;
  return facts;
}

test('the archive returns the texts of bets, rounds and transfers unchanged', (t) => {
  const { dir, engine, events } = makeOperatorDir(temporaryDir(t), { alter: withHalves });
  const archive = must(ArchiveReader.open(dir), 'the archive');
  const kinds = ['betPlaced', 'orderPending', 'orderFilled', 'betSettled', 'balanceMoved'];
  const given = events
    .flat()
    .filter(({ type }) => kinds.includes(type))
    .map(asArchived);
  assert.deepEqual(
    [...archive.allEvents(1, engine.seq)].map(({ event }) => event),
    given,
  );
  const reasons = [...archive.rounds(engine.seq, null)].map(({ voidReason }) => voidReason);
  archive.close();
  assert.ok(reasons.includes(HALVES));
});

test('a flipped bit in such a text is detected', (t) => {
  const { dir } = makeOperatorDir(temporaryDir(t), { commands: 60, alter: withHalves });
  const db = new Database(dir.archiveFile);
  const change = db.prepare(
    'UPDATE transfer SET reference = CAST(? AS TEXT) WHERE seq = (SELECT min(seq) FROM transfer)',
  );
  const first = db
    .prepare<[], ArchiveCell[]>('SELECT *, CAST(reference AS BLOB) FROM transfer ORDER BY seq')
    .raw()
    .get();
  const row = must(first, 'a transfer');
  const bytes = row.at(-1) as unknown as Buffer;
  assert.ok(!isIntact(row.slice(0, -1)), 'the text that SQLite returns is not the one that was written');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = must(flipped[bit >> 3], 'a byte') ^ (1 << (bit & 7));
    change.run(flipped);
    assert.equal(checkArchive(dir.archiveFile).faultCount, 1, `bit ${bit}`);
  }
  change.run(bytes);
  db.close();
  assert.deepEqual(checkArchive(dir.archiveFile).faults, []);
});
