/** The bound of one address's connections, at a real port. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AddressBound, countConnections } from '../../../http/uws/address-bound.js';
import { ClientAddresses } from '../../../http/uws/client-address.js';
import { TransportBench } from '../../support/http/transport-bench.js';

const sockets: Socket[] = [];

/** From an address of this machine; null if the server does not keep the connection. */
async function open(bench: TransportBench, localAddress: string): Promise<Socket | null> {
  const socket = connect({ host: '127.0.0.1', port: bench.port, localAddress });
  sockets.push(socket);
  socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(socket)).once('close', () => resolve(null));
  });
}

async function start(t: TestContext, options: ConstructorParameters<typeof TransportBench>[1]) {
  const bench = await new TransportBench(
    (_request, responder) => responder.send(200, [], 'fine'),
    options,
  ).start();
  t.after(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    return bench.stop();
  });
  return bench;
}

test('an address has so many and no more, until some are closed; this machine and a proxy have all', async (t) => {
  const bench = await start(t, { perAddressMax: 2, trustedProxies: ['127.0.0.3'] });
  for (let n = 0; n < 5; n++) assert.ok(await open(bench, '127.0.0.1'));
  const [first, second] = [await open(bench, '127.0.0.2'), await open(bench, '127.0.0.2')];
  assert.ok(first !== null && second !== null);
  assert.equal(await open(bench, '127.0.0.2'), null);
  for (let n = 0; n < 3; n++) assert.ok(await open(bench, '127.0.0.3'));
  assert.ok(await open(bench, '127.0.0.4'), 'another address is served');
  await once(first.destroy(), 'close');
  for (let again: Socket | null = null; again === null; again = await open(bench, '127.0.0.2'))
    bench.advance(1_000);
  assert.equal(await open(bench, '127.0.0.2'), null);
});

test('so it is where /proc shows processes alone, as under the unit of systemd', (t) => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const again = `${process.execPath} --test-name-pattern='an address has' ${fileURLToPath(import.meta.url)}`;
  const command = `mount -t proc -o subset=pid proc /proc && { ${again} || exit 9; }`;
  const { status, stdout } = spawnSync('unshare', ['-m', 'sh', '-c', command], { env, encoding: 'utf8' });
  if (status !== 0 && status !== 9) t.skip('root alone may mount');
  assert.notEqual(status, 9, stdout);
});

test('the kernel’s table is counted by address: only established ones to the port', async () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue\n';
  const lines = [
    ['0100007F:1F90', '0200007F:9C40', '01'],
    ['0100007F:1F90', '0200007F:9C41', '01'],
    ['0100007F:1F90', '0200007F:9C42', '06'],
    ['0100007F:1F91', '0200007F:9C43', '01'],
    ['0000000000000000FFFF00000100007F:1F90', '0000000000000000FFFF00000200007F:9C44', '01'],
    ['00000000000000000000000001000000:1F90', 'B80D0120000000000000000001000000:9C45', '01'],
  ].map(
    ([local, remote, state], at) => `${`${at}`.padStart(4)}: ${local} ${remote} ${state} 00000000:00000000\n`,
  );
  const addresses = new ClientAddresses([]);
  const table = head + lines.join('');
  const parts = [table.slice(0, 200), table.slice(200)];
  const counts = await countConnections(parts, { addresses, port: () => 8_080 });
  assert.deepEqual(Object.fromEntries(counts), { '127.0.0.2': 3, '2001:db8:0:0::/64': 1 });
});

test('not all who ever opened a connection are remembered', () => {
  const addresses = new ClientAddresses([]);
  let times = 0;
  const bound = new AddressBound({ addresses, perAddressMax: 2, port: () => ++times, monotonicMs: () => 0 });
  const opens = (counted: string) => bound.allows({ counted, isTrusted: false, isBounded: true }, 1);
  assert.deepEqual([opens('first'), opens('first'), opens('first')], [true, true, false]);
  for (let n = 0; n < 20_000; n++) opens(`${n}`);
  assert.deepEqual([opens('first'), times], [true, 1], 'they are counted once at a time');
});
