/** `tote export`: its rows agree with the API, add up to the balances, and cannot run in a spreadsheet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../../engine/base/assert.js';
import { tote, toteLines, toteText } from '../../../support/processes/cli.js';
import { CLIENT_SEED, REFERENCE, useLived } from '../../support/lived-dir.js';

type Row = Readonly<Record<string, string>>;
const lived = useLived();

/** RFC 4180 and nothing more: CRLF ends a record, quotes stand around and doubled inside. */
function parseCsv(text: string): Row[] {
  const records: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let end = 0;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    must(records.at(-1), 'record').push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    end = cell.lastIndex;
    if (end === text.length) break;
    if (found[3] !== ',') records.push([]);
  }
  assert.equal(end, text.length, `not RFC 4180 from ${JSON.stringify(text.slice(end, end + 60))}`);
  const [heading = [], ...rows] = records;
  return rows.map((row) => {
    assert.equal(row.length, heading.length);
    return Object.fromEntries(row.map((value, column) => [heading[column] ?? '', value]));
  });
}

const csv = async (what: string, ...options: string[]): Promise<Row[]> =>
  parseCsv(await toteText(['export', lived().dataDir, '--what', what, ...options]));
const jsonLines = (what: string): Promise<Record<string, string | number | null>[]> =>
  toteLines(['export', lived().dataDir, '--what', what]);

test('the ledger adds up to every balance that the API shows, in dollars and in cents', async () => {
  const rows = await csv('ledger');
  const sums = new Map<string, number>();
  for (const { account = '', kind, round, amount, amount_cents, balance_cents } of rows) {
    const sum = (sums.get(account) ?? 0) + Number(amount_cents);
    assert.equal(sum, Number(balance_cents));
    assert.match(amount ?? '', /^-?\d+\.\d\d$/);
    assert.equal(Math.round(Number(amount) * 100), Number(amount_cents));
    if (kind === 'seed' || kind === 'settlement') assert.match(round ?? '', /^\w+_\d+$/);
    sums.set(account, sum);
  }
  for (const { accountId } of lived().traders)
    assert.equal(sums.get(accountId), Math.round((await lived().sandbox.balance(accountId)) * 100));
  assert.equal(sums.get('house'), Math.round((await lived().sandbox.house()).balance * 100));
  assert.equal(sums.size, 3);
});

test('bets are as the API answered them, with their outcome', async () => {
  const rows = new Map((await csv('bets')).map((row) => [row['bet'], row]));
  assert.equal(rows.size, lived().bets.length);
  for (const { bet, owner, round } of lived().bets) {
    const row = must(rows.get(bet.id), bet.id);
    assert.deepEqual([row['account'], row['round'], row['prediction']], [owner, round, bet.prediction]);
    assert.deepEqual([row['amount'], Number(row['odds'])], [bet.amount.toFixed(2), bet.oddsAtBet]);
    assert.equal(Number(row['entry_percent']), bet.entryPercent);
    assert.equal(row['potential_payout'], bet.potentialPayout.toFixed(2));
    assert.equal(row['placed_at'], bet.placedAt);
  }
  for (const trader of lived().traders) {
    for (const position of await trader.api.positions('?status=all')) {
      const row = must(rows.get(position.id), position.id);
      assert.deepEqual([row['status'], row['result']], [position.status, position.result ?? '']);
      assert.equal(row['payout'], position.payout?.toFixed(2) ?? '');
      assert.equal(row['profit'], position.profit?.toFixed(2) ?? '');
      assert.equal(row['settled_at'], position.settledAt ?? '');
    }
  }
});

test('rounds are as the API shows them, the open ones last', async () => {
  const rows = await csv('rounds');
  for (const { id } of lived().openRounds) {
    const found = rows.find(({ round }) => round === id);
    const row = must(found, id);
    const shown = await lived().traders[0].api.round(id);
    assert.deepEqual([row['status'], row['result']], ['SETTLED', shown.voided ? 'VOID' : shown.result]);
    assert.deepEqual([row['pool_up'], row['open_price']], [shown.poolUp.toFixed(2), String(shown.openPrice)]);
    assert.equal(row['close_price'], shown.closePrice === null ? '' : String(shown.closePrice));
    assert.deepEqual([row['start'], row['bets']], [shown.startTime, String(shown.totalBets)]);
  }
  assert.equal(rows.at(-1)?.['status'], 'LIVE');
  assert.equal(new Set(rows.map(({ round }) => round)).size, rows.length);
});

test('text of clients and operators cannot be a formula in CSV, and is unchanged in JSON lines', async () => {
  const bet = (await csv('bets')).find((row) => row['bet'] === 'bet_1');
  assert.equal(bet?.['client_seed'], `'${CLIENT_SEED}`);
  const text = await toteText(['export', lived().dataDir, '--what', 'bets']);
  assert.match(text, /^bet_3,.*Z,"",,\d+,/m, 'an empty client seed is an empty text');
  assert.match(text, /^bet_2,.*Z,,,\d+,/m, 'no client seed is nothing');
  const withdrawal = (await csv('ledger')).find(({ kind }) => kind === 'withdrawal');
  assert.equal(withdrawal?.['reference'], `'${REFERENCE}`);
  assert.equal(withdrawal?.['amount'], '-100.00', 'a number is left alone');
  assert.equal((await jsonLines('bets')).find((row) => row['bet'] === 'bet_1')?.['client_seed'], CLIENT_SEED);
  const reference = (await jsonLines('ledger')).find(({ kind }) => kind === 'withdrawal')?.['reference'];
  assert.equal(reference, REFERENCE);
});

test('a range has all its rows, and adjacent ranges have every row once', async () => {
  const all = await csv('ledger');
  const middle = Number(must(all[Math.floor(all.length / 2)], 'row')['seq']);
  const before = await csv('ledger', '--to', String(middle));
  assert.deepEqual([...before, ...(await csv('ledger', '--from', String(middle + 1)))], all);
  const time = must(must(all[2], 'row')['time'], 'time');
  assert.deepEqual([...(await csv('ledger', '--to', time)), ...(await csv('ledger', '--from', time))], all);
  const bets = await csv('bets', '--from', lived().openRounds[1].startTime);
  const ids = lived().bets.map(({ bet }) => bet.id);
  const later = ids.filter((id) => id > 'bet_2');
  assert.deepEqual(bets.map(({ bet }) => bet).sort(), later);
});

test('the rows of an account, or of the house, add up', async () => {
  for (const account of ['acc_1', 'acc_2', 'house']) {
    const of = (rows: Row[]): Row[] => rows.filter((row) => row['account'] === account);
    assert.deepEqual(await csv('ledger', '--account', account), of(await csv('ledger')));
    if (account !== 'house') assert.deepEqual(await csv('bets', '--account', account), of(await csv('bets')));
  }
  const all = await csv('ledger', '--account', 'acc_1');
  const late = String(Number(must(all[1], 'row')['seq']));
  assert.deepEqual(await csv('ledger', '--account', 'acc_1', '--from', late), all.slice(1));
});

test('an unknown account ends with 1, contradicting options with 2', async () => {
  const refused: readonly (readonly [code: number, args: readonly string[], sentence: RegExp])[] = [
    [1, ['--what', 'ledger', '--account', 'acc_99'], /There is no account acc_99/],
    [1, ['--what', 'bets', '--account', 'acc_99'], /There is no account acc_99/],
    [2, ['--what', 'rounds', '--account', 'acc_1'], /--account goes with bets and ledger/],
    [2, ['--what', 'bets', '--account', 'house'], /The house places no bets/],
    [2, ['--what', 'bets', '--account', '7'], /Expected the id of an account/],
    [2, ['--what', 'everything'], /Allowed choices are bets, ledger, rounds/],
    [2, [], /required option '--what <KIND>' not specified/],
  ];
  for (const [code, args, sentence] of refused) {
    const ran = await tote(['export', lived().dataDir, ...args]);
    assert.equal(ran.code, code, args.join(' '));
    assert.match(ran.stderr, sentence);
    assert.equal(ran.stdout, '');
  }
});
