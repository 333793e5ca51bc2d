/** The client's stream against the real server: each event arrives once, over cut connections and killed servers. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { ToteClient } from '../../client/client.js';
import type { FillEvent, RoundEvent } from '../../client/index.js';
import type { StreamOptions, ToteStream } from '../../client/stream/stream.js';
import { Sandbox } from '../support/api/api-client-sandbox.js';
import { askUntil } from '../support/ask-until.js';
import { fixedPort } from '../support/fixed-port.js';
import { LinkProxy } from '../support/link-proxy.js';
import { newFolder } from '../support/new-folder.js';
import { toteProcess } from '../support/processes/cli.js';

let sandbox: Sandbox;
before(async () => {
  sandbox = await Sandbox.start({ env: { TOTE_PORT: await fixedPort() } });
});
beforeEach(() => sandbox.openRounds({ BTC: 100 }));
after(() => sandbox.remove());

function open(t: TestContext, url: string, secret: string, options?: StreamOptions): ToteStream {
  const client = new ToteClient({ url: `${url}/v1`, key: secret });
  const stream = client.openStream({ webSocket: WebSocket, ...options });
  t.after(() => stream.close());
  return stream;
}

const bet = (amount: number) => ({ marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount }) as const;

const settledIn = (events: readonly { readonly event: string }[]): Promise<unknown> =>
  askUntil(
    () => events,
    (seen) => seen.some(({ event }) => event === 'settled'),
  );

test('a bet over the stream is followed to its result', async (t) => {
  const { secret } = await sandbox.trader();
  const stream = open(t, sandbox.server.publicUrl, secret);
  const fills: FillEvent[] = [];
  const rounds: RoundEvent[] = [];
  const balances: number[] = [];
  await stream.subscribe('fills', ({ data }) => fills.push(...data));
  await stream.subscribe('rounds', ({ data }) => rounds.push(...data), { markets: ['BTC_ONE_MINUTE'] });
  await stream.subscribe('account', ({ data }) => balances.push(data.balance));
  const placed = await stream.placeOrder(bet(25));
  await sandbox.closeMinute({ BTC: 101 });
  await settledIn(fills);
  const told = fills.flatMap(({ event, id }) => [event, id]);
  assert.deepEqual(told, ['placed', placed.bet.id, 'settled', placed.bet.id]);
  await settledIn(rounds);
  assert.equal(balances[0], 10_000);
  stream.close();
  await stream.closed;
});

test('one stream too many says why it waits, and opens when another one has ended', async (t) => {
  const { secret } = await sandbox.trader();
  const openOne = (options?: StreamOptions) => open(t, sandbox.server.publicUrl, secret, options);
  const others = Array.from({ length: 20 }, () => openOne());
  await Promise.all(others.map((stream) => stream.subscribe('prices', () => undefined)));
  const reasons: string[] = [];
  const last = openOne({ onState: (state) => state.state === 'waiting' && reasons.push(state.end.reason) });
  await askUntil(
    () => reasons,
    ([reason]) => reason === 'too_many_streams',
  );
  others[0]?.close();
  await last.subscribe('prices', () => undefined);
});

test('every fill arrives once, however often the connection is cut', async (t) => {
  const { api, secret } = await sandbox.trader();
  const link = await LinkProxy.open(Number(new URL(sandbox.server.publicUrl).port));
  t.after(() => link.close());
  const stream = open(t, `http://127.0.0.1:${link.port}`, secret);
  const fills: FillEvent[] = [];
  let resyncs = 0;
  await stream.subscribe('fills', ({ data }) => fills.push(...data), { onResync: () => resyncs++ });
  // These bets go to the server itself: they are placed while the stream is away, too.
  const direct = new ToteClient({ url: `${sandbox.server.publicUrl}/v1`, key: secret });
  for (let number = 1; number <= 60; number++) {
    await direct.placeOrder(bet(number));
    if (number % 12 === 0) link.closeConnections();
  }
  await askUntil(
    () => fills.length,
    (seen) => seen >= 60,
  );
  const orders = await api.orders('?limit=200');
  const ids = fills.map(({ id }) => id);
  assert.deepEqual(ids, orders.map(({ id }) => id).reverse());
  assert.equal(resyncs, 0);
});

test('a bot is told of a restored backup also where the server begins again at the number that the bot had', async (t) => {
  const { secret } = await sandbox.trader();
  const { dataDir, publicUrl } = sandbox.server;
  const { position } = await open(t, publicUrl, secret).subscribe('fills', () => undefined);
  assert.ok(position !== null);
  const backup = join(newFolder(), 'backup');
  assert.equal((await toteProcess(['backup', backup, dataDir])).code, 0);
  const direct = new ToteClient({ url: `${publicUrl}/v1`, key: secret });
  await direct.placeOrder(bet(5));
  const from = { ...position, since: (await direct.getTime()).seq };
  await sandbox.server.kill();
  rmSync(dataDir, { recursive: true });
  cpSync(backup, dataDir, { recursive: true });
  const env = { TOTE_PORT: new URL(publicUrl).port };
  sandbox = await sandbox.restart('kill', env);
  await direct.placeOrder(bet(6));
  sandbox = await sandbox.restart('kill', env);
  let resyncs = 0;
  const options = { from, onResync: () => resyncs++ };
  await open(t, publicUrl, secret).subscribe('fills', () => undefined, options);
  assert.equal(resyncs, 1);
});
