/**
 * Messages to systemd: over a real datagram socket, which python3 holds, by the real `systemd-notify`. The tests, which
 * wait for most of their time, run at once.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { askUntil } from '../../support/ask-until.js';
import { newDataDir, Server } from '../../support/processes/server.js';
import { isAvailable } from '../../support/programs.js';
import { NO_NATS } from '../../support/replication/nats.js';
import { startPair } from '../../support/replication/replicated.js';

const missing = ['python3', 'systemd-notify'].filter((program) => !isAvailable(program));
const skip = missing.length > 0 ? `${missing.join(', ')} missing` : false;
/** Twice as often the server says that it is alive, each time by a program of its own. */
const WATCHDOG_USEC = '500000';
const withNats = { skip: skip || NO_NATS };

/**
 * Prints every message in a line. `recv` drops the descriptor by which `systemd-notify` waits until it was received.
 */
const SOCKET = `
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(manager.recv(4096).decode().strip(), flush=True)
`;

async function startManager(t: TestContext) {
  const path = join(newDataDir(), 'notify');
  const child = spawn('python3', ['-c', SOCKET, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    child.kill();
    await once(child, 'close');
  });
  const messages: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(line));
  const sees = (message: string, times = 1): Promise<number> =>
    askUntil(
      () => messages.filter((sent) => sent === message).length,
      (seen) => seen >= times,
    );
  await sees('bound');
  return { path, messages, sees, child };
}

describe('messages to systemd', { concurrency: true }, () => {
  test('systemd is told when both ports answer, that the engine has its turns, and of the stop', {
    skip,
  }, async (t) => {
    const manager = await startManager(t);
    const env = { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC };
    const server = await Server.startFor(t, { env });
    await manager.sees('READY=1');
    assert.equal((await server.operator.get('/status')).status, 200);
    await manager.sees('WATCHDOG=1', 3);
    const { code, stderr } = await server.stop();
    await manager.sees('STOPPING=1');
    assert.equal(code, 0);
    assert.ok(!stderr.includes('notify_failed'), stderr);
    const order = manager.messages.filter((message) => !/^(bound|STATUS|BARRIER)/.test(message));
    assert.deepEqual([...new Set(order)], ['READY=1', 'WATCHDOG=1', 'STOPPING=1']);
  });

  test('a start on a full disk waits before READY, and goes on by itself once there is space', {
    skip: skip || (!isAvailable('mount') && 'root alone may mount'),
  }, async (t) => {
    const manager = await startManager(t);
    const dataDir = newDataDir();
    const mount = (options: string): unknown =>
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dataDir]);
    mount('size=280m,mode=700');
    t.after(() => execFileSync('umount', ['-l', dataDir]));
    const up = Server.start({ dataDir, env: { NOTIFY_SOCKET: manager.path } });
    t.after(async () => (await up).kill());
    const waiting = `STATUS=the start waits for space: 280 MiB are free at ${dataDir}, and it needs 282 MiB`;
    await Promise.race([manager.sees(waiting), manager.sees('READY=1')]);
    assert.deepEqual([manager.messages.includes('READY=1'), readdirSync(dataDir)], [false, []]);
    mount('remount,size=3g');
    await manager.sees('READY=1');
  });

  test('systemd waits for no takeover: a standby that follows has started', withNats, async (t) => {
    const manager = await startManager(t);
    const envB = { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC };
    const { leader, b } = await startPair(t, { envB });
    await manager.sees('READY=1');
    await manager.sees('STATUS=a standby: it follows the replicated log');
    await manager.sees('WATCHDOG=1', 3);
    assert.equal((await leader.stop()).code, 0);
    await b.leading;
    await manager.sees('STATUS=both ports answer');
  });

  test('a service manager that was busy for long enough to miss a message gets the next ones', {
    skip,
  }, async (t) => {
    const { path, child, sees } = await startManager(t);
    const server = await Server.startFor(t, { env: { NOTIFY_SOCKET: path, WATCHDOG_USEC } });
    const before = await sees('WATCHDOG=1');
    child.kill('SIGSTOP');
    await server.run.findInErrors((stderr) => /"notify_failed","reason":"systemd-notify failed/.exec(stderr));
    child.kill('SIGCONT');
    await sees('WATCHDOG=1', before + 5);
  });

  test('a service manager that is gone stops nothing; the log tells of it', { skip }, async (t) => {
    const manager = await startManager(t);
    const server = await Server.startFor(t, { env: { NOTIFY_SOCKET: `${manager.path}-gone` } });
    await server.run.findInErrors((stderr) => /"event":"notify_failed"/.exec(stderr));
    assert.equal((await server.operator.get('/status')).status, 200);
    assert.equal((await server.stop()).code, 0);
  });

  test('the units are sound, and threads may lower their own priority, so that orders come first', {
    skip: !isAvailable('systemd-analyze') && 'systemd-analyze is missing',
  }, () => {
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const judged = analyze('security', '--offline=yes', 'docs/deploy/tote.service').stdout;
    assert.match(judged, /@resources is included \(e\.g\. setpriority is allowed\)/);
    const units = ['tote.service', 'tote-backup.timer', 'tote-backup.service'];
    const files = units.map((unit) => `docs/deploy/${unit}`);
    assert.doesNotMatch(analyze('verify', '--man=no', ...files).stderr, /tote/);
  });
});
