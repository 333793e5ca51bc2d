/** `tote standby init --from URL`: a backup as a tar archive over HTTP, and what is not taken for one. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askUntil } from '../../support/ask-until.js';
import { CLI_MAIN, tote, toteJson, toteProcess, toteText } from '../../support/processes/cli.js';
import { live } from '../support/lived-dir.js';

const TOKEN = 'token-of-the-web-server';

/** A web server with this file, for those with the token. */
async function serve(t: TestContext, file: () => Buffer): Promise<string> {
  const server = createServer((request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`;
    if (!isAllowed) response.writeHead(401).end();
    else if (request.url === '/moved') response.writeHead(302, { Location: '/backup.tar' }).end();
    else response.writeHead(200).end(file());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a standby is made of a tar archive that a web server has, its secrets included', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tote-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { sandbox, dataDir } = await live();
  t.after(() => sandbox.remove());
  const [backup, tar, token] = [join(folder, 'backup'), join(folder, 'backup.tar'), join(folder, 'token')];
  await toteText(['backup', backup, dataDir]);
  assert.equal(spawnSync('tar', ['-C', backup, '-cf', tar, '.']).status, 0);
  writeFileSync(token, `${TOKEN}\n`);
  const archive = readFileSync(tar);
  let sent = archive;
  const origin = await serve(t, () => sent);
  const init = (from: string, out: string): string[] => [
    ...['standby', 'init', '--from', from, '--out', join(folder, out)],
    ...['--token-file', token],
  ];
  const made = await toteJson<{ seq: number }>(init(`${origin}/backup.tar`, 'made'));
  const direct = await toteJson<{ seq: number }>([
    'standby',
    'init',
    '--from',
    backup,
    '--out',
    join(folder, 'direct'),
  ]);
  assert.equal(made.seq, direct.seq);
  for (const name of ['master-secret', 'signing-keys'])
    assert.deepEqual(readFileSync(join(folder, 'made', name)), readFileSync(join(dataDir, name)), name);
  await toteText(['verify', join(folder, 'made')]);
  const failed = async (from: string, out: string): Promise<string> => {
    const ran = await tote(init(from, out));
    assert.notEqual(ran.code, 0);
    assert.equal(existsSync(join(folder, out)), false);
    return ran.stderr;
  };
  // Within a file: between two tar takes the end for that of the archive.
  sent = archive.subarray(0, archive.indexOf('SQLite format 3') + 1_000);
  assert.match(await failed(`${origin}/backup.tar`, 'half'), /No backup could be had from .*tar: /);
  sent = Buffer.from('<html>not found</html>');
  assert.match(await failed(`${origin}/backup.tar`, 'page'), /No backup could be had/);
  assert.match(await failed(`${origin}/moved`, 'moved'), /No backup could be had/);
  writeFileSync(token, 'another');
  assert.match(await failed(`${origin}/backup.tar`, 'denied'), /the answer is 401/);
  assert.match(await failed('http://one.example.com/backup.tar', 'plain'), /comes over https/);
  assert.match(await failed('https://me:secret@one.example.com/backup.tar', 'secret'), /--token-file/);
  writeFileSync(token, `${TOKEN}\n${TOKEN}\n`);
  const unsent = await failed(`${origin}/backup.tar`, 'unsent');
  assert.match(unsent, /has no token/);
  assert.doesNotMatch(unsent, new RegExp(TOKEN));
  writeFileSync(token, TOKEN);
  const withoutTar = await toteProcess(init(`${origin}/backup.tar`, 'tarless'), { env: { PATH: '' } });
  assert.match(withoutTar.stderr, /No backup could be had from .*spawn tar/);
  const left = readdirSync(folder).filter((name) => name.includes('fetched'));
  assert.deepEqual(left, [], 'nothing of a download is left');
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test(`a download that ${signal} interrupts leaves nothing`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tote-test-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const server = createServer((_request, response) => {
      response.writeHead(200).write(Buffer.alloc(100_000));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.closeAllConnections());
    t.after(() => server.close());
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/backup.tar`;
    const asked = once(server, 'request');
    const args = ['standby', 'init', '--from', from, '--out', join(folder, 'data')];
    const child = spawn(process.execPath, [CLI_MAIN, ...args], { stdio: 'ignore' });
    await asked;
    assert.equal(readdirSync(folder).length, 1);
    child.kill(signal);
    await once(child, 'exit');
    await askUntil(
      () => readdirSync(folder),
      (names) => names.length === 0,
    );
  });
}

test('what a power failure has left of a download is removed by the next one, and no other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tote-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: gone } = spawnSync('true');
  const kept = [`data.fetched-${process.pid}-a`, `data.fetched-x`, `other.fetched-${gone}-b`];
  for (const name of [...kept, `data.fetched-${gone}-c`]) mkdirSync(join(folder, name));
  const from = await serve(t, () => Buffer.alloc(0));
  const ran = await tote(['standby', 'init', '--from', from, '--out', join(folder, 'data')]);
  assert.match(ran.stderr, /the answer is 401/);
  assert.deepEqual(readdirSync(folder).sort(), kept.sort());
});
