/**
 * Files of the journal that are deleted, replaced or moved away under the running server. It acknowledges nothing
 * more and stays up, and the commands of its log bring back every order that it had acknowledged. And a disk that
 * hangs. The tests, which wait for most of their time, run at once.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Raised } from '../../../http/metrics/alarms.js';
import type { Status } from '../../../http/operator/queries/status.js';
import { askUntil } from '../../support/ask-until.js';
import { Client } from '../../support/http/client.js';
import { type LogLine, linesOf } from '../../support/processes/log-lines.js';
import { scrapeWhere } from '../../support/processes/scrape.js';
import { type Bettor, newDiskDir, Server } from '../../support/processes/server.js';
import { hangingDisk, isAvailable } from '../../support/programs.js';

const ORDERS = 5;

const bet = ({ secret }: Pick<Bettor, 'secret'>, server: Server, name: string) =>
  server
    .api(secret)
    .post('/orders', { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 10 }, { 'Idempotency-Key': name });

async function trading(t: TestContext, env = {}) {
  const server = await Server.start({ dataDir: newDiskDir(), env });
  const servers = [server];
  t.after(async () => {
    for (const one of servers.reverse()) await one.remove();
  });
  const startAgain = async (): Promise<Server> => {
    const again = await Server.start({ dataDir: server.dataDir });
    servers.push(again);
    return again;
  };
  const bettor = await server.createBettor();
  await server.toNextDay({ BTC: 67_000 });
  for (let n = 0; n < ORDERS; n++) assert.equal((await bet(bettor, server, `before-${n}`)).status, 201);
  const journal = join(server.dataDir, 'journal');
  const segment = join(journal, readdirSync(journal).find((name) => name.endsWith('.db')) ?? '');
  return { server, startAgain, bettor, journal, segment };
}

/** `test/persistence/journal/lost-files.test.ts` has these and others in one process. */
const HARMS: Readonly<Record<string, (paths: { journal: string; segment: string }) => void>> = {
  'all files are deleted': ({ journal }) => {
    for (const name of readdirSync(journal)) rmSync(join(journal, name));
  },
  'the segment is replaced by a copy': ({ segment }) => {
    cpSync(segment, `${segment}.copy`);
    renameSync(`${segment}.copy`, segment);
  },
};

const lostLine = (server: Server): Promise<LogLine> =>
  server.run.findInErrors((stderr) => linesOf(stderr, 'journal_lost')[0]);

function refused(answer: { readonly status: number; readonly text: string }): void {
  assert.equal(answer.status, 503, answer.text);
  assert.match(answer.text, /"error":"journal_unavailable: /);
}

describe('a journal that is lost', { concurrency: true }, () => {
  for (const [what, harm] of Object.entries(HARMS)) {
    test(`${what}: nothing more is acknowledged, and the rescue brings all back`, async (t) => {
      const { server, startAgain, bettor, ...paths } = await trading(t);
      harm(paths);
      refused(await bet(bettor, server, 'after-0'));
      const deposit = { amount: 5, reference: 'late', reason: 'late' };
      refused(await server.operator.post(`/accounts/${bettor.accountId}/deposits`, deposit));
      refused(await server.operator.post('/house/deposits', deposit));
      const anyone = new Client(server.operatorUrl, {});
      assert.equal((await anyone.get('/healthz')).status, 200);
      const ready = await askUntil(
        () => anyone.get('/readyz'),
        ({ status }) => status === 503,
      );
      assert.match(ready.text, /"code":"journal_unavailable"/);
      assert.doesNotMatch(ready.text, /shutting_down/);
      assert.equal((await bettor.api.get('/markets')).status, 200);

      const { rescue } = await lostLine(server);
      const found = statSync(paths.segment, { throwIfNoEntry: false })?.ino;
      assert.ok(Array.isArray(rescue) && !JSON.stringify(rescue).includes('\\'), 'a line to copy from');
      for (const command of rescue) execFileSync('sh', ['-c', String(command)]);
      assert.notEqual(statSync(paths.segment).ino, found, 'it is never there in part');
      const ending = await server.run.ended;
      assert.equal(ending.code, 1, ending.stderr);
      assert.equal(linesOf(ending.stderr, 'stopped_without_journal').length, 1);

      const again = await startAgain();
      for (let n = 0; n < ORDERS; n++) {
        const { status, headers, text } = await bet(bettor, again, `before-${n}`);
        assert.deepEqual([status, headers.get('x-idempotent-replay')], [201, 'true'], text);
      }
      await again.push({ BTC: 67_000 });
      const { status, headers, text } = await bet(bettor, again, 'after-0');
      assert.deepEqual([status, headers.get('x-idempotent-replay')], [201, null], text);
    });
  }

  test('an idle server finds it, too: the alarm is raised, what is on record can be read, and it ends as a failure', async (t) => {
    const { server, startAgain, bettor, journal } = await trading(t);
    renameSync(journal, `${journal}-moved`);
    const { err } = await lostLine(server);
    assert.match(JSON.stringify(err), /undo that and start again/);
    const scraped = await scrapeWhere(server, (one) => one.value('tote_journal_lost') === 1);
    assert.equal(scraped.value('tote_stopping'), 0);
    const vitals = async () => (await server.operator.get<{ alarms: readonly Raised[] }>('/vitals')).data;
    const { alarms } = await askUntil(vitals, (seen) => seen.alarms.length > 0, 100);
    const shown = alarms.map(({ name, severity }) => [name, severity]);
    assert.deepEqual(shown, [['journal_lost', 'critical']]);
    assert.equal((await bettor.api.get('/account')).status, 200);
    refused(await server.operator.put('/trading', { enabled: false, reason: 'why' }));
    assert.equal((await server.stop()).code, 1);

    renameSync(`${journal}-moved`, journal);
    const again = await startAgain();
    assert.equal((await bet(bettor, again, 'before-0')).headers.get('x-idempotent-replay'), 'true');
  });

  test('an end that waits for the disk lets go of clients before', {
    skip: !isAvailable('strace'),
  }, async (t) => {
    const { server, bettor } = await trading(t, { TOTE_GATEWAYS: '0' });
    using _disk = await hangingDisk(server.run.pid);
    const over = bet(bettor, server, 'hangs').catch(() => true);
    const status = () => server.operator.get<Status>('/status');
    await askUntil(status, ({ data }) => data.backlog > 0);
    // The first signal waits for the disk. A later one forces the end.
    const signal = () => Promise.race([over, server.run.signal('SIGTERM')]);
    await askUntil(signal, (isOver) => isOver === true);
    assert.ok(server.run.isRunning);
  });
});
