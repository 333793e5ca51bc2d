/**
 * Redis as the reference for one durable write a request: SET with an append-only file that is fsynced before every
 * answer. It runs in a process of its own on a free loopback port, and writes to the same disk as the other systems.
 */
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';

const START_TRIES_MAX = 100;
const START_TRY_GAP_MS = 50;
const ASK_MS_MAX = 5_000;

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

export interface RedisServer {
  readonly process: ServerProcess;
  readonly port: number;
}

export async function startRedis(
  dir: string,
  durability: 'fsync' | 'os',
  core: number | null,
): Promise<RedisServer> {
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    appendonly: 'yes',
    appendfsync: durability === 'fsync' ? 'always' : 'no',
    // No snapshots and no rewrites, only the append-only file.
    save: '',
    'auto-aof-rewrite-percentage': '0',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = ServerProcess.other(['redis-server', ...args], { core, logFile: join(dir, 'redis.log') });
  for (let tries = 0; tries < START_TRIES_MAX; tries += 1) {
    if (server.ended) break;
    if (await answersPing(port)) return { process: server, port };
    await pause(START_TRY_GAP_MS);
  }
  const failure = server.failure('did not start');
  await server.stop();
  throw failure;
}

const answersPing = async (port: number): Promise<boolean> =>
  (await ask(port, 'PING').catch(() => '')).startsWith('+PONG');

/** The short answer to one inline command. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`${command}\r\n`));
    socket.setTimeout(ASK_MS_MAX, () => socket.destroy(new Error(`no answer to ${command}`)));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('latin1'));
    });
    socket.once('error', reject);
  });
}
