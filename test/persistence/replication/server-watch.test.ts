/** NATS servers that do not answer or may not hold a replicated log, trying again, and the sentences to operators. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { AssertionError } from '../../../engine/base/assert.js';
import { JournalError } from '../../../persistence/errors.js';
import { Retry, Troubles } from '../../../persistence/replication/log/retry.js';
import { connectionOptions } from '../../../persistence/replication/nats/nats-connection.js';
import { NatsLog, refuseOutdated } from '../../../persistence/replication/nats/nats-log.js';
import { ServerWatch } from '../../../persistence/replication/nats/server-watch.js';
import { hasLog, makeStream } from '../../../persistence/replication/nats/stream.js';
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

test('a server that takes a connection and is silent keeps none of an attempt', async (t) => {
  let kept = 0;
  const silent = await listening(t, (socket) => {
    kept += 1;
    socket.resume().once('close', () => (kept -= 1));
  });
  const given = { servers: [silent], stream: 'tote', credentialsFile: null, tls: null };
  for (const open of [NatsLog.open, hasLog]) await assert.rejects(open(given), /^Error: timeout$/);
  await askUntil(() => kept === 0, Boolean);
});

test('a NATS server before 2.15.1 is refused with the version that is needed', () => {
  const refusal = { code: 'replication_outdated', message: /2\.15\.1 or later/ };
  for (const version of ['2.9.10', '2.15.0', '2.10.27', '1.99.99', ''])
    assert.throws(() => refuseOutdated(version), refusal);
  for (const version of ['2.15.1', '2.15.2', '2.16.0', '3.0.0', '2.15.1-RC.1']) refuseOutdated(version);
});

const pause = (): Promise<void> => Promise.resolve();

test('an activity that succeeds does not end the trouble of another one', async () => {
  const told: (string | null)[] = [];
  const troubles = new Troubles((reason) => told.push(reason));
  let answers: () => void = () => undefined;
  let failures = 0;
  const publishing = new Retry(pause, troubles.of('publish')).until(async () => {
    failures += 1;
    if (failures < 4) throw new Error(failures < 3 ? 'no answer' : 'no space');
    await new Promise<void>((resolve) => (answers = resolve));
  });
  const renewing = new Retry(pause, troubles.of('lease'));
  while (failures < 4) await renewing.until(() => Promise.resolve());
  assert.deepEqual(told, ['no answer', 'no space']);
  answers();
  await publishing;
  assert.deepEqual(told, ['no answer', 'no space', null]);
});

test('what trying again cannot mend is thrown: a journal error, and a programming error', async () => {
  const retry = new Retry(
    () => assert.fail('it was tried again'),
    (reason) => assert.equal(reason, null, 'it is no trouble of the servers'),
  );
  const errors = [new JournalError('replication_fenced', 'overtaken'), new AssertionError('wrong')];
  const failing = (error: Error): Promise<void> => retry.until(() => Promise.reject(error));
  for (const error of errors) await assert.rejects(failing(error), error);
  const make = (err_code: number): Promise<void> => {
    const add = () => Promise.reject(new JetStreamApiError({ code: 400, err_code, description: 'no' }));
    return makeStream({ streams: { add } } as unknown as JetStreamManager, 'tote', 3);
  };
  await assert.rejects(make(10_074), { code: 'replication_unreachable' });
  await assert.rejects(make(10_005), JetStreamApiError, 'of servers that have just found each other');
});

test('of several troubles the oldest is told, and null when the last one is over', () => {
  const told: (string | null)[] = [];
  const troubles = new Troubles((reason) => told.push(reason));
  const [one, other] = [troubles.of('one'), troubles.of('other')];
  one('a');
  other('b');
  one(null);
  other(null);
  other(null);
  assert.deepEqual(told, ['a', 'b', null]);
});

test('who gives up for good waits no longer: there is no trouble left', async () => {
  const told: (string | null)[] = [];
  const answers = [new Error('no answer'), new JournalError('replication_fenced', 'another leads')];
  const retry = new Retry(pause, (reason) => told.push(reason));
  const attempt = (): Promise<void> => Promise.reject(answers.shift() ?? assert.fail('an answer'));
  await assert.rejects(retry.until(attempt), { code: 'replication_fenced' });
  assert.deepEqual(told, ['no answer', null]);
});
