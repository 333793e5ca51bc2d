/** NATS servers that do not answer, by real connections, or that may not hold a replicated log. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { connectionOptions } from '../../../persistence/replication/nats/nats-connection.js';
import { refuseOutdated } from '../../../persistence/replication/nats/nats-log.js';
import { ServerWatch } from '../../../persistence/replication/nats/server-watch.js';
import { askUntil } from '../../support/ask-until.js';
import { fixedPort } from '../../support/fixed-port.js';

/** The address of a server that greets whoever connects. */
async function listening(t: TestContext, greet: (socket: Socket) => void): Promise<string> {
  const server = createServer(greet).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('it is told which servers answer, since when others do not, and how many are needed; once, until it is over', async (t) => {
  const good = await listening(t, (socket) => socket.write('INFO {}\r\n'));
  const silent = await listening(t, () => undefined);
  const dead = `127.0.0.1:${await fixedPort()}`;
  const told: (string | null)[] = [];
  const watch = new ServerWatch([good, silent, dead], (reason) => told.push(reason));
  const explained = (reason: string): string => reason.replaceAll(/20\d\d-\S+Z/g, 'NOW');
  watch.onTrouble('jetstream is not enabled');
  const [first] = await askUntil(
    () => told,
    ({ length }) => length > 0,
  );
  assert.equal(
    explained(first ?? ''),
    `1 of 3 NATS servers answer, and 2 are needed: ${good} answers, ${silent} does not answer since NOW, ` +
      `${dead} refuses connections since NOW (jetstream is not enabled)`,
  );
  assert.equal(await watch.explain('jetstream is not enabled'), first, 'the times stay');
  watch.onTrouble(null);
  assert.deepEqual(told, [first, null]);
  const other = await listening(t, (socket) => socket.write('INFO {}\r\n'));
  const two = await new ServerWatch([good, other, dead], () => undefined).explain('timeout');
  const each = `${good} answers, ${other} answers, ${dead} refuses connections since NOW`;
  assert.equal(explained(two), `timeout (2 of 3 NATS servers answer: ${each})`);
  const all = await new ServerWatch([good], () => undefined).explain('Authorization Violation');
  assert.equal(all, 'Authorization Violation (1 of 1 NATS servers answer)');
  const changing = new ServerWatch([silent], (reason) => told.push(reason));
  const tellAnother = () => changing.onTrouble(`attempt ${Math.random()}`);
  await askUntil(tellAnother, () => told.length > 2);
});

test('a user whom the servers refuse for a while is let in again', async (t) => {
  let connections = 0;
  const server = await listening(t, (socket) => {
    connections += 1;
    const answer = [2, 3].includes(connections) ? "-ERR 'Authorization Violation'\r\n" : 'PONG\r\n';
    socket.on('data', () => socket.write(answer)).write('INFO {"version":"2.15.1"}\r\n');
  });
  const given = { servers: [server], stream: 'tote', credentialsFile: null, tls: null };
  const connection = await connect(connectionOptions(given));
  t.after(() => connection.close());
  await connection.reconnect();
  await askUntil(() => connection.isClosed() || connections > 3, Boolean);
  await connection.flush();
});

test('a NATS server before 2.15.1 is refused with the version that is needed', () => {
  const refusal = { code: 'replication_outdated', message: /2\.15\.1 or later/ };
  for (const version of ['2.9.10', '2.15.0', '2.10.27', '1.99.99', ''])
    assert.throws(() => refuseOutdated(version), refusal);
  for (const version of ['2.15.1', '2.15.2', '2.16.0', '3.0.0', '2.15.1-RC.1']) refuseOutdated(version);
});
