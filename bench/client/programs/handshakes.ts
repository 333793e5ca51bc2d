/** TLS handshakes, one connection after another, by `openssl s_time`. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onCore } from '../../host/cores.js';

/** Time allowed for starting besides the requested duration. */
const BESIDE_MS_MAX = 20_000;
const run = promisify(execFile);

export const hasOpenssl = (): boolean => spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;

/** A certificate that signs itself, with an ECDSA key on P-256, as most servers have one now. */
export function makeCertificate(dir: string): { readonly certFile: string; readonly keyFile: string } {
  const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const options =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost ' +
    `-keyout ${keyFile} -out ${certFile}`;
  execFileSync('openssl', options.split(' '), { stdio: 'ignore' });
  return { certFile, keyFile };
}

export interface HandshakeRun {
  readonly port: number;
  readonly seconds: number;
  readonly version: 'tls1_2' | 'tls1_3';
  /** With the session of the first one, without certificate and signature. With TLS 1.2 only: openssl waits for no ticket. */
  readonly isResumed: boolean;
  readonly core: number | null;
}

/** How many were made. */
export async function measureHandshakes(options: HandshakeRun): Promise<number> {
  const { port, seconds, version, isResumed, core } = options;
  const [file = '', ...args] = onCore(core, [
    ...['openssl', 's_time', '-connect', `127.0.0.1:${port}`],
    ...[isResumed ? '-reuse' : '-new', `-${version}`, '-time', String(seconds)],
  ]);
  const timeout = seconds * 1000 + BESIDE_MS_MAX;
  const { stdout } = await run(file, args, { timeout, killSignal: 'SIGKILL' });
  const made = [...stdout.matchAll(/^(\d+) connections in \d+ real seconds/gm)].at(-1)?.[1];
  if (made === undefined) throw new Error(`not a report of openssl s_time:\n${stdout}`);
  return Number(made);
}
