/** The server of this checkout as a process of its own, for the sandbox and for backtests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The build folder has this file in `client/local/`. */
const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'main.js');

export type Environment = Readonly<Record<string, string | undefined>>;

export class LocalServer {
  #isStopping = false;

  private constructor(
    readonly apiUrl: string,
    readonly operatorUrl: string,
    readonly token: string,
    private readonly process: ChildProcess,
  ) {}

  /** Resolves once both ports answer. The server does not outlive this program. */
  static async start(env: Environment, dataDir: string): Promise<LocalServer> {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { ...env, TOTE_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Before the handlers that remove its files.
    process.prependOnceListener('exit', () => child.kill('SIGKILL'));
    const banner = await readBanner(child);
    const apiUrl = urlIn(banner, 'public API');
    const operatorUrl = urlIn(banner, 'operator API');
    const token = env['TOTE_OPERATOR_TOKEN'] ?? readFileSync(join(dataDir, 'operator-token'), 'utf8').trim();
    return new LocalServer(apiUrl, operatorUrl, token, child);
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.process.kill('SIGTERM');
    await this.ended();
  }
}

async function readBanner({ stdout }: ChildProcess): Promise<string> {
  let banner = '';
  if (stdout === null) return banner;
  for await (const chunk of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    banner += chunk;
    if (/^ {2}clock .*\n/m.test(banner)) return banner;
  }
  // Its own log, on stderr.
  throw new Error(
    'The server did not start: the line above says why. Where another server has its ports, stop that one, or set TOTE_PORT and TOTE_OPERATOR_PORT.',
  );
}

function urlIn(banner: string, name: string): string {
  const [, url] = new RegExp(`^ *${name} +(http://\\S+)`, 'm').exec(banner) ?? [];
  if (url === undefined) throw new Error(`the server's banner has no ${name}`);
  return url;
}
