/** The operators' thread: what it answers while the engine's thread is busy, and how an error in it ends the process. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askUntil } from '../../support/ask-until.js';
import { type Answered, Client } from '../../support/http/client.js';
import { RawClient } from '../../support/http/raw-client.js';
import { Server } from '../../support/processes/server.js';

/** A server that runs `script` in each of its threads before its own code; `folder` is for what the script needs. */
async function startWith(t: TestContext, script: (folder: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'tote-test-'));
  const file = join(folder, 'first.cjs');
  writeFileSync(file, script(folder));
  const server = await Server.start({ env: { NODE_OPTIONS: `--require ${file}` } });
  t.after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });
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

test('while the engine is busy the port is guarded, and what asks the engine waits', async (t) => {
  const { server, folder, operatorPort } = await startWith(t, blockable);
  server.run.signal('SIGUSR2');
  await server.run.findInErrors((stderr) => /^blocked$/m.exec(stderr));
  const asks = await RawClient.open(operatorPort);
  const authorization = `Authorization: Bearer ${server.token}`;
  asks.send('GET /operator/v1/house HTTP/1.1', 'Host: x', authorization, '', '');
  const anyone = new Client(server.operatorUrl, {});
  assert.equal((await anyone.get('/operator/v1/status')).status, 401);
  assert.equal((await server.operator.get('/no-such-path')).status, 404);
  assert.equal((await server.operator.post('/accounts', { tier: 'NONE' })).status, 400);
  assert.equal(asks.received, '', 'the engine has not said what the house has');
  writeFileSync(join(folder, 'go'), '');
  assert.match(await asks.sees(/"balance"/), /^HTTP\/1\.1 200/);
});

/** Asks until the answer has this status. */
const until = (anyone: Client, path: string, status: number): Promise<Answered> =>
  askUntil(
    () => anyone.get(path),
    (answered) => answered.status === status,
    50,
  );

test('a server whose engine hangs says that it is to be restarted, and is well again once it goes on', async (t) => {
  const { server, folder } = await startWith(t, blockable);
  const anyone = new Client(server.operatorUrl, {});
  assert.equal((await anyone.get('/healthz')).status, 200);
  server.run.signal('SIGUSR2');
  for (const path of ['/healthz', '/readyz']) {
    const { text } = await until(anyone, path, 503);
    const { success, error, notReady } = JSON.parse(text);
    assert.deepEqual({ success, error }, { success: false, error: 'overloaded' });
    assert.equal(notReady[0].check, 'engine');
    assert.match(notReady[0].reason, /^no turn of the engine's thread has ended for \d+ s$/);
  }
  writeFileSync(join(folder, 'go'), '');
  for (const path of ['/healthz', '/readyz']) await until(anyone, path, 200);
});

/** The JSON of an account with this name cannot be made, outside the engine's thread. */
const failing = (): string => `
  const { stringify } = JSON;
  if (!require('node:worker_threads').isMainThread) JSON.stringify = (value, ...rest) => {
    if (value?.data?.name === 'unspeakable') throw new Error('a mistake in the program');
    return stringify(value, ...rest);
  };`;

test('a programming error in the operators thread ends the process, and nothing durable is lost', async (t) => {
  const { server, operatorPort } = await startWith(t, failing);
  const open = await RawClient.open(operatorPort);
  const asks = server.operator.post('/accounts', { tier: 'GOLD', name: 'unspeakable' });
  await assert.rejects(asks, 'the connection ends without an answer');
  const { code, stderr } = await server.run.ended;
  assert.equal(code, 1);
  assert.match(stderr, /"event":"failed".*a mistake in the program/);
  await open.closed;
  const again = await Server.start({ dataDir: server.dataDir });
  t.after(() => again.kill());
  const accounts = await again.operator.get<{ name: string | null }[]>('/accounts');
  assert.deepEqual(
    accounts.data.map(({ name }) => name),
    ['unspeakable'],
  );
});
