/** Debian's nginx as a reverse proxy in front of a server, with the configuration of a document. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { askUntil } from '../ask-until.js';
import { replace, selfSigned } from '../http/certificates.js';
import { type HttpsAnswered, type HttpsRequest, httpsSend } from '../http/https.js';
import { newDataDir, removeDataDir } from './server.js';

const NAME = 'tote.example.com';

export async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '0.0.0.0');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  holder.close();
  await once(holder, 'close');
  return port;
}

export class Nginx {
  private constructor(
    readonly port: number,
    readonly certificate: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  /**
   * `configuration` goes into `http`; its port, the upstream's address and the certificate's place are replaced, and
   * must be in it.
   */
  static async start(configuration: string, upstream: string): Promise<Nginx> {
    const folder = newDataDir();
    const pair = selfSigned(folder, 'proxy', { dns: NAME });
    const certificate = pair.cert;
    replace({ certFile: join(folder, 'fullchain.pem'), keyFile: join(folder, 'privkey.pem') }, pair);
    const port = await freePort();
    const replaced = [
      ['/etc/ssl/tote', folder],
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['127.0.0.1:8080', upstream],
    ].reduce((conf, [from = '', to = '']) => {
      assert.ok(conf.includes(from), `the configuration has ${from}`);
      return conf.replaceAll(from, to);
    }, configuration);
    writeFileSync(join(folder, 'nginx.conf'), mainFile(folder, replaced));
    const started = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    started.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    const nginx = new Nginx(port, certificate, folder, started);
    // It says nothing when it is up.
    await askUntil(() => {
      assert.equal(started.exitCode, null, stderr);
      return nginx.#answers();
    }, Boolean);
    return nginx;
  }

  /** On a connection of its own; `target` with the base path. */
  send(method: string, target: string, parts: HttpsRequest = {}): Promise<HttpsAnswered> {
    return httpsSend({ port: this.port, ca: this.certificate, servername: NAME }, method, target, parts);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      this.process.kill('SIGTERM');
      await once(this.process, 'close');
    }
    removeDataDir(this.folder);
  }

  async #answers(): Promise<boolean> {
    try {
      await this.send('OPTIONS', '/v1/markets');
      return true;
    } catch {
      return false;
    }
  }
}

/** Around the document's part: one process, in the foreground, that writes into its own folder only. */
function mainFile(folder: string, configuration: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const places = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  return [
    'daemon off; master_process off;',
    `pid ${join(folder, 'nginx.pid')};`,
    'events { worker_connections 1024; }',
    `http { access_log off; ${places.join(' ')}`,
    configuration,
    '}',
  ].join('\n');
}
