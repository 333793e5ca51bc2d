/** `tote account`: it agrees with the API, and its ledger adds up at every earlier moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tote, toteErrors, toteJson, toteText } from '../../../support/processes/cli.js';
import { NAME, REFERENCE, useLived } from '../../support/lived-dir.js';

interface Entry {
  readonly kind: string;
  readonly amountCents: number;
  readonly balanceCents: number;
  readonly bet: string | null;
  readonly reference: string | null;
}
interface AccountDocument {
  readonly name: string | null;
  readonly tier: string;
  readonly frozen: boolean;
  readonly balanceCents: number;
  readonly keys: readonly { readonly key: string }[];
  readonly openBets: readonly { readonly bet: string; readonly stakeCents: number }[];
  readonly ledger: readonly Entry[];
  readonly addsUp: boolean;
}

const lived = useLived();
const account = (id: string, ...options: string[]): Promise<AccountDocument> =>
  toteJson<AccountDocument>(['account', id, lived().dataDir, ...options]);

test('beside a running server it agrees with the API', async () => {
  for (const trader of lived().traders) {
    const shown = await account(trader.accountId);
    const { balance, tier, frozen } = await lived().sandbox.account(trader.accountId);
    assert.deepEqual([shown.balanceCents, shown.tier], [Math.round(balance * 100), tier]);
    assert.deepEqual([shown.frozen, shown.addsUp], [frozen, true]);
    const open = await trader.api.positions();
    const stakes = open.map(({ id, amount }) => [id, Math.round(amount * 100)]);
    const shownStakes = shown.openBets.map(({ bet, stakeCents }) => [bet, stakeCents]);
    assert.deepEqual(shownStakes, stakes);
    const keys = shown.keys.map(({ key }) => key);
    assert.deepEqual(keys, [trader.keyId]);
  }
  assert.equal((await account('acc_2')).name, NAME);
});

test('the ledger has every kind of entry, and each leads to the next balance', async () => {
  const { ledger, balanceCents } = await account('acc_1');
  const others = ledger.filter(({ kind }) => kind !== 'payout');
  assert.equal(
    others.map(({ kind, amountCents }) => `${kind} ${amountCents}`).join(', '),
    'deposit 1000000, stake -10000, stake -1025, deposit 25025, withdrawal -10000, ' +
      'refund 1025, stake -2000, refund 2000, stake -777',
  );
  const payouts = ledger.filter(({ kind }) => kind === 'payout');
  const shown = payouts.map(({ bet, amountCents }) => [bet, amountCents]);
  assert.deepEqual(shown, [['bet_1', Math.round((lived().bets[0]?.bet.potentialPayout ?? 0) * 100)]]);
  let sumCents = 0;
  for (const entry of ledger) {
    sumCents += entry.amountCents;
    assert.equal(entry.balanceCents, sumCents);
  }
  assert.equal(sumCents, balanceCents);
  const help = await toteText(['account', '--help']);
  for (const kind of [...ledger.map((entry) => entry.kind), 'reserve', 'fill'])
    assert.ok(help.includes(kind), kind);
  assert.equal(ledger.find(({ kind }) => kind === 'withdrawal')?.reference, REFERENCE);
});

test('the text output has no secret or digest, and a name cannot break its line', async () => {
  const text = await toteText(['account', 'acc_2', lived().dataDir]);
  assert.match(text, /frozen +yes/);
  assert.match(text, /^balance +4,949\.50 USD$/m);
  assert.match(text, /^adds up +yes$/m);
  assert.match(text, /^name +=HYPERLINK\("http:\/\/evil","x"\), "quoted"\\nand a second line$/m);
  for (const { secret } of lived().traders) assert.ok(!text.includes(secret));
  assert.doesNotMatch(text, /[0-9a-f]{64}/);
});

test('an unknown account ends with 1, a mistake with 2, a missing data directory with 3', async () => {
  assert.match(await toteErrors(['account', 'acc_99', lived().dataDir], 1), /There is no account acc_99/);
  assert.equal((await tote(['account', 'acc_1', lived().dataDir, '--at', '999999'])).code, 1);
  assert.equal((await tote(['account', 'acc_1', lived().dataDir, '--at', '0'])).code, 2);
  const future = await toteErrors(['account', 'acc_1', lived().dataDir, '--at', '2999-01-01'], 2);
  assert.match(future, /--at is 2999-01-01T00:00:00\.000Z: that lies in the future/);
  assert.equal((await tote(['account', '7', lived().dataDir])).code, 2);
  assert.equal((await tote(['account', 'acc_1', '/nowhere'])).code, 3);
});
