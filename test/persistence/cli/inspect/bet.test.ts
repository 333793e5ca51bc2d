/** `tote bet`: the bet, its outcome, and its hash. What it shows of the round's seed fits them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { type BetEvidence, betFault } from '../../../support/engine/bet-fault.js';
import { tote, toteJson } from '../../../support/processes/cli.js';
import { type Lived, live } from '../../support/lived-dir.js';

interface BetDocument {
  readonly betHash: string;
  readonly account: string;
  readonly round: string;
  readonly result: string | null;
  readonly payout: number | null;
  readonly clientSeed: string | null;
  readonly ledger: readonly { readonly kind: string; readonly amount: number }[];
  readonly seed: string | null;
  readonly seedCommitment: string;
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

test('a settled bet hashes to its betHash with the seed that is shown, an open one has none', async () => {
  const shown = await toteJson<BetDocument & BetEvidence['bet']>(['bet', 'bet_3', lived.dataDir]);
  const { clientSeed, seed, seedCommitment, round: roundId } = shown;
  assert.ok(seed !== null);
  assert.equal(betFault({ bet: shown, clientSeed, roundId, seed, seedCommitment }), null);
  const open = must(lived.bets.at(-1), 'bet').bet.id;
  assert.equal((await toteJson<BetDocument>(['bet', open, lived.dataDir])).seed, null);
});

test('an unknown bet and a missing file are reported', async () => {
  const unknown = await tote(['bet', 'bet_999', lived.dataDir]);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no bet_999/);
  assert.equal((await tote(['bet', '12', lived.dataDir])).code, 2);
  const missing = await tote(['verify-bet', '/nowhere.json', 'a', 'b', '--keys', 'c']);
  assert.equal(missing.code, 3);
  assert.equal((await tote(['verify-bet', '/nowhere.json'])).code, 2);
});
