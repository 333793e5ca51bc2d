/** The client's stream against the real server: each event arrives once, over cut connections and killed servers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { ToteClient } from '../../client/client.js';
import type { FillEvent, RoundEvent } from '../../client/index.js';
import type { ToteStream } from '../../client/stream/stream.js';
import { Sandbox } from '../support/api/api-client-sandbox.js';
import { fixedPort } from '../support/fixed-port.js';
import { LinkProxy } from '../support/link-proxy.js';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

async function start(env: Readonly<Record<string, string>> = {}, dataDir?: string): Promise<Sandbox> {
  const sandbox = await Sandbox.start({ env, ...(dataDir !== undefined && { dataDir }) });
  closing.push(() => sandbox.remove());
  await sandbox.openRounds({ BTC: 100 });
  return sandbox;
}

function open(url: string, secret: string): ToteStream {
  const client = new ToteClient({ url: `${url}/v1`, key: secret });
  const stream = client.openStream({ webSocket: WebSocket });
  closing.push(() => stream.close());
  return stream;
}

const bet = (amount: number) => ({ marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount }) as const;

class Seen<T> {
  readonly all: T[] = [];
  #wake: () => void = () => undefined;
  readonly take = ({ data }: { readonly data: readonly T[] }): void => {
    this.all.push(...data);
    this.#wake();
  };
  async until(isEnough: (all: readonly T[]) => boolean): Promise<void> {
    while (!isEnough(this.all))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}

test('a bet over the stream is followed to its result', async () => {
  const sandbox = await start();
  const { secret } = await sandbox.trader();
  const stream = open(sandbox.server.publicUrl, secret);
  const fills = new Seen<FillEvent>();
  const rounds = new Seen<RoundEvent>();
  const balances: number[] = [];
  await stream.subscribe('fills', fills.take);
  await stream.subscribe('rounds', rounds.take, { markets: ['BTC_ONE_MINUTE'] });
  await stream.subscribe('account', ({ data }) => balances.push(data.balance));
  const placed = await stream.placeOrder(bet(25));
  await sandbox.closeMinute({ BTC: 101 });
  await fills.until((all) => all.some(({ event }) => event === 'settled'));
  assert.deepEqual(
    fills.all.map(({ event, id }) => [event, id]),
    [
      ['placed', placed.bet.id],
      ['settled', placed.bet.id],
    ],
  );
  await rounds.until((all) => all.some(({ event }) => event === 'settled'));
  assert.equal(balances[0], 10_000);
  stream.close();
  await stream.closed;
});

test('every fill arrives once, however often the connection is cut', async () => {
  const sandbox = await start();
  const { api, secret } = await sandbox.trader();
  const link = await LinkProxy.open(Number(new URL(sandbox.server.publicUrl).port));
  closing.push(() => link.close());
  const stream = open(`http://127.0.0.1:${link.port}`, secret);
  const fills = new Seen<FillEvent>();
  let resyncs = 0;
  await stream.subscribe('fills', fills.take, { onResync: () => resyncs++ });
  // These bets go to the server itself: they are placed while the stream is away, too.
  const direct = new ToteClient({ url: `${sandbox.server.publicUrl}/v1`, key: secret });
  for (let number = 1; number <= 60; number++) {
    await direct.placeOrder(bet(number));
    if (number % 12 === 0) link.closeConnections();
  }
  await fills.until((all) => all.length >= 60);
  const orders = await api.orders('?limit=200');
  assert.deepEqual(
    fills.all.map(({ id }) => id),
    orders.map(({ id }) => id).reverse(),
  );
  assert.equal(resyncs, 0);
});

test('what happened before a restart while the stream was away cannot be resumed, and the bot is told', async () => {
  const env = { TOTE_PORT: await fixedPort() };
  const sandbox = await start(env);
  const { secret } = await sandbox.trader();
  const stream = open(sandbox.server.publicUrl, secret);
  const { seq } = await stream.subscribe('fills', () => undefined);
  stream.close();
  await stream.closed;
  const direct = new ToteClient({ url: `${sandbox.server.publicUrl}/v1`, key: secret });
  const missed = await direct.placeOrder(bet(5));
  await sandbox.server.kill();
  const next = await Sandbox.start({ dataDir: sandbox.server.dataDir, env });
  closing.push(() => next.remove());
  const later = open(next.server.publicUrl, secret);
  assert.ok(seq !== null);
  await new Promise<void>((resolve, reject) => {
    later.subscribe('fills', () => undefined, { since: seq, onResync: resolve }).catch(reject);
  });
  assert.deepEqual(
    (await direct.listOrders()).data.map(({ id }) => id),
    [missed.bet.id],
  );
});
