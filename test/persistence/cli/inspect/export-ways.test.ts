/** Exports have the same bytes whether an archive has all, some or nothing of what they show. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import type { Command } from '../../../../engine/model/commands.js';
import { type Ran, tote } from '../../../support/processes/cli.js';
import { randomCommands } from '../../../support/reference/random/stream.js';
import { temporaryDir } from '../../support/journal-files.js';
import { type MadeDir, makeDataDir } from '../../support/made-dir.js';

const BATCH = 5;
const STEPS = 900;
const KINDS = ['bets', 'ledger', 'rounds'];

const commandsOf = (seed: number): readonly Command[] => randomCommands(seed, STEPS, true, true);

/** A directory whose archive ends at about half of the commands, with snapshots before and behind that end. */
function makeLagging(t: TestContext, commands: readonly Command[]): MadeDir {
  const path = temporaryDir(t);
  const half = Math.floor(commands.length / BATCH / 2);
  const batchSize = () => BATCH;
  const early = makeDataDir(join(path, 'early'), commands.slice(0, half * BATCH), {
    batchSize,
    hasArchive: true,
  });
  const snapshotsAfter = [half - 10, half + 10];
  const made = makeDataDir(join(path, 'data'), commands, { batchSize, snapshotsAfter, hasArchive: true });
  cpSync(early.dir.archiveFile, made.dir.archiveFile);
  return made;
}

function firstDifference(one: string, other: string): string {
  const others = other.split('\r\n');
  const lines = one.split('\r\n');
  const at = lines.findIndex((line, index) => line !== others[index]);
  return `line ${at}: ${lines[at]}, not ${others[at]}`;
}

const exported = ({ dir }: MadeDir, what: string, ...options: string[]): Promise<Ran> =>
  tote(['export', dir.root, '--what', what, ...options]);

test('archive and journal give the same bytes as the journal alone, in every range', async (t) => {
  const commands = commandsOf(5);
  const made = makeLagging(t, commands);
  const bare = makeDataDir(join(temporaryDir(t), 'bare'), commands, { batchSize: () => BATCH });
  const length = commands.length;
  const ranges = [[], ['--to', String(Math.floor(length / 3))], ['--from', String(Math.floor(length / 3))]];
  for (const what of KINDS) {
    const ofOne = what === 'rounds' ? [] : [['--account', 'acc_1']];
    for (const range of [...ranges, ...ofOne]) {
      const both = await exported(made, what, ...range);
      const alone = await exported(bare, what, ...range);
      assert.equal(both.code, 0, both.stderr);
      assert.ok(
        both.stdout === alone.stdout,
        `${what} ${range.join(' ')}: ${firstDifference(both.stdout, alone.stdout)}`,
      );
      assert.ok(both.stdout.split('\r\n').length > 5, `${what} ${range.join(' ')} has rows`);
    }
  }
});

test('a damaged row of the archive ends an export, which leaves no file; without the archive it is whole', async (t) => {
  const made = makeDataDir(join(temporaryDir(t), 'data'), commandsOf(6), {
    batchSize: () => BATCH,
    hasArchive: true,
  });
  const good = (await exported(made, 'bets')).stdout;
  const db = new Database(made.dir.archiveFile);
  const last = '(SELECT max(first_bet) FROM placed_block)';
  const swap = `UPDATE placed_block SET rows = replace(rows, '"UP"', '"DOWN"') WHERE first_bet = ${last}`;
  assert.equal(db.prepare(swap).run().changes, 1);
  db.close();
  const file = join(made.dir.root, 'bets.csv');
  const refused = await exported(made, 'bets', '--out', file);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /checksum of placed_block \d+ does not match. It is rebuilt .* when it is moved away/,
  );
  assert.ok(!existsSync(file));
  renameSync(made.dir.archiveFile, `${made.dir.archiveFile}.away`);
  assert.equal((await exported(made, 'bets')).stdout, good);
});
