/**
 * `npm run bench -- --url` against a real server: its figures, the audit through the public API, JSON and HTML, and
 * the refusals before a load that the server would refuse.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Answers } from '../../bench/client/answers.js';
import { Arrivals } from '../../bench/client/arrivals.js';
import type { ClientResult } from '../../bench/client/job.js';
import { runLoad } from '../../bench/client/load.js';
import { lookUpPlayers } from '../../bench/drive/accounts.js';
import { auditAccounts, markAccounts } from '../../bench/drive/audit.js';
import { drive } from '../../bench/drive/drive.js';
import { LIMIT_HEADERS, placed } from '../../bench/load/workload.js';
import { type DriveRun, HELP, readOptions, UsageError } from '../../bench/report/options.js';
import type { SectionResult } from '../../bench/report/section.js';
import { marketsForRun, openMarkets } from '../../bench/tote/bettors.js';
import { OPERATOR_TOKEN, ToteServer } from '../../bench/tote/server.js';
import { ToteClient } from '../../client/index.js';
import { newFolder } from '../support/new-folder.js';

const RUN = fileURLToPath(new URL('../../bench/run.js', import.meta.url));
const root = newFolder();

async function start() {
  const limits = 'key_read=100000,key_write=60,account=100000,ip=100000';
  const place = { workDir: root, dataDir: join(root, 'data'), core: null, durability: 'os' } as const;
  const server = await ToteServer.start({ ...place, env: { TOTE_RATE_LIMITS: limits } });
  after(() => server.process.stop('SIGKILL'));
  // As the help says, with four in place of a hundred.
  const [recipe = ''] = /^ {2}for [\s\S]* > keys.txt$/m.exec(HELP) ?? [];
  const script = recipe.replace('seq 100', 'seq 4').replaceAll(':8081', `:${server.operatorPort}`);
  const env = { ...process.env, TOKEN: OPERATOR_TOKEN };
  await promisify(execFile)('bash', ['-c', script], { cwd: root, env });
  const keyFile = join(root, 'keys.txt');
  const keys = readFileSync(keyFile, 'utf8');
  writeFileSync(keyFile, `# four keys\n${keys}\n`);
  return { server, keyFile, apiKeys: keys.trimEnd().split('\n') };
}

const bench = (args: readonly string[]) =>
  new Promise<Readonly<Record<'stdout' | 'stderr', string>> & { readonly code: number }>((resolve) => {
    execFile(process.execPath, [RUN, ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

interface Driven {
  readonly result: Pick<ClientResult, 'sent' | 'ratePerSecond' | 'failures'>;
  readonly byKind: readonly { readonly kind: string; readonly latency: { readonly count: number } }[];
  readonly seconds: readonly Readonly<Record<'answered' | 'failed', number>>[];
  readonly audit: { readonly accounts: number; readonly found: number; readonly faults: readonly string[] };
}

const sumOf = ({ seconds }: Driven, what: 'answered' | 'failed'): number =>
  seconds.reduce((sum, second) => sum + second[what], 0);

function drivenIn(file: string): { readonly section: SectionResult; readonly data: Driven } {
  const { results } = JSON.parse(readFileSync(file, 'utf8'));
  return { section: results[0], data: results[0].data };
}

const TEMPLATE = { text: '', serialAt: -1, expect: 0, stakeCents: 100 };
const plain = await start();
await openMarkets(plain.server, plain.apiKeys[0] ?? '');
const url = `http://127.0.0.1:${plain.server.port}`;
const base = ['--url', url, '--keys', plain.keyFile, '--connections', '4', '--seconds', '2'];

function driveOf(...args: readonly string[]): DriveRun {
  const run = readOptions([...base, ...args], 0);
  assert.ok(run?.kind === 'drive');
  return run;
}

test('a load is driven, its figures are written, and every acknowledged order is audited', async () => {
  const out = join(root, 'driven.json');
  const mix = 'orders=20,market=50,markets=10,account=20';
  const { code, stdout, stderr } = await bench([...base, '--rate', '60', '--mix', mix, '--out', out]);
  assert.equal(code, 0, stderr);
  const { section, data } = drivenIn(out);
  const { result, byKind, audit } = data;
  assert.ok(result.sent > 60 && result.sent < 200, `${result.sent} requests were sent`);
  assert.deepEqual(result.failures, []);
  const counts = new Map(byKind.map(({ kind, latency }) => [kind, latency.count]));
  assert.deepEqual([...counts.keys()].sort(), ['account', 'market', 'markets', 'orders']);
  const answered = [...counts.values()].reduce((sum, count) => sum + count);
  assert.deepEqual([answered, sumOf(data, 'answered')], [result.sent, result.sent]);
  assert.deepEqual(audit, { accounts: 4, found: counts.get('orders'), unnamed: 0, faults: [] });
  let open = 0;
  for (const key of plain.apiKeys) {
    const account = await new ToteClient({ url: `${url}/v1`, key }).getAccount();
    open += account.openBets;
    assert.equal(account.balance, 1_000_000 - account.openBets);
  }
  assert.equal(open, audit.found);
  assert.match(stdout, /Load on http.*: latency from the planned times/);
  assert.match(stdout, /The audit: all \d+ acknowledged orders were found/);
  assert.match(stderr, /1 of 2 s: [\d,]+ answers\/s, p50/);
  assert.match(section.tables.map(({ title }) => title).join(), /^Load.*,Errors/);
  const html = readFileSync(join(root, 'driven.html'), 'utf8');
  assert.match(html, /<h1>tote: bench<\/h1>[\s\S]*Answers over time[\s\S]*<svg/);
  assert.ok(!html.includes(plain.apiKeys[0] ?? ''), 'no secret is written');
});

test('requests that became due while the client stood still are sent, and an idle connection that breaks counts', async () => {
  const server = createServer((_, response) => response.setHeader('Content-Length', 2).end('{}'));
  server.maxRequestsPerSocket = 10;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const job = {
    ...{ host: '127.0.0.1', port, reconnects: true, warmupMs: 0, measureMs: 200, firstSerial: 1 },
    templates: [{ ...TEMPLATE, text: 'GET / HTTP/1.1\r\nHost: h\r\n\r\n' }],
    expectations: [{ status: 200, bodyStart: '{', numbered: false, headers: [] }],
  };
  server.once('connection', (socket) => socket.destroy());
  const idle = await runLoad({ ...job, connections: 1, requestsMax: 0, pace: { kind: 'closed' } });
  assert.deepEqual([idle.failures[0]?.code, idle.failures[0]?.count], ['idle_connection_broken', 1]);
  const untilTheEnd = (): void => {
    for (const beganMs = performance.now(); performance.now() - beganMs < 250; );
  };
  const { sent, latency, failures } = await runLoad(
    { ...job, connections: 2, pace: { kind: 'open', ratePerSecond: 500, seed: 1 } },
    { onMeasuring: () => setImmediate(untilTheEnd) },
  ).finally(() => server.close());
  const arrivals = new Arrivals(500, 1, 0);
  let planned = 0;
  while (arrivals.take() < 200) planned += 1;
  assert.deepEqual([sent, latency.count, failures], [planned, planned, []]);
});

test('Ctrl-C ends a load early, and what was measured is told', async () => {
  const out = join(root, 'early.json');
  const args = [...base, '--seconds=60', '--rate=20', '--mix=market=1', '--out', out];
  const run = spawn(process.execPath, [RUN, ...args], { stdio: ['ignore', 'ignore', 'pipe'], cwd: root });
  run.stderr.on('data', (text) => /2 of 60 s/.test(text) && run.kill('SIGINT'));
  assert.deepEqual(await once(run, 'exit'), [0, null]);
  const { sent, ratePerSecond } = drivenIn(out).data.result;
  assert.ok(ratePerSecond > (2 * sent) / 60, 'a rate of the measured time');
});

test('a run that is ended leaves neither a server nor a file behind', async () => {
  const dir = join(root, 'ended');
  mkdirSync(dir);
  const args = ['--only', 'orders', '--quick', '--dir', dir];
  const run = spawn(process.execPath, [RUN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd: root });
  run.stderr.once('data', () => run.kill('SIGTERM'));
  assert.deepEqual(await once(run, 'exit'), [143, null]);
  assert.deepEqual(readdirSync(dir), []);
  assert.match((await bench(['--dir', join(dir, 'no')])).stderr, /^\n--dir: ENOENT/);
  assert.match((await bench(['--out', join(plain.keyFile, 'x.json')])).stderr, /^\n--out: \w+: /);
});

test('the audit tells an order that is nowhere, another stake, and bets of others', async () => {
  const players = await lookUpPlayers(driveOf('--rate', '1', '--connections', '1'), plain.apiKeys);
  const marks = await markAccounts(players);
  const markets = await marketsForRun(plain.server, plain.apiKeys[0] ?? '', 60_000);
  const marketId = markets[0]?.id ?? '';
  const named = async (key: string): Promise<string> => {
    const client = new ToteClient({ url: `${url}/v1`, key });
    return (await client.placeOrder({ marketId, prediction: 'UP', amount: 1 })).bet.id;
  };
  const answers = new Answers([TEMPLATE], [placed(true)]);
  const acknowledge = (id: string): void => {
    const body = `{"success":true,"data":{"bet":{"id":"${id}"}}}`;
    const limits = LIMIT_HEADERS.map((name) => `${name} 1\r\n`).join('');
    const bytes = Buffer.from(`HTTP/1.1 201 X\r\n${limits}Content-Length: ${body.length}\r\n\r\n${body}`);
    answers.check(0, bytes, bytes.length);
  };
  acknowledge(await named(plain.apiKeys[0] ?? ''));
  await named(plain.apiKeys[1] ?? '');
  const [own, other] = players.map(({ account }) => account.id);
  const audit = (cents: number, account = own, of = marks) =>
    auditAccounts(of, answers, () => account, cents, assert.ok);
  assert.deepEqual(await audit(100), { accounts: 4, found: 1, unnamed: 1, faults: [] });
  assert.deepEqual(
    (await audit(200)).faults.map((fault) => fault.replace(/bet_\d+/, 'it')),
    ['it has a stake of 100 cents, ordered were 200', 'the ledger has -100 cents for it, expected -200'],
  );
  const astray = RegExp(`^bet_\\d+ was acknowledged to ${other}, and is in the list of ${own}$`);
  assert.match((await audit(100, other)).faults.join(), astray);
  acknowledge('bet_7777777777');
  assert.deepEqual((await audit(100)).faults, ['2 orders were acknowledged, 1 of them are in the lists']);
  acknowledge('bet_7777777777');
  assert.match((await audit(100)).faults.join(), /1 answers name an order that another answer has named/);
  const gone = new ToteClient({ url: 'http://127.0.0.1:1/v1', key: 'gone', retryForMs: 0 });
  const unread = marks.map((mark) => ({ ...mark, player: { ...mark.player, client: gone } }));
  const sentence = /^0 of 4 accounts could be read: acc_\d+: connection_failed/;
  assert.match((await audit(100, own, unread)).faults.join(), sentence);
});

test('limits that would refuse the load are named, and nothing is sent', async () => {
  const refused = (args: readonly string[], pattern: RegExp): Promise<void> =>
    assert.rejects(
      drive(driveOf(...args), () => {}),
      { constructor: UsageError, message: pattern },
    );
  const wrong = join(root, 'wrong.txt');
  writeFileSync(wrong, `tote_${'A'.repeat(43)}\n`);
  const writes = ['--rate', '500', '--mix', 'orders=1'];
  await refused(writes, /key_write: each key .* the limit is 60, of which \d+ are left/);
  await refused(writes, /with TOTE_RATE_LIMITS=off, or with TOTE_RATE_LIMITS=key_write=\d+\./);
  const reads = ['--rate', '60000', '--mix', 'market=1'];
  await refused(reads, /ip: this address would send up to \d+ in 60 seconds/);
  await refused(['--rate', '1', '--connections', '64'], /--connections: .* use at most 6/);
  await refused(['--rate', '60', '--stake', '60000'], /may stake 50000 USD on a bet/);
  await refused(['--keys', wrong], /^--keys: key 1 of .*wrong\.txt: invalid_api_key/);
  await refused(['--url', `${url}/v2`], /^--url: http.*\/v2: not_found/);
  await refused(['--keys', join(root, 'none.txt')], /--keys: .*none\.txt/);
  const { code, stderr } = await bench([...base, ...writes]);
  assert.equal(code, 2);
  assert.match(stderr, /The rate limits of http.* would refuse this load/);
});

test('errors are counted by code, and the run goes on', async () => {
  const out = join(root, 'errors.json');
  await plain.server.operate('PUT', '/trading', { enabled: false });
  const args = [...base, '--seconds=1', '--rate=20', '--mix=orders=1,market=1', `--out=${out}`];
  const { code, stdout, stderr } = await bench(args);
  assert.equal(code, 0, stderr);
  const { data } = drivenIn(out);
  const { result, byKind, audit } = data;
  const [failure, ...others] = result.failures;
  assert.deepEqual([failure?.code, others], ['trading_disabled', []]);
  const failed = failure?.count ?? 0;
  const counts = Object.fromEntries(byKind.map(({ kind, latency }) => [kind, latency.count]));
  assert.deepEqual(counts, { errors: failed, market: result.sent - failed });
  assert.deepEqual([sumOf(data, 'failed'), audit.found], [failed, 0]);
  assert.match(stdout, /trading_disabled +\d+/);
  const none = await bench([...base, '--seconds=1', '--rate=20', '--mix=orders=1', `--out=${out}`]);
  assert.deepEqual([none.code, /NOTHING WAS MEASURED/.test(none.stdout)], [1, true], none.stderr);
});
