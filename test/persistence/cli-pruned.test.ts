/**
 * The inspecting commands on a journal whose beginning retention has deleted: with the archive they tell the same of
 * random streams as with the whole journal, except what only the journal had (where prices are from, some rules).
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../engine/assert.js';
import { betId, roundId } from '../../engine/domain.js';
import { Dice } from '../support/reference/dice.js';
import { runStream } from '../support/reference/stream.js';
import { temporaryDir } from './journal-files.js';
import { type MadeDir, makeDataDir } from './made-dir.js';
import { tote, toteJson, toteText } from './tote.js';

const SEED = 5;
const STEPS = 700;
/** What the archive does not have; and the sentence on the missing secret, which names the directory. */
const NOT_COMPARED = ['openPriceFrom', 'closePriceFrom', 'stages', 'rules', 'seedNotShown'];
type Document = Readonly<Record<string, unknown>>;

const dice = new Dice(SEED);
const commands = runStream(
  SEED,
  Array.from({ length: STEPS }, () => dice.whole(0, 0xffff_ffff)),
).accepted;

/** The same commands in the same batches, with and without their beginning. */
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

function shown({ dir }: MadeDir, command: 'bet' | 'round', id: string): Document {
  const document = toteJson<Document>(command, id, dir.root);
  return Object.fromEntries(Object.entries(document).filter(([name]) => !NOT_COMPARED.includes(name)));
}

test('exports are the same, and so are bets and rounds', (t) => {
  const { whole, pruned } = makeBoth(temporaryDir(t));
  for (const what of ['ledger', 'bets']) {
    const [expected, actual] = [whole, pruned].map(({ dir }) => toteText('export', dir.root, '--what', what));
    assert.ok((expected ?? '').split('\n').length > 60, `${what}: too few rows to prove anything`);
    assert.equal(actual, expected, what);
  }
  // Rounds that one command settled have no order in the archive.
  const rounds = [whole, pruned].map(({ dir }) =>
    toteText('export', dir.root, '--what', 'rounds').split('\n'),
  );
  assert.deepEqual(rounds[1]?.sort(), rounds[0]?.sort());

  const events = whole.events.flat();
  const bets = events.flatMap((event) => (event.type === 'betPlaced' ? [event] : []));
  const settled = events.flatMap((event) => (event.type === 'roundSettled' ? [event] : []));
  for (const index of [0, bets.length - 1]) {
    const id = betId(must(bets[index], 'bet').bet);
    assert.deepEqual(shown(pruned, 'bet', id), shown(whole, 'bet', id), id);
  }
  for (const index of [0, settled.length - 1]) {
    const { market, roundNumber } = must(settled[index], 'round');
    const id = roundId(market, roundNumber);
    assert.deepEqual(shown(pruned, 'round', id), shown(whole, 'round', id), id);
    assert.deepEqual(shown(pruned, 'round', id)['faults'], []);
  }
});

test('what came before is refused where only the engine could tell it', (t) => {
  const { pruned } = makeBoth(temporaryDir(t));
  const early = tote(['account', 'acc_1', pruned.dir.root, '--at-seq', '20']);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /cannot be worked out any more/);
  const replayed = toteText('replay', pruned.dir.root).split('\n');
  assert.match(replayed[0] ?? '', new RegExp(`^${must(pruned.batches[70], 'batch').lastSeq + 1} `));
});
