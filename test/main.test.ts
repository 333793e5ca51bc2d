/** The server as a process: its start, its refusals, its end, and the files that it leaves. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import type { Setup } from '../engine/model/setup.js';
import { fileSystemRisks } from '../persistence/data-dir/file-system.js';
import { toteProcess, toteText } from './support/processes/cli.js';
import { linesOf } from './support/processes/log-lines.js';
import { newDataDir, Server, type ServerOptions, startRefused } from './support/processes/server.js';

/** A kill leaves these commands together, or none of them. */
function firstCommit(dir: string): unknown[] {
  const [name = ''] = readdirSync(join(dir, 'journal')).filter((file) => file.endsWith('.db'));
  const db = new Database(join(dir, 'journal', name), { readonly: true });
  const kinds = `SELECT json_extract(c.value, '$[0]') FROM batch, json_each(commands) c WHERE first_seq = 1`;
  const found = db.prepare(kinds).pluck().all();
  db.close();
  return found.slice(0, 5);
}

async function refuses(options: ServerOptions, reason: RegExp): Promise<void> {
  const { code, logText } = await startRefused(options);
  assert.equal(code, 1);
  assert.match(logText, reason);
}

test('the first start prints a line that places a bet; the second start does not', async () => {
  const env = { TOTE_DEMO: '1', TOTE_FEED: 'simulated', TOTE_CLOCK: 'system', TOTE_LOG_LEVEL: 'info' };
  const dir = newDataDir();
  const first = await Server.start({ dataDir: dir, env });
  const [line = ''] = /^curl .*$/m.exec(await first.demo()) ?? [];
  assert.equal(statSync(join(dir, 'demo')).mode & 0o777, 0o600);
  rmSync(join(dir, 'demo'));
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  const placed = JSON.parse(stdout) as {
    success: boolean;
    data: { newBalance: number; bet: { marketId: string } };
  };
  assert.equal(placed.success, true, stdout);
  assert.equal(placed.data.newBalance, 9_975);
  assert.equal((await promisify(execFile)('sh', ['-c', line])).stdout, stdout);
  const ending = await first.stop();
  assert.equal(ending.code, 0, ending.stderr);
  const kinds = ['configure', 'declareSetup', 'depositHouse', 'createAccount', 'createKey'];
  assert.deepEqual(firstCommit(dir), kinds);

  const second = await Server.start({ dataDir: dir, env });
  const again = await promisify(execFile)('sh', ['-c', line.replaceAll(first.publicUrl, second.publicUrl)]);
  assert.equal(again.stdout, stdout, 'the bet survives the restart, byte for byte');
  assert.equal((await second.operator.get<unknown[]>('/accounts')).data.length, 1);
  const stopped = await second.stop();
  assert.equal(stopped.code, 0);
  assert.doesNotMatch(`${stopped.stdout}${stopped.stderr}`, /curl|demo/);
  assert.ok(!existsSync(join(dir, 'demo')));
});

test('production starts on what `tote init` has made: its money, no demo account, and what is weak in log and banner', async () => {
  const dir = newDataDir();
  const env = { NODE_ENV: 'production', TOTE_DEMO: '1', TOTE_CLOCK: 'system', TOTE_FEED: 'simulated' };
  await refuses({ dataDir: dir, env }, new RegExp(`npx tote init '${dir}' --house-capital`));
  await toteText(['init', dir, '--house-capital', '2,000,000']);
  writeFileSync(join(dir, 'epoch'), '');
  const server = await Server.start({ dataDir: dir, env });
  assert.deepEqual((await server.operator.get<unknown[]>('/accounts')).data, []);
  const { data: house } = await server.operator.get<{ deposits: number }>('/house');
  assert.equal(house.deposits, 2_000_000);
  const { stdout, stderr } = await server.stop();
  assert.match(stdout, /^ +feed +simulated +PRICES ARE SIMULATED$/m);
  const told = linesOf(stderr, 'unsafe_setting').map(({ level, msg }) => `${level} ${msg.split(':')[0]}`);
  const alone = `40 ${dir} was a leader's or a standby's, and TOTE_REPLICATION is not set`;
  const forgets = fileSystemRisks(dir).map(() => '40 TOTE_DATA_DIR');
  assert.deepEqual(told, [alone, '40 TOTE_FEED=simulated', '40 TOTE_RATE_LIMITS=off', ...forgets]);
});

test('SIGTERM ends with 0 and a clean journal; SIGKILL loses nothing acknowledged; nobody else starts on it', async () => {
  const dir = newDataDir();
  const first = await Server.start({ dataDir: dir });
  const { accountId } = await first.createBettor({ balance: 55 });
  await first.operator.put('/trading', { enabled: false, reason: 'over night' });
  const before = await first.operator.get<{ sequence: number }>('/status');
  assert.equal((await first.stop()).code, 0);
  assert.ok(!existsSync(join(dir, 'journal', 'in-use')));

  const second = await Server.start({ dataDir: dir });
  const status = await second.operator.get<{ sequence: number; trading: unknown }>('/status');
  assert.equal(status.data.sequence, before.data.sequence);
  assert.deepEqual(status.data.trading, { enabled: false, reason: 'over night' });
  await refuses({ dataDir: dir }, /tote cannot start: .*in use by the process \d+/);
  await second.operator.post(`/accounts/${accountId}/deposits`, { amount: 1, reference: 'last' });
  assert.equal((await second.kill()).code, null);

  const third = await Server.start({ dataDir: dir });
  assert.equal((await third.operator.get<{ balance: number }>(`/accounts/${accountId}`)).data.balance, 56);
  const ending = await third.stop();
  assert.equal(ending.code, 0);
  assert.match(ending.stderr, /did not stop cleanly/);

  writeFileSync(join(dir, 'master-secret'), Buffer.alloc(32, 7), { mode: 0o600 });
  await refuses({ dataDir: dir }, /master-secret is not the secret/);
});

/** The data directory is still new. */
async function refusePortInUse(t: TestContext, dir: string): Promise<void> {
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await new Promise((resolve) => holder.once('listening', resolve));
  const address = holder.address();
  assert.ok(address !== null && typeof address === 'object');
  const env = { TOTE_PORT: `${address.port}` };
  await refuses({ dataDir: dir, env }, new RegExp(`TOTE_PORT: cannot listen on 127.0.0.1:${address.port}`));
}

test('with real prices there is no demo account, and few descriptors are told in the log: what they allow, and when connections run out', async (t) => {
  const env = { TOTE_DEMO: '1', TOTE_FEED: 'push', TOTE_CLOCK: 'system' };
  const under = ['sh', '-c', 'ulimit -n 600; exec "$0" "$@"'];
  const server = await Server.start({ dataDir: newDataDir(), env, under });
  assert.deepEqual((await server.operator.get<unknown[]>('/accounts')).data, []);
  assert.equal((await server.operator.get('/status')).status, 200);
  const port = Number(new URL(server.operatorUrl).port);
  // 75 for operators, of which the last quarter is kept.
  const sockets = Array.from({ length: 56 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  t.after(() => sockets.map((socket) => socket.destroy()));
  const full = /^.*"alarm_raised".*connections_full.*$/m;
  const raised = await server.run.findInErrors((log) => full.exec(log)?.[0]);
  const { value } = JSON.parse(raised) as { value: number };
  assert.ok(value > 24 / 27);
  const { code, stderr } = await server.stop();
  assert.equal(code, 0, stderr);
  const [line = '', ...others] = stderr.split('\n').filter((text) => text.includes('ulimit'));
  assert.deepEqual(others, []);
  const { level, msg } = JSON.parse(line) as { level: number; msg: string };
  assert.equal(level, 40);
  assert.match(msg, /only 600 files.* 269 public connections .* 75 for operators .*`ulimit -n` to 10512/);
});

/** As where Node was changed after the install. */
const OTHER_NODE = `--import=data:text/javascript,${encodeURIComponent(`
  const load = process.dlopen;
  process.dlopen = (module, file, ...flags) => {
    if (file.endsWith('better_sqlite3.node')) throw new Error('was compiled\\nagainst Node 18.');
    load.call(process, module, file, ...flags);
  };`)}`;
const NOT_LOADED = /better-sqlite3 does not load on Node .*`npm rebuild .*\. was compiled against Node 18\./;

test('a start with an argument, with too few descriptors for its gateways, or on another Node than SQLite, is refused before it has done anything', async () => {
  const dir = newDataDir();
  const under = ['sh', '-c', 'ulimit -n 300; exec "$0" "$@"'];
  const tooFew = /TOTE_GATEWAYS=4: such a start opens 336 files, .* only 300: raise `ulimit -n`/;
  await refuses({ dataDir: dir, under, env: { TOTE_GATEWAYS: '4' } }, tooFew);
  const withWord = ['sh', '-c', 'exec "$0" "$@" status'];
  await refuses({ dataDir: dir, under: withWord }, /status: the server takes no arguments; .* npx tote has/);
  const env = { NODE_OPTIONS: OTHER_NODE };
  await refuses({ dataDir: dir, env }, NOT_LOADED);
  assert.ok(!existsSync(join(dir, 'journal')));
  for (const command of ['verify', 'doctor', 'status']) {
    const { code, stderr } = await toteProcess([command, dir], { env });
    assert.equal(code, 3);
    assert.match(stderr, NOT_LOADED);
  }
  assert.equal((await toteProcess(['tokens', dir], { env })).code, 0);
});

const SANDBOX: Setup = { feed: 'push', clock: 'manual', rulesFrom: 'defaults' };
/** As a start by TOTE_DATA_DIR alone. */
const NOTHING_SAID = { TOTE_FEED: undefined, TOTE_CLOCK: undefined };

async function setupOf(server: Server): Promise<Setup> {
  return (await server.operator.get<{ setup: Setup }>('/status')).data.setup;
}

test('a port in use is refused; a restart without the variables settles a bet by the pushed prices that it was placed on; another feed is refused, naming both, unless the change is allowed', async (t) => {
  const dir = newDataDir();
  await refusePortInUse(t, dir);
  // No bet may be open to which the real clock comes late.
  const startEnv = { TOTE_DEMO: '1', TOTE_CLOCK_START: '2026-06-10T00:00:00Z' };
  const first = await Server.start({ dataDir: dir, env: startEnv });
  await first.toNextDay({ BTC: 95_000 });
  assert.match(await first.demo(), /^curl /m);
  const { secret, api } = await first.createBettor({ balance: 100 });
  const bet = { marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 50 };
  assert.equal((await api.post('/orders', bet)).status, 201);
  await first.stop();

  const second = await Server.start({ dataDir: dir, env: NOTHING_SAID });
  assert.deepEqual(await setupOf(second), SANDBOX);
  await second.advance(300_000 - 2_000);
  await second.push({ BTC: 95_001 });
  await second.advance(4_000);
  const positions = await second.api(secret).get<{ result: string }[]>('/positions?status=all');
  const results = positions.data.map(({ result }) => result);
  assert.deepEqual(results, ['WIN']);
  await second.stop();

  const env = { TOTE_FEED: 'simulated', TOTE_CLOCK: 'system' };
  const other = /runs with the feed "push", and the feed "simulated" was asked for; .*TOTE_CHANGE_SETUP=feed/;
  await refuses({ dataDir: dir, env }, other);
  const changed = await Server.start({ dataDir: dir, env: { ...env, TOTE_CHANGE_SETUP: 'feed, clock' } });
  assert.deepEqual(await setupOf(changed), { feed: 'simulated', clock: 'system', rulesFrom: 'defaults' });
  const { stderr } = await changed.stop();
  assert.match(stderr, /the feed \\"push\\" before, the feed \\"simulated\\" from now on/);
});

test('an unread banner does not stop the server', async () => {
  const ports = { TOTE_PORT: '0', TOTE_OPERATOR_PORT: '0' };
  const server = spawn(process.execPath, [fileURLToPath(new URL('../main.js', import.meta.url))], {
    env: { PATH: process.env['PATH'], ...ports, TOTE_DATA_DIR: newDataDir(), TOTE_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(server, 'close');
  server.stdout.destroy();
  let log = '';
  let isTold = false;
  for await (const chunk of server.stderr) {
    log += chunk;
    if (log.includes('"event":"stdout_closed"') && !isTold) isTold = server.kill('SIGTERM');
  }
  const [code] = await closed;
  assert.equal(code, 0, log);
});
