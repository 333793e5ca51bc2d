/** What has left the engine's memory, through a real server: nothing acknowledged is missing, and a restart changes nothing. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { answeredByArchive } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { cents } from '../../support/api/spec-arithmetic.js';

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly reference: string | null;
  readonly orderId: string | null;
  readonly amount: number;
  readonly balanceAfter: number;
}
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

const BETS_A_MINUTE = 12;

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader({ balance: 1_000 });
});

async function page<T>(path: string): Promise<Page<T>> {
  const answered = await answeredByArchive(trader.api, path);
  assert.equal(answered.status, 200, answered.text);
  return JSON.parse(answered.text) as Page<T>;
}

/** All pages, from the newest to the first. */
async function all<T>(path: string, limit: number): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, nextCursor }: Page<T> = await page<T>(
      `${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`,
    );
    found.push(...data);
    cursor = nextCursor;
  }
  return found;
}

/** Each entry leads to its balance, the first of them from nothing, and the last to the account's. */
async function addsUp(entries: readonly Entry[]): Promise<void> {
  let sum = 0n;
  for (const { amount, balanceAfter, id } of entries.toReversed()) {
    sum += cents(amount);
    assert.equal(cents(balanceAfter), sum, id);
  }
  assert.equal(sum, cents(await sandbox.balance(trader.accountId)));
}

/** A minute with bets on both sides, which the price then decides. */
async function minute(openPrice: number, closePrice: number): Promise<void> {
  await sandbox.openRounds({ BTC: openPrice, ETH: 3_000 });
  for (let bet = 0; bet < BETS_A_MINUTE; bet++) {
    const marketId = bet % 3 === 0 ? 'ETH_ONE_MINUTE' : 'BTC_ONE_MINUTE';
    await trader.api.place({ marketId, prediction: bet % 2 === 0 ? 'UP' : 'DOWN', amount: 1.01 });
  }
  await sandbox.closeMinute({ BTC: closePrice, ETH: 3_000 });
}

test('an order that was acknowledged is in the ledger at once', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  for (let n = 0; n < 5; n++) {
    const { bet, newBalance } = await trader.api.place({
      marketId: 'BTC_ONE_MINUTE',
      prediction: 'UP',
      amount: 2.5,
    });
    const { data } = await page<Entry>('/account/ledger?limit=1');
    const [newest] = data;
    assert.deepEqual(
      [newest?.type, newest?.orderId, newest?.amount, newest?.balanceAfter, newest?.reference],
      ['stake', bet.id, -2.5, newBalance, null],
    );
  }
  await addsUp(await all<Entry>('/account/ledger', 2));
});

test('the ledger, settled rounds and an old bet are the same after each end of the server', async () => {
  await minute(67_000, 67_010);
  await sandbox.closeMinute({ BTC: 67_000 });
  const placed = await trader.api.orders();
  assert.equal(placed.length, 5 + BETS_A_MINUTE);
  const oldest = placed.at(-1)?.id;
  const read = async (): Promise<unknown[]> => [
    await all<Entry>('/account/ledger', 11),
    await all<unknown>('/markets/BTC_ONE_MINUTE/rounds', 2),
    (await answeredByArchive(trader.api, `/orders/${oldest}`)).data,
  ];
  const before = await read();
  for (const how of ['stop', 'kill'] as const) {
    sandbox = await sandbox.restart(how);
    trader = { ...trader, api: sandbox.api(trader.secret) };
    assert.deepEqual(await read(), before, how);
  }
  await addsUp(await all<Entry>('/account/ledger', 200));
  await sandbox.checkConservation();
});
