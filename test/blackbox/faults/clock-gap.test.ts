/**
 * A start whose clock is far ahead of the journal, on the real server: with bettors' stakes in open rounds it settles
 * nothing and takes no order until the clock is confirmed. The log names the way back from a clock that was ahead.
 * The tests, which wait for most of their time, run at once.
 */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Status } from '../../../http/operator/queries/status.js';
import { askUntil } from '../../support/ask-until.js';
import { toteText } from '../../support/processes/cli.js';
import { linesOf } from '../../support/processes/log-lines.js';
import { type Bettor, newDataDir, Server } from '../../support/processes/server.js';
import { pathOfTimeService } from '../../support/processes/time-service.js';

const MINUTE_MS = 60_000;
/** Runs in the server before everything else. */
const A_DAY_AHEAD = '--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()%2B864e5';

const started: Server[] = [];
after(async () => {
  await Promise.all(started.map((server) => server.kill()));
});

let bettor: Bettor;
let prepared: string;
before(async () => {
  const startMs = Math.ceil((Date.now() - 18 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS + 1_000;
  const server = await Server.start({ env: { TOTE_CLOCK_START: new Date(startMs).toISOString() } });
  await server.push({ BTC: 60_000 });
  bettor = await server.createBettor({ balance: 1_000 });
  const order = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 100 };
  assert.equal((await bettor.api.post('/orders', order)).status, 201);
  await server.stop();
  prepared = server.dataDir;
});

/** Stopped, with a bet of 100 in a round of a minute, journaled last 18 minutes ago. */
function minutesAgo(): string {
  const dataDir = join(newDataDir(), 'data');
  cpSync(prepared, dataDir, { recursive: true });
  return dataDir;
}

async function startNow(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = await Server.start({
    dataDir,
    env: { TOTE_CLOCK: 'system', TOTE_CHANGE_SETUP: 'clock,feed', TOTE_LOG_LEVEL: 'info', ...env },
  });
  started.push(server);
  return server;
}

const statusOf = async (server: Server): Promise<Status> =>
  (await server.operator.get<Status>('/status')).data;
const openBets = async (server: Server, { secret }: Bettor): Promise<number> =>
  (await server.api(secret).get<unknown[]>('/orders?status=active')).data.length;
const untilSettled = (server: Server, bettor: Bettor): Promise<number> =>
  askUntil(
    () => openBets(server, bettor),
    (open) => open === 0,
  );
const balanceOf = async (server: Server, { accountId }: Bettor): Promise<number> =>
  (await server.operator.get<{ balance: number }>(`/accounts/${accountId}`)).data.balance;

describe('a clock far ahead of the journal', { concurrency: true }, () => {
  test('more than 15 minutes later a start settles nothing until an operator confirms the clock', async () => {
    const dataDir = minutesAgo();
    const PATH = pathOfTimeService(dataDir, 'no');
    const server = await startNow(dataDir, { PATH });
    const [gap] = linesOf(server.run.stderr, 'clock_gap');
    assert.match(gap?.msg ?? '', / 1[678] min .*later: open rounds have stakes, so nothing is settled/);
    const before = await statusOf(server);
    assert.deepEqual([before.clock.condition, before.ordersRefused], ['unconfirmed', 'clock_unsynchronised']);
    assert.ok(before.clock.offsetMs > 15 * MINUTE_MS);
    const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
    const code = (await server.api(bettor.secret).post('/orders', order)).error.split(':')[0];
    assert.equal(code, 'clock_unsynchronised');
    const ready = await fetch(`${server.operatorUrl}/readyz`);
    assert.deepEqual([ready.status, /clock_unsynchronised/.test(await ready.text())], [503, true]);
    await askUntil(
      async () => (await server.operator.get<{ alarms: { name: string }[] }>('/vitals')).data.alarms,
      (raised) => raised.some(({ name }) => name === 'clock_unconfirmed'),
    );
    assert.equal(await openBets(server, bettor), 1);
    assert.equal((await statusOf(server)).sequence, before.sequence, 'nothing was journaled');

    const confirm = (time: number, reason?: string) =>
      server.operator.post<{ time: string }>('/clock/confirm', {
        time: new Date(time).toISOString(),
        reason,
      });
    assert.match((await confirm(Date.now())).error, /^invalid_request: .*reason/);
    const wrong = await confirm(Date.now() - 2 * MINUTE_MS, 'by my watch');
    assert.match(wrong.error, /^invalid_request: time must be what the server's clock says, to the minute/);
    assert.equal((await statusOf(server)).clock.condition, 'unconfirmed');
    const confirmed = await confirm(Date.now(), 'the machine was moved');
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.ok(Math.abs(Date.parse(confirmed.data.time) - Date.now()) < MINUTE_MS);
    await untilSettled(server, bettor);
    assert.equal(await balanceOf(server, bettor), 1_000, 'without a price the round is void');
    const sentence = /^invalid_request: the clock has nothing to confirm/;
    assert.match((await confirm(Date.now(), 'again')).error, sentence);
    const audit = await server.operator.get<{ action: string; reason: string; target: string }[]>('/audit');
    const entry = audit.data.find(({ action }) => action === 'moveClock');
    assert.deepEqual([entry?.reason, entry?.target], ['the machine was moved', 'clock']);
    await server.stop();
    assert.match(await toteText(['verify', dataDir]), /in order|good/);
  });

  test('a confirmation outlives a crash: the next start asks nobody', async () => {
    const dataDir = minutesAgo();
    const env = { PATH: pathOfTimeService(dataDir, 'no') };
    const first = await startNow(dataDir, env);
    const body = { time: new Date().toISOString(), reason: 'a test' };
    assert.equal((await first.operator.post('/clock/confirm', body)).status, 200);
    await first.kill();
    const second = await startNow(dataDir, env);
    assert.deepEqual(linesOf(second.run.stderr, 'clock_gap'), []);
    await untilSettled(second, bettor);
  });

  test('a clock that was a day ahead: the command that the log names leads back to before', async () => {
    const dataDir = minutesAgo();
    const env = { NODE_OPTIONS: A_DAY_AHEAD, PATH: pathOfTimeService(dataDir, 'yes') };
    const ahead = await startNow(dataDir, env);
    assert.match(linesOf(ahead.run.stderr, 'clock_gap')[0]?.msg ?? '', / 1 d later: open rounds have stakes/);
    await untilSettled(ahead, bettor);
    await ahead.stop();
    const PATH = pathOfTimeService(dataDir, 'no');
    const stuck = await startNow(dataDir, { PATH });
    assert.equal((await statusOf(stuck)).clock.condition, 'behind');
    const told = linesOf(stuck.run.stderr, 'clock_gap')[0]?.msg ?? '';
    const [, wayBack = ''] = /: npx tote (restore \S+ --to \S+ --out \S+)\. /.exec(told) ?? [];
    await stuck.stop();
    await toteText(wayBack.replaceAll("'", '').split(' '));
    const server = await startNow(`${dataDir}-restored`, { PATH });
    assert.equal((await statusOf(server)).clock.condition, 'unconfirmed');
    assert.deepEqual([await openBets(server, bettor), await balanceOf(server, bettor)], [1, 900]);
    const body = { time: new Date().toISOString(), reason: 'the clock is right now' };
    assert.equal((await server.operator.post('/clock/confirm', body)).status, 200);
    await untilSettled(server, bettor);
    assert.equal((await statusOf(server)).ordersRefused, null);
  });
});
