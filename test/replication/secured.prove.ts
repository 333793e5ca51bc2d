/** NATS servers that speak TLS and know their users: by password, by a credentials file, and with as few permissions as can be. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { credsAuthenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { connectionOptions } from '../../persistence/replication/nats/nats-connection.js';
import { NatsLog } from '../../persistence/replication/nats/nats-log.js';
import { type Pair, selfSigned } from '../support/http/certificates.js';
import { tote } from '../support/processes/cli.js';
import { newDataDir } from '../support/processes/server.js';
import { isAvailable } from '../support/programs.js';
import { NatsCluster, type NatsOptions, NO_NATS } from '../support/replication/nats.js';
import { createNatsUser } from '../support/replication/nats-users.js';
import { event, startMachine } from '../support/replication/replicated.js';

const options = { skip: NO_NATS || (isAvailable('openssl') ? false : 'the program openssl is missing') };
const PASSWORD = 'nine-of-hearts';

interface Secured {
  readonly nats: NatsCluster;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly pair: Pair;
}

async function startSecured(
  t: TestContext,
  credentials: string,
  given: Pick<NatsOptions, 'config' | 'connection'>,
): Promise<Secured> {
  const folder = newDataDir();
  // Not for "localhost", which Node looks for where a client does not say otherwise, even if the list has it.
  const pair = selfSigned(folder, 'nats', { dns: 'elsewhere' });
  const file = join(folder, 'credentials');
  writeFileSync(file, credentials);
  const config = `tls { cert_file: "${pair.certFile}", key_file: "${pair.keyFile}" }\n${given.config}`;
  const settings = { servers: ['localhost:4222', '127.0.0.1:4222'], stream: 'tote', credentialsFile: null };
  const { tls = null } = connectionOptions({ ...settings, tls: { caFile: pair.certFile } });
  const connection = { ...given.connection, tls };
  const nats = await NatsCluster.start({ servers: 1, config, connection });
  t.after(() => nats.remove());
  const env = { TOTE_REPLICATION_CREDENTIALS: file, TOTE_REPLICATION_CA: pair.certFile };
  return { nats, env, folder, pair };
}

async function leads(t: TestContext, { nats, env }: Secured): Promise<void> {
  const leader = await startMachine({ nats, node: 'a', env }).leading;
  t.after(() => leader.remove());
  assert.equal((await leader.createBettor()).accountId, 'acc_1');
  assert.equal((await leader.stop()).code, 0);
}

test('over TLS, with a user and a password', options, async (t) => {
  const secured = await startSecured(t, `tote:${PASSWORD}\n`, {
    config: `authorization { user: tote, password: "${PASSWORD}" }\n`,
    connection: { authenticator: usernamePasswordAuthenticator('tote', PASSWORD) },
  });
  const { nats, env, folder, pair } = secured;
  await leads(t, secured);
  const refusedWith = async (changed: Readonly<Record<string, string>>): Promise<string> => {
    const { run } = startMachine({ nats, node: 'b', env: { ...env, ...changed } });
    t.after(() => run.signal('SIGKILL'));
    return String((await event(run, 'replication_away'))['reason']);
  };
  const wrong = join(folder, 'wrong');
  writeFileSync(wrong, 'tote:ten-of-hearts\n');
  assert.match(await refusedWith({ TOTE_REPLICATION_CREDENTIALS: wrong }), /Authorization Violation/);
  const other = selfSigned(folder, 'other');
  assert.match(await refusedWith({ TOTE_REPLICATION_CA: other.certFile }), /certificate/);
  const named = nats.url.replace('127.0.0.1', 'localhost');
  assert.match(await refusedWith({ TOTE_REPLICATION: named }), /localhost. is not in the cert's altnames/);
  writeFileSync(wrong, 'no password');
  const { run } = startMachine({ nats, node: 'b', env: { ...env, TOTE_REPLICATION_CREDENTIALS: wrong } });
  assert.match((await run.ended).stderr, /file_unreadable.*one line user:password/);
  const promote = (credentials: string) =>
    tote(['promote', 'b', '--nats', nats.url, '--ca', pair.certFile, '--credentials', credentials]);
  const sentence = /promote: no leader answers/;
  assert.match((await promote(env['TOTE_REPLICATION_CREDENTIALS'] ?? '')).stderr, sentence);
  assert.match((await promote(wrong)).stderr, /promote: .*one line user:password/);
  assert.doesNotMatch((await promote(wrong)).stderr, /NATS servers answer/);
});

test('over TLS, with credentials that an operator has signed', options, async (t) => {
  const { config, credentials } = createNatsUser();
  const authenticator = credsAuthenticator(new TextEncoder().encode(credentials));
  const secured = await startSecured(t, credentials, { config, connection: { authenticator } });
  assert.match(credentials, /BEGIN NATS USER JWT/);
  await leads(t, secured);
});

test('as the user of docs/deploy/nats-user.conf, who may do nothing else', options, async (t) => {
  const config = readFileSync(new URL('../../../docs/deploy/nats-user.conf', import.meta.url), 'utf8')
    .replace('password: "..."', `password: "${PASSWORD}"`)
    .replace('users: [', `users: [\n{ user: admin, password: "${PASSWORD}" }`);
  const authenticator = usernamePasswordAuthenticator('admin', PASSWORD);
  const secured = await startSecured(t, `tote:${PASSWORD}\n`, { config, connection: { authenticator } });
  await leads(t, secured);
  const { nats, env, pair } = secured;
  const credentialsFile = env['TOTE_REPLICATION_CREDENTIALS'] ?? null;
  const open = (stream: string) =>
    NatsLog.open({ servers: nats.servers, stream, credentialsFile, tls: { caFile: pair.certFile } });
  const log = await open('tote');
  t.after(() => log.close());
  const { first, last } = await log.bounds();
  await log.append(Buffer.from('text'), 'id', last);
  assert.equal((await log.read(last + 1))?.id, 'id');
  await log.deleteBefore(last + 1);
  assert.ok((await log.bounds()).first > first);
  let endAnswers = (): void => assert.fail('nobody leads');
  const asked = new Promise<string>((resolve) => {
    endAnswers = log.onHandOver('a', resolve);
  });
  assert.equal(await log.askToHandOver('b'), 'a');
  assert.equal(await asked, 'b');
  endAnswers();
  await assert.rejects(log.askWhoLeads(), /no responders/);
  const lease = await log.readLease();
  assert.equal(lease?.isReleased, true);
  const released = new Promise<void>((resolve) => log.onReleased(resolve));
  await log.writeLease({ ...lease, holder: 'b' }, lease.revision);
  await released;
  const reported = new Promise((resolve) => log.onReport(resolve));
  const report = { node: 'b', messagesBehind: 0, behindMs: 0 };
  log.report(report);
  assert.deepEqual(await reported, report);
  await assert.rejects(open('another'), /another|[Pp]ermission/);
});
