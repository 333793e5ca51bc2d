/**
 * The operator's files as they stand, on addresses of this machine in place of three: NATS and tote as compose.yaml
 * starts them, behind HAProxy, which finds the leader and, once it is dead, the next one.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PRICE_VARIABLES } from '../../config/price-variables.js';
import { VARIABLES } from '../../config/variables.js';
import { readDocument } from '../support/document.js';
import { selfSigned } from '../support/http/certificates.js';
import { Client } from '../support/http/client.js';
import { newFolder } from '../support/new-folder.js';
import { toteText } from '../support/processes/cli.js';
import { newDataDir, type Run, Server } from '../support/processes/server.js';
import { isAvailable } from '../support/programs.js';
import { NO_NATS } from '../support/replication/nats.js';
import { event, TOKEN } from '../support/replication/replicated.js';

const PARSE = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';

const NO_YAML: string | false =
  spawnSync('python3', ['-c', 'import yaml'], { stdio: 'ignore' }).status === 0
    ? false
    : "python3's yaml is missing (package python3-yaml)";

const programs = ['haproxy', 'openssl'].filter((name) => !isAvailable(name));
const skip = NO_NATS || NO_YAML || (programs.length > 0 ? `${programs.join(' and ')} are missing` : false);

/** No other test has these addresses, in place of 10.0.0.1 to 10.0.0.3. */
const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
const addresses = [1, 2, 3].map((last) => `${network}.${last}`);
const proxyAddress = `${network}.4`;
const here = (text: string): string => text.replaceAll('10.0.0.', `${network}.`);

interface ComposeService {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<'nats' | 'tote', ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const ASK_EVERY_MS = 50;
const NODES = ['one', 'two', 'three'];

/** docs/deploy/compose.yaml as a machine with its .env would run it, without containers. */
function composed(machine: number): Compose {
  const env: Readonly<Record<string, string | undefined>> = {
    ADDRESS: addresses[machine],
    NODE: NODES[machine],
    PEERS: addresses.join(','),
    ROUTES: addresses.map((address) => `nats://${address}:6222`).join(','),
    TOTE_OPERATOR_TOKEN: TOKEN,
    TOTE_FEED: 'push',
  };
  const input = readDocument('docs/deploy/compose.yaml').replaceAll(
    /\$\{(\w+):\?\}/g,
    (_, name: string) => env[name] ?? assert.fail(`the .env has no ${name}`),
  );
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PARSE], { input, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Compose;
}

function runProgram(t: TestContext, program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

test('compose.yaml names settings that there are, and keeps what must be kept', { skip: NO_YAML }, () => {
  const { services, volumes } = composed(0);
  const known = Object.values({ ...VARIABLES, ...PRICE_VARIABLES }).map(({ name }): string => name);
  const named = Object.keys(services.tote.environment ?? {});
  assert.equal(named.filter((name) => !known.includes(name)).join(), 'NODE_EXTRA_CA_CERTS');
  for (const [name, service] of Object.entries(services)) {
    const { restart, network_mode: mode, read_only: isReadOnly, cap_drop: dropped } = service;
    assert.deepEqual([restart, mode, isReadOnly, dropped], ['always', 'host', true, ['ALL']], name);
    assert.deepEqual(service.volumes, [`${name}:/data`, ...(name === 'tote' ? ['./tls:/tls:ro'] : [])]);
    assert.ok(name in volumes);
  }
  assert.match(services.tote.healthcheck?.test.at(-1) ?? '', /8081\/healthz/);
  assert.match(readDocument('Containerfile'), /NODE_ENV=production TOTE_DATA_DIR=\/data[\s\S]*8081\/healthz/);
});

/** As compose.yaml and Containerfile say, but for the folders, and for prices and time that the test moves. */
function startTote(t: TestContext, machine: number, dataDir: string, tls: string) {
  const runs: Run[] = [];
  const { environment = {} } = composed(machine).services.tote;
  const env = {
    NODE_ENV: 'production',
    ...Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace('/tls/', `${tls}/`)]),
    ),
    TOTE_PORT: '8080',
    TOTE_OPERATOR_PORT: '8081',
    TOTE_LEASE_SECONDS: '2',
    TOTE_LOG_LEVEL: 'info',
  };
  const leading = Server.start({ dataDir, env, onRun: (run) => runs.push(run) });
  leading.catch(() => undefined);
  const [run] = runs;
  assert.ok(run !== undefined);
  t.after(() => run.signal('SIGKILL'));
  return { run, leading, dataDir };
}

function startProxy(t: TestContext, folder: string): string {
  const haproxy = join(folder, 'haproxy.cfg');
  const config = here(readDocument('docs/deploy/haproxy.cfg'));
  writeFileSync(haproxy, config.replace('bind 0.0.0.0:80', `bind ${proxyAddress}:8000`));
  runProgram(t, 'haproxy', ['-f', haproxy]);
  return `http://${proxyAddress}:8000/v1`;
}

test('the files of the documents make an exchange that outlives its leader', { skip }, async (t) => {
  const folder = newFolder();
  for (const machine of addresses.keys()) {
    const store = join(folder, `nats-${machine}`);
    mkdirSync(store);
    const { command = [] } = composed(machine).services.nats;
    const args = command.map((word) => word.replace('/data', store));
    runProgram(t, 'nats-server', args);
  }
  const url = startProxy(t, folder);
  const [dirOne, dirTwo] = [newDataDir(), newDataDir()];
  await toteText(['init', dirOne, '--house-capital', '1,000,000']);
  cpSync(dirOne, dirTwo, { recursive: true });
  const { certFile, keyFile } = selfSigned(folder, 'operator');
  renameSync(certFile, join(folder, 'operator.pem'));
  renameSync(keyFile, join(folder, 'operator-key.pem'));
  // This process asks operators' ports of certificates that nobody else has signed.
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  const one = startTote(t, 0, dirOne, folder);
  const first = await one.leading;
  const two = startTote(t, 1, dirTwo, folder);
  await event(two.run, 'following');
  await first.toNextDay({ BTC: 50_000 });
  const { secret } = await first.createBettor();
  const order = { marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 10 };
  const placed = async (key: string): Promise<string> => {
    for (;;) {
      const client = new Client(url, { 'X-API-Key': secret, 'Idempotency-Key': key });
      const { status, data } = await client.post<{ bet: { id: string } }>('/orders', order);
      if (status === 201) return data.bet.id;
      assert.ok([502, 503, 504].includes(status), `${status}`);
      await pause(ASK_EVERY_MS);
    }
  };
  assert.equal(await placed('before'), 'bet_1');
  await first.kill();
  const second = await two.leading;
  await second.push({ BTC: 50_000 });
  assert.equal(await placed('before'), 'bet_1');
  assert.equal(await placed('after'), 'bet_2');
});
