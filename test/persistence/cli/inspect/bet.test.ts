/** `tote bet`: the bet, its outcome, and its hash, which the round's seed fits. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { betId } from '../../../../engine/model/domain.js';
import { findSegments } from '../../../../persistence/journal/segment/names.js';
import { betFault } from '../../../support/engine/bet-fault.js';
import { tote, toteErrors, toteJson } from '../../../support/processes/cli.js';
import { useLived } from '../../support/lived-dir.js';
import { makeFor } from '../../support/operator-dir.js';

interface BetDocument {
  readonly betHash: string;
  readonly account: string;
  readonly round: string;
  readonly status: string;
  readonly result: string | null;
  readonly potentialPayoutCents: number;
  readonly paidCents: number | null;
  readonly clientSeed: string | null;
  readonly ledger: readonly { readonly kind: string; readonly amountCents: number }[];
  readonly seed: string | null;
  readonly seedCommitment: string;
}

const centsOf = (dollars: number): number => Math.round(dollars * 100);
const lived = useLived();

test('every bet is shown as the API answered it, with its outcome', async () => {
  for (const { bet, owner, clientSeed, round } of lived().bets.filter((_, index) => index % 2 === 0)) {
    const shown = await toteJson<BetDocument>(['bet', bet.id, lived().dataDir]);
    assert.deepEqual([shown.betHash, shown.account, shown.round], [bet.betHash, owner, round]);
    assert.equal(shown.clientSeed, clientSeed);
    const trader = lived().traders.find(({ accountId }) => accountId === owner);
    const position = (await must(trader, 'owner').api.positions('?status=all')).find(
      ({ id }) => id === bet.id,
    );
    assert.deepEqual([shown.status, shown.result], [position?.status, position?.result]);
    assert.equal(shown.potentialPayoutCents, centsOf(bet.potentialPayout));
    const payout = position?.payout ?? null;
    assert.equal(shown.paidCents, payout === null ? null : centsOf(payout));
    assert.equal(shown.ledger[0]?.amountCents, -centsOf(bet.amount));
  }
});

test('a settled bet hashes to its betHash with the seed that is shown, an open one has none', async () => {
  const { bet } = must(lived().bets[2], 'bet');
  const shown = await toteJson<BetDocument>(['bet', bet.id, lived().dataDir]);
  const { clientSeed, seed, seedCommitment, round: roundId } = shown;
  assert.ok(seed !== null);
  assert.equal(betFault({ bet, clientSeed, roundId, seed, seedCommitment }), null);
  const open = must(lived().bets.at(-1), 'bet').bet.id;
  assert.equal((await toteJson<BetDocument>(['bet', open, lived().dataDir])).seed, null);
});

test('a settled bet needs the archive alone: nothing is replayed', async (t) => {
  const { dir, events } = makeFor(t);
  const settled = events.flat().find(({ type }) => type === 'betSettled');
  assert.ok(settled?.type === 'betSettled');
  const show = () => tote(['bet', betId(settled.bet), dir.root]);
  const whole = await show();
  assert.equal(whole.code, 0, whole.stderr);
  writeFileSync(must(findSegments(dir.journal)[1], 'a segment'), 'damaged');
  assert.deepEqual(await show(), whole);
  assert.equal((await tote(['account', 'acc_1', dir.root, '--at', '300'])).code, 1);
});

test('an unknown bet and a missing file are reported', async () => {
  assert.match(await toteErrors(['bet', 'bet_999', lived().dataDir], 1), /There is no bet_999/);
  assert.equal((await tote(['bet', '12', lived().dataDir])).code, 2);
  assert.equal((await tote(['verify-bet', '/nowhere.json', 'a', 'b', '--keys', 'c'])).code, 3);
  assert.equal((await tote(['verify-bet', '/nowhere.json'])).code, 2);
});
