/** The log of a server's life, as written to stderr: JSON lines whose events are those of the documented table. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { orders, setUpCommands } from '../../../bench/engine/scenario.js';
import { LOG_EVENTS, type LogEvent } from '../../../process/log/events.js';
import { HotSide } from '../../persistence/support/shadow-files.js';
import { readDocument } from '../../support/document.js';
import { Client } from '../../support/http/client.js';
import { type LogLine, linesOf, logLines } from '../../support/processes/log-lines.js';
import { newDataDir, Server, startRefused } from '../../support/processes/server.js';
import { isAvailable } from '../../support/programs.js';

const MAIN = fileURLToPath(new URL('../../../main.js', import.meta.url));
const MIB = 1024 * 1024;
const INFO = { TOTE_LOG_LEVEL: 'info' };

const root = newDataDir();

const sees = (server: Server, event: LogEvent, holds = (_: LogLine) => true): Promise<LogLine> =>
  server.run.findInErrors((stderr) => linesOf(stderr, event).find(holds));

const eventsOf = (lines: readonly LogLine[]): LogEvent[] => lines.map(({ event }) => event);

test('the log reports a start, voided rounds, a kill, the recovery and a stop', async () => {
  const first = await Server.start({ dataDir: root, env: INFO });
  const { accountId } = await first.createBettor();
  await first.toNextDay({ BTC: 100, ETH: 100 });
  await first.advance(120_000);
  const { durableSequence: seq } = (await first.operator.get<{ durableSequence: number }>('/status')).data;
  // The log is written asynchronously, and a kill would lose buffered lines.
  await sees(first, 'rounds_voided', ({ rounds }) => JSON.stringify(rounds).includes('BTC_ONE_MINUTE_'));
  const killed = await first.kill();
  const lines = logLines(killed.stderr);
  assert.deepEqual(eventsOf(lines).slice(0, 4), ['starting', 'recovered', 'rules_in_force', 'deposit']);
  const [, recovered] = lines;
  assert.deepEqual([recovered?.['sequence'], recovered?.['snapshotSequence']], [0, null]);
  const [listening] = linesOf(killed.stderr, 'listening');
  assert.equal(listening?.['publicUrl'], first.publicUrl);
  assert.equal(listening?.['operatorUrl'], first.operatorUrl);
  const voided = linesOf(killed.stderr, 'rounds_voided').flatMap(({ rounds }) => rounds as object[]);
  const minutes = voided.filter((round) => /^BTC_ONE_MINUTE_/.test((round as { round: string }).round));
  assert.equal(minutes.length, 1, JSON.stringify(voided));
  assert.equal(linesOf(killed.stderr, 'rounds_voided').length, 1, 'one line tells of both assets');
  assert.match(JSON.stringify(minutes[0]), /"reason":"no fresh price at the end of the round"/);

  const second = await Server.start({ dataDir: root, env: INFO });
  assert.equal((await second.operator.get(`/accounts/${accountId}`)).status, 200);
  const { code, stderr } = await second.stop();
  assert.deepEqual([code, linesOf(stderr, 'unclean_stop').length], [0, 1], stderr);
  const [again] = linesOf(stderr, 'recovered');
  assert.deepEqual([again?.['sequence'], again?.['commandsReplayed']], [seq, seq]);
  assert.deepEqual([again?.['accounts'], again?.['bets']], [1, 0]);
  assert.deepEqual(eventsOf(logLines(stderr)).slice(-2), ['stopping', 'stopped']);
});

test('requests by the ids of their answers on both ports, transfers, a line a minute by the server’s clock, and neither keys nor tokens', async (t) => {
  const server = await Server.startFor(t, { env: { TOTE_LOG_LEVEL: 'debug' } });
  const { accountId, api, secret } = await server.createBettor({ balance: 10 });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spanId = '00f067aa0ba902b7';
  const traceparent = `00-${traceId}-${spanId}-01`;
  const read = await api.get('/markets/BTC_ONE_MINUTE?secret=1', { traceparent });
  const asked = await server.operator.get('/house');
  await server.operator.post(`/accounts/${accountId}/deposits`, { amount: 5.25, reference: 'in' });
  await server.operator.post(`/accounts/${accountId}/deposits`, { amount: 5.25, reference: 'in' });
  await server.operator.post(`/accounts/${accountId}/withdrawals`, { amount: 2, reference: 'out' });
  await server.operator.post('/house/deposits', { amount: 1, reference: 'more' });
  const guesser = new Client(`${server.operatorUrl}/operator/v1`, {
    Authorization: 'Bearer a-wrong-token-of-old',
  });
  assert.equal((await guesser.get('/house')).status, 401);
  const guesses = await sees(server, 'operator_tokens_refused');
  assert.deepEqual([guesses['wrong'], guesses['addresses']], [1, ['127.0.0.1']]);
  await server.toNextDay({ BTC: 100 });
  const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
  for (let count = 0; count < 3; count++) assert.equal((await api.post('/orders', order)).status, 201);
  assert.equal((await api.post('/orders', { ...order, amount: 0 })).status, 400);
  await server.advance(59_000);
  await server.advance(1_000);
  const minute = await sees(server, 'minute', ({ orders }) => orders !== 0);
  const { seconds, orders, ordersPerSecond, p99Ms, sequence, backlog } = minute;
  assert.equal(orders, 3);
  assert.ok(Number(seconds) >= 60 && Number(p99Ms) > 0 && Number(sequence) > 0, JSON.stringify(minute));
  assert.equal(ordersPerSecond, Math.round((3 / Number(seconds)) * 100) / 100);
  // The check may run before the clock's last move is durable.
  assert.ok(Number.isInteger(backlog), `${backlog}`);
  assert.equal(minute.level, 30);
  const { stderr } = await server.stop();
  const requests = linesOf(stderr, 'request');
  for (const [{ headers, status }, path] of [
    [read, '/v1/markets/BTC_ONE_MINUTE'],
    [asked, '/operator/v1/house'],
  ] as const) {
    const [line, ...others] = requests.filter(({ requestId }) => requestId === headers.get('x-request-id'));
    assert.deepEqual(others, []);
    assert.deepEqual([line?.['method'], line?.['path'], line?.['status']], ['GET', path, status]);
    assert.equal(line?.level, 20);
    const trace = path.startsWith('/v1') ? [traceId, spanId] : [undefined, undefined];
    assert.deepEqual([line?.['traceId'], line?.['spanId']], trace);
  }
  for (const hidden of [secret, server.token, 'secret=1', 'a-wrong-token'])
    assert.ok(!stderr.includes(hidden), hidden);
  const moved = [...linesOf(stderr, 'deposit'), ...linesOf(stderr, 'withdrawal')];
  assert.deepEqual(
    moved.map((line) => [line['account'], line['amountCents'], line['balanceCents'], line['reference']]),
    [
      ['house', 100_000_000, 100_000_000, 'initial-capital'],
      [accountId, 1_000, 1_000, 'initial'],
      [accountId, 525, 1_525, 'in'],
      ['house', 100, 100_000_100, 'more'],
      [accountId, -200, 1_325, 'out'],
    ],
  );
});

test('a refusal to start is one line of JSON with every mistake, and plain text on a terminal', async (t) => {
  const env = { TOTE_PROT: '1', TOTE_DEMO: 'perhaps', TOTE_LOG_LEVEL: 'silent' };
  const dataDir = join(newDataDir(), 'never-made');
  const { code, stderr, logText } = await startRefused({ dataDir, env });
  assert.ok(!existsSync(dataDir));
  assert.equal(code, 1);
  const [line, ...others] = logLines(stderr);
  assert.deepEqual(others, []);
  assert.deepEqual([line?.event, line?.level], ['start_refused', 60]);
  assert.deepEqual((line?.['mistakes'] as string[] | undefined)?.length, 2);
  assert.match(logText, /^tote cannot start: the configuration has 2 mistake\(s\):\n {2}TOTE_/);
  if (!isAvailable('script')) {
    t.diagnostic('script is not there: no terminal');
    return;
  }
  const ran = spawnSync('script', ['-qec', `${process.execPath} ${MAIN}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TOTE_PROT: '1' },
    encoding: 'utf8',
  });
  assert.equal(ran.status, 1);
  assert.match(ran.stdout, /^tote cannot start: the configuration has 1 mistake\(s\):\r\n {2}TOTE_PROT: /);
});

test('a terminal is shown plain text, and the demo lines with the key, which no file has', {
  skip: !isAvailable('script') && 'script cannot be found in PATH',
}, async () => {
  const env = { ...INFO, TOTE_DEMO: '1', TOTE_FEED: 'simulated', TOTE_CLOCK: 'system' };
  const under = ['sh', '-c', 'exec script -qec "$0 $1" /dev/null'];
  const server = await Server.start({ env, under });
  await server.run.sees(/^curl .*X-API-Key/m);
  assert.ok(!existsSync(join(server.dataDir, 'demo')));
  const { stdout } = await server.stop();
  assert.match(stdout, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info {2}starting: .*version="/m);
  assert.match(stdout, / info {2}stopped: stopped\r$/m);
});

test('the table of the documents has every event, with its level', () => {
  const rows = readDocument('docs/ops/log.md').matchAll(
    /^\| `([a-z_]+)` \| (debug|info|warn|error|fatal) \|/gm,
  );
  const documented = [...rows].map(([, event, level]) => [event, level]);
  const known = Object.entries(LOG_EVENTS).map(([event, { level }]) => [event, level]);
  assert.deepEqual(documented.sort(), known.sort());
});

test('each full segment and each snapshot is logged, with its size and duration', async () => {
  const hot = new HotSide(newDataDir(), (print) => [
    ...setUpCommands(20, 10_000, print),
    ...orders(0, 9_000, 20),
  ]);
  hot.write(hot.left, 100);
  hot.close();
  const env = { ...INFO, TOTE_SEGMENT_MIB: '1', TOTE_SNAPSHOT_COMMANDS: '1000' };
  const server = await Server.start({ dataDir: hot.dir.root, env });
  const snapshot = await sees(server, 'snapshot_written');
  const isFull = Number(snapshot['sequence']) > 1_000 && Number(snapshot['bytes']) > 1_000;
  assert.ok(isFull, JSON.stringify(snapshot));
  // The first commit finds the segment full. While the snapshot's thread reads it, sealing waits for more of them.
  let deposits = 0;
  const isSealed = sees(server, 'segment_sealed');
  const aMoment = (): Promise<null> => setTimeout(10, null);
  let sealed: LogLine | null = null;
  while (sealed === null) {
    const reference = `deposit ${deposits++} ${'x'.repeat(60)}`;
    await server.operator.post('/accounts/acc_1/deposits', { amount: 1, reference });
    sealed = await Promise.race([isSealed, aMoment()]);
  }
  assert.equal((await server.stop()).code, 0);
  assert.ok(Number(sealed['bytes']) > MIB / 2 && Number(sealed['tookMs']) >= 0, JSON.stringify(sealed));
  assert.ok(Number(sealed['lastSequence']) > Number(sealed['firstSequence']));
});
