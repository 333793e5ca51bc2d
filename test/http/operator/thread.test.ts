/** The operators' thread while the engine's is busy, and programming errors on the threads that serve the ports. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { StreamClient } from '../../support/api/stream-client.js';
import { askUntil } from '../../support/ask-until.js';
import { Client } from '../../support/http/client.js';
import { RawClient } from '../../support/http/raw-client.js';
import { newFolder } from '../../support/new-folder.js';
import { logLines } from '../../support/processes/log-lines.js';
import { scrape } from '../../support/processes/scrape.js';
import { Server } from '../../support/processes/server.js';

/** `script` runs in each of the server's threads before its own code; `folder` is for its files. */
async function startWith(t: TestContext, script: (folder: string) => string) {
  const folder = newFolder();
  const file = join(folder, 'first.cjs');
  writeFileSync(file, script(folder));
  const server = await Server.startFor(t, { env: { NODE_OPTIONS: `--require ${file}` } });
  return { server, folder, operatorPort: Number(new URL(server.operatorUrl).port) };
}

/** SIGUSR2 blocks the engine's thread until there is a file `go`. */
const blockable = (folder: string): string => `
  const { existsSync, writeSync } = require('node:fs');
  if (require('node:worker_threads').isMainThread) process.on('SIGUSR2', () => {
    writeSync(2, '\\nblocked\\n');
    const cell = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(${JSON.stringify(join(folder, 'go'))})) Atomics.wait(cell, 0, 0, 10);
  });`;

test('while the engine is busy the port is guarded, and what asks the engine waits; once it hangs, the server says that it is to be restarted, and is well again when it goes on', async (t) => {
  const { server, folder, operatorPort } = await startWith(t, blockable);
  const anyone = new Client(server.operatorUrl, {});
  assert.equal((await anyone.get('/healthz')).status, 200);
  server.run.signal('SIGUSR2');
  await server.run.findInErrors((stderr) => /^blocked$/m.exec(stderr));
  const asks = await RawClient.open(operatorPort);
  asks.send('GET /operator/v1/house HTTP/1.1', 'Host: x', `Authorization: Bearer ${server.token}`, '', '');
  assert.equal((await anyone.get('/operator/v1/status')).status, 401);
  assert.equal((await server.operator.get('/no-such-path')).status, 404);
  assert.equal((await server.operator.post('/accounts', { tier: 'NONE' })).status, 400);
  assert.equal(asks.received, '', 'the engine has not said what the house has');
  const until = (path: string, status: number) =>
    askUntil(
      () => anyone.get(path),
      (answered) => answered.status === status,
      50,
    );
  for (const path of ['/healthz', '/readyz']) {
    const { text } = await until(path, 503);
    const { success, error, notReady } = JSON.parse(text);
    assert.deepEqual({ success, error }, { success: false, error: 'overloaded' });
    assert.equal(notReady[0].check, 'engine');
    assert.match(notReady[0].reason, /^no turn of the engine's thread has ended for \d+ s$/);
  }
  writeFileSync(join(folder, 'go'), '');
  assert.match(await asks.sees(/"balance"/), /^HTTP\/1\.1 200/);
  for (const path of ['/healthz', '/readyz']) await until(path, 200);
});

/**
 * Outside the engine's thread a body with this word cannot be read, and the JSON of an account with this name cannot
 * be made.
 */
const failing = (): string => `
  const { stringify } = JSON;
  const { includes } = String.prototype;
  if (!require('node:worker_threads').isMainThread) {
    JSON.stringify = (value, ...rest) => {
      if (value?.data?.name === 'unspeakable') throw new Error('a mistake in the program');
      return stringify(value, ...rest);
    };
    String.prototype.includes = function (...given) {
      if (this[0] === '{' && includes.call(this, 'unreadable')) throw new Error('a mistake in the program');
      return includes.apply(this, given);
    };
  }`;

test('a programming error ends one request or stream on either port, is told, and nothing else ends', async (t) => {
  const { server } = await startWith(t, failing);
  const bettor = await server.createBettor();
  const origin = server.operatorUrl;
  const page = new Client(origin, { Origin: origin });
  const stream = await StreamClient.open(server.publicUrl, bettor.secret);
  const answers = [
    await bettor.api.post('/orders', { unreadable: 1 }),
    await bettor.api.post('/orders/quote', { unreadable: 1 }),
    await server.operator.post('/accounts', { tier: 'GOLD', name: 'unreadable' }),
    await server.operator.post('/accounts', { tier: 'GOLD', name: 'unspeakable' }),
    await page.post('/console/session', { token: 'unreadable' }),
  ];
  const ids = answers.map(({ status, text, headers }) => {
    const id = headers.get('x-request-id') ?? '';
    const told = `{"success":false,"error":"internal_error: an error of the server, logged as ${id}"}`;
    assert.deepEqual([status, text], [500, told]);
    return id;
  });
  stream.socket.send('{"op":"order","id":1,"order":{"unreadable":1}}');
  assert.deepEqual(await stream.closed, { code: 4500, reason: 'internal_error' });
  const lines = logLines(server.run.stderr).filter(({ event }) => event === 'client_fault');
  assert.equal(lines.length, 6);
  for (const id of ids) {
    const line = lines.find(({ requestId }) => requestId === id);
    assert.match(JSON.stringify(line), /"err":.*a mistake in the program.*"stack"/);
  }
  assert.equal((await scrape(server)).sum('tote_client_faults_total'), 6);
  assert.equal((await bettor.api.get('/account')).status, 200);
  const accounts = await server.operator.get<{ name: string | null }[]>('/accounts');
  const names = accounts.data.map(({ name }) => name);
  assert.ok(names.includes('unspeakable') && !names.includes('unreadable'), 'what is durable is not lost');
  await askUntil(
    () => server.operator.get<{ alarms: { name: string; value: number }[] }>('/vitals'),
    (answered) => answered.data.alarms.some(({ name, value }) => name === 'client_faults' && value === 6),
    200,
  );
  const { code, stderr } = await server.stop();
  assert.equal(code, 0, stderr);
});
