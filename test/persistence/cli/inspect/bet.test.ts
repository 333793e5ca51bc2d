/** `tote bet` and `tote verify-bet`: the bet, its outcome, and its hash, checked offline from published data. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { tote, toteJson, toteProcess, toteText } from '../../../support/processes/cli.js';
import { type Lived, live } from '../../support/lived-dir.js';

interface BetDocument {
  readonly betHash: string;
  readonly account: string;
  readonly round: string;
  readonly result: string | null;
  readonly payout: number | null;
  readonly clientSeed: string | null;
  readonly ledger: readonly { readonly kind: string; readonly amount: number }[];
  readonly evidence: Readonly<Record<string, unknown>>;
}

let lived: Lived;
before(async () => {
  lived = await live();
});
after(() => lived.sandbox.remove());

test('every bet is shown as the API answered it, with its outcome', async () => {
  for (const { bet, owner, clientSeed, round } of lived.bets.filter((_, index) => index % 2 === 0)) {
    const shown = await toteJson<BetDocument>(['bet', bet.id, lived.dataDir]);
    assert.equal(shown.betHash, bet.betHash);
    assert.equal(shown.account, owner);
    assert.equal(shown.round, round);
    assert.equal(shown.clientSeed, clientSeed);
    const trader = must(
      lived.traders.find(({ accountId }) => accountId === owner),
      'owner',
    );
    const position = (await trader.api.positions('?status=all')).find(({ id }) => id === bet.id);
    assert.equal(shown.result, position?.result);
    assert.equal(shown.payout, position?.payout);
    assert.equal(shown.ledger[0]?.amount, -bet.amount);
  }
});

test('the output of "bet --json" verifies; an open bet cannot be verified yet', async () => {
  const printed = await toteText(['bet', 'bet_3', lived.dataDir, '--json']);
  const verified = await toteProcess(['verify-bet', '--evidence', '-'], { stdin: printed });
  assert.equal(verified.code, 0, verified.stderr);
  assert.match(verified.stdout, /\nOK\n$/);
  const open = must(lived.bets.at(-1), 'bet').bet.id;
  const evidence = await toteText(['bet', open, lived.dataDir, '--json']);
  const early = await toteProcess(['verify-bet', '--evidence', '-'], { stdin: evidence });
  assert.equal(early.code, 2);
  assert.match(early.stderr, /--seed.*published once the round is settled/);
});

test("the API's own answers verify, and an altered fact fails at its step", async () => {
  const { bet, clientSeed, round } = must(lived.bets[0], 'bet');
  const published = await lived.traders[0].api.get(`/rounds/${round}`);
  const orderFile = join(lived.dataDir, 'order.json');
  const roundFile = join(lived.dataDir, 'round.json');
  writeFileSync(orderFile, JSON.stringify({ success: true, data: { bet, newBalance: 1 } }));
  writeFileSync(roundFile, published.text);
  const files = ['verify-bet', '--order', orderFile, '--round', roundFile];
  const seed = ['--client-seed', clientSeed ?? ''];
  const noted = ['--commitment', lived.openRounds[0].seedCommitment];
  assert.equal((await tote([...files, ...seed, ...noted])).code, 0);
  const wrong: [step: string, options: string[]][] = [
    ['seed', [...seed, '--seed', 'abc']],
    ['commitment', [...seed, '--commitment', lived.openRounds[1].seedCommitment]],
    ['round', [...seed, '--round-id', lived.openRounds[1].id]],
    ['hash', [...seed, '--amount', '100.01']],
    ['hash', []],
  ];
  for (const [step, options] of wrong) {
    const run = await tote([...files, ...options, '--json']);
    assert.equal(run.code, 1, options.join(' '));
    assert.equal((JSON.parse(run.stdout) as { step: string }).step, step);
  }
  const told = await tote([...files, ...seed, '--payout', '1']);
  assert.match(
    told.stdout,
    /^ok +the seed is 64 hex digits\nok .*\nok .*\nFAILED +the bet's facts hash to its betHash/,
  );
});

test('an unknown bet, a missing file and a missing fact are reported', async () => {
  const unknown = await tote(['bet', 'bet_999', lived.dataDir]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no bet_999/);
  assert.equal((await tote(['bet', '12', lived.dataDir])).code, 2);
  assert.equal((await tote(['verify-bet', '--evidence', '/nowhere.json'])).code, 3);
  const missing = await tote(['verify-bet', '--bet-id', 'bet_1']);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /--market, --prediction/);
});
