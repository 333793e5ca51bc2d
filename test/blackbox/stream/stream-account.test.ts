/** The stream of an account: fills that lose nothing, the balance, and orders that are those of POST /orders. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FillEvent, ServerMessage } from '../../../http/wire/stream-types.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { type StreamClient, streamsOfFile } from '../../support/api/stream-client.js';
import { Rng } from '../../support/reference/random/rng.js';

const BET = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 10 };
const OPEN = { BTC: 67_000 };

const sandboxes = new Map<number, Sandbox>();

async function start(gateways: number): Promise<{ sandbox: Sandbox; trader: Trader }> {
  const sandbox = sandboxes.get(gateways) ?? (await Sandbox.start({ env: { TOTE_GATEWAYS: `${gateways}` } }));
  sandboxes.set(gateways, sandbox);
  await sandbox.openRounds(OPEN);
  return { sandbox, trader: await sandbox.trader({ balance: 10_000 }) };
}

const open = streamsOfFile();
after(async () => {
  for (const sandbox of sandboxes.values()) await sandbox.remove();
});

async function nextRound(sandbox: Sandbox): Promise<void> {
  await sandbox.closeMinute({ BTC: 67_100 });
  await sandbox.openRounds(OPEN);
}

class SeenFills {
  readonly fills: FillEvent[] = [];
  since = 0;
  run: string | null = null;
  /** A heartbeat before the answer to `subscribe` says nothing of the channel. */
  #isSubscribed = false;

  readonly onMessage = (message: ServerMessage): void => {
    if (message.type === 'subscribed') [this.#isSubscribed, this.run] = [true, message.run];
    if (message.type === 'fills') {
      assert.ok(message.seq > this.since, `${message.seq} comes after ${this.since}`);
      this.fills.push(...message.data);
    }
    if (message.type === 'fills' || (message.type === 'heartbeat' && this.#isSubscribed)) {
      this.since = Math.max(this.since, message.seq);
    }
  };

  connects(): void {
    this.#isSubscribed = false;
  }

  get placed(): string[] {
    return this.fills.filter(({ event }) => event === 'placed').map(({ id }) => id);
  }
  get paid(): Extract<FillEvent, { readonly result: string }>[] {
    return this.fills.filter((fill) => 'result' in fill);
  }
}

for (const gateways of [1, 3]) {
  test(`with ${gateways} gateways, whatever disconnects there are, every fill is seen once`, async () => {
    const { sandbox, trader } = await start(gateways);
    const rng = new Rng(20_261_122);
    const seen = new SeenFills();
    const connect = async (): Promise<StreamClient> => {
      seen.connects();
      const stream = await open(sandbox, trader.secret, seen);
      await stream.subscribe('fills', { since: seen.since, run: seen.run });
      return stream;
    };
    let stream = await open(sandbox, trader.secret, seen);
    await stream.subscribe('fills');
    for (let step = 0; step < 80; step++) {
      if (rng.chance(0.1)) await nextRound(sandbox);
      if (rng.chance(0.2)) await sandbox.advance(1_000);
      if (rng.chance(0.7)) await trader.api.place({ ...BET, prediction: rng.pick(['UP', 'DOWN']) });
      if (!rng.chance(0.3)) continue;
      if (rng.chance(0.5)) await stream.settle();
      await stream.cut();
      stream = await connect();
    }
    await nextRound(sandbox);
    const orders = await trader.api.orders('?limit=200');
    assert.ok(orders.length > 20);
    await stream.until(() => seen.paid.length >= orders.length);
    assert.deepEqual(seen.placed, orders.map(({ id }) => id).reverse());
    assert.deepEqual(
      seen.paid.map(({ id, result, payout, profit, amount, prediction, marketId }) => [
        id,
        [result, payout, profit, amount, prediction, marketId],
      ]),
      seen.paid.map(({ id }) => {
        const order = orders.find((one) => one.id === id) ?? assert.fail(id);
        const { result, payout, profit, amount, prediction, marketId } = order;
        return [id, [result, payout, profit, amount, prediction, marketId]];
      }),
    );
    assert.equal(new Set(seen.paid.map(({ id }) => id)).size, orders.length);
    await sandbox.checkConservation();
  });
}

test('the stream tells each new key of the account', async () => {
  const { sandbox, trader } = await start(1);
  const stream = await open(sandbox, trader.secret);
  await stream.subscribe('account');
  const { id } = await sandbox.key(trader.accountId, { scopes: ['orders:write'] });
  const { data } = await stream.take('account', ({ data: told }) => told.newKeys !== undefined);
  assert.deepEqual(data, { balance: await sandbox.balance(trader.accountId), newKeys: [id] });
  const { data: rotated } = await sandbox.operator.post<{ id: string }>(`/keys/${trader.keyId}/rotate`, {});
  const next = await stream.take('account', ({ data: told }) => told.newKeys !== undefined);
  assert.deepEqual(next.data.newKeys, [rotated.id]);
});

test('account: the balance after everything that moves money', async () => {
  const { sandbox, trader } = await start(3);
  const stream = await open(sandbox, trader.secret);
  await stream.subscribe('account');
  const { snapshot, data } = await stream.take('account');
  assert.deepEqual([snapshot, data.balance], [true, 10_000]);
  await trader.api.place(BET);
  await stream.take('account', (message) => !message.snapshot && message.data.balance === 9_990);
  const paidIn = { amount: 5.5, reference: 'a deposit of the test' };
  const deposit = await sandbox.operator.post(`/accounts/${trader.accountId}/deposits`, paidIn);
  assert.equal(deposit.status, 201, deposit.text);
  await stream.take('account', (message) => message.data.balance === 9_995.5);
  await nextRound(sandbox);
  const balance = await sandbox.balance(trader.accountId);
  assert.ok(balance > 10_000);
  await stream.take('account', (message) => message.data.balance === balance);
  const another = await open(sandbox, (await sandbox.trader({ balance: 7 })).secret);
  await another.subscribe('account');
  await trader.api.place(BET);
  await another.settle();
  const balances = another.arrived('account').map((message) => message.data.balance);
  assert.deepEqual(balances, [7]);
});

for (const how of ['stop', 'kill'] as const) {
  test(`after a ${how}, a number from before it is refused`, async () => {
    const { sandbox, trader } = await start(3);
    const before = await open(sandbox, trader.secret);
    const { since: first, run } = await before.subscribe('fills');
    await trader.api.place(BET);
    const { seq } = await before.take('fills');
    const restarted = await sandbox.restart(how);
    sandboxes.set(3, restarted);
    if (how === 'stop') assert.deepEqual(await before.closed, { code: 1001, reason: 'shutting_down' });
    const stream = await open(restarted, trader.secret);
    for (const since of [first, seq]) {
      const code = await stream.refused({ op: 'subscribe', channel: 'fills', since, run });
      assert.equal(code, 'resync_required');
    }
    const now = await stream.subscribe('fills');
    await restarted.openRounds(OPEN);
    await restarted.api(trader.secret).place(BET);
    const placed = await stream.take('fills', ({ data }) => data[0]?.event === 'placed');
    assert.ok(now.since !== null && placed.seq > now.since);
  });
}
