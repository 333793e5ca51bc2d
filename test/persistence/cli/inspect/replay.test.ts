/** `tote replay`: it shows what each command did, as text and as JSON, in any range. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { tote, toteErrors, toteLines, toteText } from '../../../support/processes/cli.js';
import { CLIENT_SEED, REFERENCE, useLived, VOID_REASON } from '../../support/lived-dir.js';

interface StepLine {
  readonly seq: number;
  readonly time: string;
  readonly kind: string;
  readonly command: Readonly<Record<string, unknown>>;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

const lived = useLived();
let all: readonly StepLine[];
before(async () => {
  all = await toteLines<StepLine>(['replay', lived().dataDir]);
});

const explained = (kind: string): Promise<string> =>
  toteText(['replay', lived().dataDir, '--explain', '--kind', kind]);

const seqs = async (...options: string[]): Promise<number[]> =>
  (await toteLines<StepLine>(['replay', lived().dataDir, ...options])).map(({ seq }) => seq);

test('every command is listed once, in order, with its time', async () => {
  const status = await lived().sandbox.operator.get<{ sequence: number }>('/status');
  const numbers = Array.from({ length: status.data.sequence }, (_, index) => index + 1);
  const listed = all.map(({ seq }) => seq);
  assert.deepEqual(listed, numbers);
  assert.ok(all.every(({ time }, index) => index === 0 || time >= must(all[index - 1], 'line').time));
  assert.equal(all[0]?.kind, 'configure');
});

test('an order is shown with ids, dollars, odds, and the new balance', async () => {
  const { bet, round } = must(lived().bets[0], 'bet');
  const [command = '', event = ''] = (await explained('placeOrder')).split('\n');
  assert.match(command, /^\d+ {2}20\d\d-\S+Z {2}placeOrder {2}account acc_1, key key_1, market BTC_/);
  assert.ok(command.includes(`, side UP, stake 100.00 USD, `), command);
  assert.ok(command.endsWith(`, client seed "${CLIENT_SEED}"`), command);
  assert.equal(
    event,
    `  - betPlaced  bet bet_1, account acc_1, market BTC_ONE_MINUTE, round ${round}, side UP, stake 100.00 USD, ` +
      `odds ${bet.oddsAtBet.toFixed(4)}, entry percent ${bet.entryPercent.toFixed(2)}, payout ` +
      `${bet.potentialPayout.toFixed(2)} USD, new balance 9,900.00 USD, client seed "${CLIENT_SEED}"`,
  );
});

test('settlements, transfers, prices and voids are shown with the money they moved', async () => {
  const settled = await explained('settle');
  const win = must(lived().bets[0], 'bet').bet.potentialPayout;
  const after = (9_900 + win).toLocaleString('en-US', { minimumFractionDigits: 2 });
  assert.ok(settled.includes(`result WIN, payout ${win.toFixed(2)} USD, new balance ${after} USD`), settled);
  assert.match(settled, /bet bet_2, account acc_2, .* LOSS, payout 0\.00 USD, new balance 4,949\.50 USD/);
  assert.match(settled, /bet bet_3, account acc_1, .* DRAW, payout 10\.25 USD/);
  assert.match(settled, /bet bet_4, account acc_1, .* REFUNDED, payout 20\.00 USD/);
  assert.match(settled, /account house, amount .* USD, balance .*, reason settlement, reference BTC_ONE_/);
  const withdrawal = await explained('withdraw');
  assert.ok(withdrawal.includes(`account acc_1, amount 100.00 USD, reference "${REFERENCE}"`), withdrawal);
  assert.match(withdrawal, /balanceMoved {2}account acc_1, amount -100\.00 USD, balance .*, reason with/);
  const voids = await explained('voidRound');
  assert.ok(voids.includes(`round ${lived().openRounds[2].id}, reason "${VOID_REASON}"`), voids);
  const prices = await explained('boundaryPrice');
  assert.match(prices, /asset BTC, boundary \S+Z, price 67100, price time \S+Z, source push/);
  assert.match(prices, /round BTC_ONE_MINUTE_\d+, result UP, close price 67100/);
  assert.match(prices, /round BTC_ONE_MINUTE_\d+, result DRAW, close price 67100/);
});

test('a range can be given by number, by time and from the end', async () => {
  const lastSeq = must(all.at(-1), 'line').seq;
  assert.deepEqual(await seqs('--from', '3', '--to', '5'), [3, 4, 5]);
  assert.deepEqual(await seqs('--last', '2'), [lastSeq - 1, lastSeq]);
  assert.deepEqual(await seqs('--last', '2', '--to', '9'), [8, 9]);
  const from = must(all[4], 'line').time;
  const to = must(all[lastSeq - 3], 'line').time;
  const between = all.filter(({ time }) => time >= from && time < to).map(({ seq }) => seq);
  assert.deepEqual(await seqs('--from', from, '--to', to), between);
});

test('--last counts what the other options select', async () => {
  const lines = async (...options: string[]) =>
    (await toteText(['replay', lived().dataDir, ...options])).trimEnd().split('\n');
  for (const filter of [['--account', 'acc_1'], ['--kind', 'placeOrder'], ['--operator', 'operator'], []]) {
    const selected = await lines(...filter);
    assert.ok(selected.length > 3, filter.join(' '));
    assert.deepEqual(await lines(...filter, '--last', '3'), selected.slice(-3));
    assert.deepEqual(await lines(...filter, '--last', '9999'), selected);
  }
});

test('a filter selects by account', async () => {
  const ofSecond = await toteLines<StepLine>(['replay', lived().dataDir, '--account', 'acc_2']);
  const left = ofSecond.map(({ kind }) => kind).filter((kind) => kind !== 'settle');
  assert.deepEqual(left, ['createAccount', 'createKey', 'placeOrder', 'placeOrder', 'updateAccount']);
  const events = ofSecond.flatMap((line) => line.events);
  assert.ok(events.some(({ bet, result }) => bet === 'bet_2' && result === 'LOSS'));
});

test('no secret and no digest of one is shown', async () => {
  const made = await toteText(['replay', lived().dataDir, '--kind', 'createKey', '--json']);
  assert.match(made, /"scopes":\["markets:read"/);
  assert.doesNotMatch(made, /[0-9a-f]{64}/);
});

test('the short form is one line a command, and an empty range says so', async () => {
  const lines = (await toteText(['replay', lived().dataDir])).trimEnd().split('\n');
  assert.equal(lines.length, all.length);
  assert.match(lines.at(-2) ?? '', /updateAccount {2}account acc_2, frozen yes, by operator operator$/);
  assert.match(lines.at(-1) ?? '', /moveClock {2}by operator operator$/);
  const none = await toteErrors(['replay', lived().dataDir, '--from', `${all.length + 1}`], 0);
  assert.match(none, /No command is in this range/);
  assert.equal((await tote(['replay', lived().dataDir, '--from', 'yesterday'])).code, 2);
  assert.equal((await tote(['replay', lived().dataDir, '--kind', 'bogus'])).code, 2);
});

test('a range out of order, or one that begins in the future, is refused with code 2', async () => {
  const lastSeq = must(all.at(-1), 'line').seq;
  const lastTime = must(all.at(-1), 'line').time;
  const refused: readonly (readonly [from: string, to: string | null, sentence: RegExp])[] = [
    ['5', '3', /--from does not lie before --to/],
    [lastTime, must(all[4], 'line').time, /--from does not lie before --to/],
    [lastTime, '5', /--from does not lie before --to/],
    [new Date(Date.parse(lastTime) + 2).toISOString(), lastTime, /--from does not lie before --to/],
    [`${lastSeq + 2}`, null, new RegExp(`the journal ends at ${lastSeq}\\.`)],
    ['2999-01-01', null, /--from is 2999-01-01T00:00:00\.000Z: that lies in the future/],
  ];
  for (const [from, to, sentence] of refused) {
    const ends = to === null ? [] : ['--to', to];
    const ran = await tote(['replay', lived().dataDir, '--from', from, ...ends, '--json']);
    assert.equal(ran.code, 2, ran.stdout);
    assert.match(ran.stderr, sentence);
    assert.equal((JSON.parse(ran.stdout) as { error: { code: string } }).error.code, 'usage');
  }
  assert.deepEqual(await seqs('--from', `${lastSeq}`, '--to', '2999-01-01'), [lastSeq]);
});
