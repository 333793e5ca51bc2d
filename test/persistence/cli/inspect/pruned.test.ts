/** On a journal whose beginning retention has deleted, the inspecting commands show the same with the archive. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { isoText } from '../../../../engine/base/iso-text.js';
import { betId, isUnfilled, roundId } from '../../../../engine/model/domain.js';
import type { BetSettled } from '../../../../engine/model/events.js';
import { createMarkFile } from '../../../../persistence/journal/mark.js';
import { tote, toteErrors, toteJson, toteText } from '../../../support/processes/cli.js';
import { randomCommands } from '../../../support/reference/random/stream.js';
import { alterDatabase, temporaryDir } from '../../support/journal-files.js';
import { type MadeDir, makeDataDir } from '../../support/made-dir.js';
import { alterDeposit } from '../../support/operator-dir.js';

const SEED = 5;
const STEPS = 700;
type Document = Readonly<Record<string, unknown>>;
const commands = randomCommands(SEED, STEPS, true, true);

function makeBoth(root: string): { whole: MadeDir; pruned: MadeDir } {
  const batchSize = (index: number): number => 1 + (index % 4);
  const firstBatch = 60;
  return {
    whole: makeDataDir(join(root, 'whole'), commands, { batchSize }),
    pruned: makeDataDir(join(root, 'pruned'), commands, {
      batchSize,
      snapshotsAfter: [20, 70, 90],
      firstBatch,
      hasArchive: true,
    }),
  };
}

async function shown({ dir }: MadeDir, ...[command = '', id = '', ...options]: string[]): Promise<Document> {
  // The sentence on the missing secret names the directory; the sources differ.
  const told = await toteJson<Document>([command, id, dir.root, ...options]);
  const { seedNotShown: _, from: __, ...facts } = told;
  return facts;
}

const timeOf = ({ batches }: MadeDir, at: number): string => isoText(must(batches[at], 'batch').timeMs);

const exported = (what: string, ...made: readonly MadeDir[]): Promise<string[]> =>
  Promise.all(made.map(({ dir }) => toteText(['export', dir.root, '--what', ...what.split(' ')])));

test('exports, bets, rounds and accounts are the same as before pruning', async (t) => {
  const { whole, pruned } = makeBoth(temporaryDir(t));
  const [from, to, later] = [20, 50, 80].map((at) => timeOf(whole, at));
  const ranges = ['', ` --from ${from} --to ${to}`, ` --from ${from} --to ${later}`, ` --to ${to}`];
  for (const what of ranges.flatMap((range) => [`ledger${range}`, `bets${range}`])) {
    const [expected, actual] = await exported(what, whole, pruned);
    assert.ok((expected ?? '').split('\n').length > 25, `${what}: too few rows to prove anything`);
    assert.equal(actual, expected, what);
  }
  // Rounds that one command settled have no order in the archive.
  const rounds = (await exported('rounds', whole, pruned)).map((text) => text.split('\n'));
  assert.deepEqual(rounds[1]?.sort(), rounds[0]?.sort());

  const events = whole.events.flat();
  const bets = events.flatMap((event) => (event.type === 'betPlaced' ? [event] : []));
  const settled = events.flatMap((event) => (event.type === 'roundSettled' ? [event] : []));
  for (const index of [0, bets.length - 1]) {
    const id = betId(must(bets[index], 'bet').bet);
    assert.deepEqual(await shown(pruned, 'bet', id), await shown(whole, 'bet', id), id);
  }
  const end = must(
    events.find((event) => event.type === 'betSettled' && isUnfilled(event.result)),
    'one',
  );
  const unfilled = await shown(pruned, 'bet', betId((end as BetSettled).bet));
  assert.equal(unfilled['paidCents'], null, 'a stake that comes back is no payout');
  for (const index of [0, settled.length - 1]) {
    const { market, roundNumber } = must(settled[index], 'round');
    const id = roundId(market, roundNumber);
    assert.deepEqual(await shown(pruned, 'round', id), await shown(whole, 'round', id), id);
    assert.deepEqual((await shown(pruned, 'round', id))['faults'], []);
  }
  const opened = events.findLast(({ type }) => type === 'roundOpened');
  assert.ok(opened?.type === 'roundOpened');
  const open = ['round', roundId(opened.market, opened.roundNumber)];
  const middle = must(whole.batches[80], 'batch');
  const moments = [middle.lastSeq, middle.timeMs].map((at) => ['account', 'acc_2', '--at', `${at}`]);
  for (const args of [open, ['account', 'acc_1'], ...moments])
    assert.deepEqual(await shown(pruned, ...args), await shown(whole, ...args), args.join(' '));
  const told = await toteText(['account', 'acc_1', pruned.dir.root]);
  assert.match(told, /from +the archive up to sequence number \d+, and the journal/);
});

test('an earlier state, which only a replay could give, is refused', async (t) => {
  const { pruned } = makeBoth(temporaryDir(t));
  const earlier = ['--from', '--to'].map((end) => `replay ${end} ${timeOf(pruned, 20)}`);
  for (const args of ['account acc_1 --at 20', 'replay --from 20 --to 30', ...earlier]) {
    const refused = await tote([...args.split(' '), pruned.dir.root]);
    assert.match(`${refused.code} ${refused.stderr}`, /^1 .* cannot be worked out any more/);
  }
  const replayed = (await toteText(['replay', pruned.dir.root])).split('\n');
  assert.match(replayed[0] ?? '', new RegExp(`^${must(pruned.batches[70], 'batch').lastSeq + 1} `));
});

test('an archive that was tampered with does not balance, and one with a flipped cell is refused', async (t) => {
  const { pruned } = makeBoth(temporaryDir(t));
  const cents = 123;
  const seq = alterDeposit(pruned.dir, cents, true);
  const account = await toteText(['account', 'acc_1', pruned.dir.root], 1);
  assert.match(account, new RegExp(`^faults: .*\\n {2}acc_1, sequence number ${seq}: `, 'm'));
  const exported = await toteErrors(['export', '--what', 'ledger', pruned.dir.root], 1);
  assert.match(exported, new RegExp(`acc_1, sequence number ${seq}: `));
  alterDeposit(pruned.dir, cents, false);
  for (const command of ['account acc_1', 'export --what ledger']) {
    const refused = await tote([...command.split(' '), pruned.dir.root]);
    assert.match(`${refused.code} ${refused.stderr}`, /^1 .*transfer \d+ \d+ does not match its checksum/s);
  }
});

test('an export says that pages of the archive have lost rows, or that all of it is lost', async (t) => {
  const { whole, pruned } = makeBoth(temporaryDir(t));
  const { archiveFile, root } = pruned.dir;
  for (const [what, table, kind] of [
    ['bets', 'settled_block', 'betsSettled'],
    ['rounds', 'round', 'rounds'],
  ]) {
    alterDatabase(archiveFile, `DELETE FROM ${table} WHERE market = 'BTC_ONE_MINUTE'`);
    const told = await toteErrors(['export', '--what', `${what}`, root], 1);
    assert.match(told, new RegExp(`is damaged: there are \\d+ rows of ${kind}; there must be`));
  }
  rmSync(archiveFile);
  assert.match(await toteText(['account', 'acc_1', root]), /^adds up +yes$/m);
  for (const what of ['ledger', 'bets', 'rounds']) {
    const told = await toteErrors(['export', '--what', what, root], 1);
    assert.match(told, /^tote export: .* are (missing|not known)/m);
    await toteErrors(['export', '--what', what, root, '--from', timeOf(pruned, 20)], 1);
    const [expected, left] = await exported(`${what} --from ${timeOf(pruned, 75)}`, whole, pruned);
    assert.equal(left, expected, 'all that is asked for is left');
  }
  // The seeds or all bets of some were paid in before the records that are left begin.
  for (const event of whole.events.flat()) {
    if (event.type !== 'roundSettled') continue;
    const id = roundId(event.market, event.roundNumber);
    const [expected, actual] = [await shown(whole, 'round', id), await shown(pruned, 'round', id)];
    const [all, left] = [expected, actual].map(({ bets }) => (bets as unknown[]).length);
    for (const name of ['paidCents', 'houseResultCents'])
      assert.equal(actual[name], left === all ? expected[name] : null, id);
  }
});

test('what is shown of a journal that has lost its end says so', async (t) => {
  const { dir, engine } = makeBoth(temporaryDir(t)).whole;
  createMarkFile(dir.markFile, { lastSeq: engine.seq + 1, checksum: '00000000' });
  for (const show of ['export --what bets', 'account acc_1', 'bet bet_1', 'replay --last 1'])
    assert.match(await toteErrors([...show.split(' '), dir.root], 1), /ends at .*, but \d+ was acknowledged/);
  rmSync(dir.markFile);
  assert.match(await toteErrors(['account', 'acc_1', dir.root], 1), /its mark is missing/);
  writeFileSync(dir.markFile, 'x');
  assert.match(await toteErrors(['account', 'acc_1', dir.root], 1), /mark .* cannot be read/);
});
