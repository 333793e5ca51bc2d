/**
 * The real server as a process of its own, on free ports and a data directory of its own. By default its clock is
 * manual and its prices come from the test, so that nothing happens unless the test causes it.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Answered, Client } from '../http/client.js';
import { newFolder } from '../new-folder.js';
import { logLines } from './log-lines.js';

const MAIN = fileURLToPath(new URL('../../../main.js', import.meta.url));

/** Fast, quiet and under the test's control. A test's own `env` comes on top; undefined unsets a variable. */
const TEST_ENV: Readonly<Record<string, string>> = {
  TOTE_PORT: '0',
  TOTE_OPERATOR_PORT: '0',
  TOTE_CLOCK: 'manual',
  // Far from midnight, when a long round takes no more bets.
  TOTE_CLOCK_START: '2026-06-10T10:30:00Z',
  TOTE_FEED: 'push',
  TOTE_DEMO: '0',
  TOTE_RATE_LIMITS: 'off',
  TOTE_LOG_LEVEL: 'warn',
  // At night there are runs with none and with three.
  TOTE_GATEWAYS: process.env['TOTE_TEST_GATEWAYS'] ?? '1',
};

export interface ServerOptions {
  /** To start again on; a new one if absent. `remove` removes it. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A program with its arguments that runs the server's process, such as strace or prlimit. */
  readonly under?: readonly string[];
  /** Long before the server may be up. */
  readonly onRun?: (run: Run) => void;
}

export interface Shutdown {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const newDataDir = (): string => newFolder();
/** For tests that end a server in the middle of a commit: in memory every commit is over at once. */
export const newDiskDir = (): string => newFolder(process.env['TEST_DISK_FOLDER']);
export const removeDataDir = (dataDir: string): void =>
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });

/** Without the developer's own settings of the server. */
function environment(dataDir: string, env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TOTE_'));
  return { ...Object.fromEntries(inherited), ...TEST_ENV, TOTE_DATA_DIR: dataDir, ...env };
}

/** Killed at the exit, before the files are removed. */
export const started: ChildProcess[] = [];
process.prependOnceListener('exit', () => started.forEach((server) => void server.kill('SIGKILL')));

export class Run {
  readonly #process: ChildProcess;
  readonly #isUnder: boolean;
  readonly ended: Promise<Shutdown>;
  stdout = '';
  stderr = '';

  constructor(
    private readonly dataDir: string,
    { env = {}, under = [] }: ServerOptions,
  ) {
    const [program = '', ...args] = [...under, process.execPath, MAIN];
    this.#isUnder = under.length > 0;
    this.#process = spawn(program, args, {
      env: environment(dataDir, env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(this.#process);
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.#process, 'close').then(([code, signal]) => ({
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** The server's own, not that of the program it runs under. */
  get pid(): number {
    if (this.#isUnder) return Number(readFileSync(join(this.dataDir, 'server.pid'), 'utf8'));
    assert.ok(this.#process.pid !== undefined, 'the server process started');
    return this.#process.pid;
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    if (!this.isRunning) return;
    for (const handle of this.#handles) handle.ref();
    process.kill(this.pid, name);
  }

  get #handles(): readonly (ChildProcess | Socket)[] {
    return [this.#process, this.#process.stdout as Socket, this.#process.stderr as Socket];
  }

  /** Lets this process end first, unless the server has been told to end. */
  unref(): void {
    for (const handle of this.#handles) handle.unref();
  }

  /** Resolves with the first match in stdout; rejects with all output if the process ends before. */
  async sees(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found !== null) return found;
      const more = once(this.#process.stdout ?? this.#process, 'data');
      const ending = await Promise.race([more.then(() => null), this.ended]);
      if (ending !== null && pattern.exec(this.stdout) === null) {
        throw new Error(`the server ended with ${ending.code}\n${ending.stdout}\n${ending.stderr}`);
      }
    }
  }

  /** Resolves once `find` finds something in stderr; rejects if the process ends before. */
  async findInErrors<T>(find: (stderr: string) => T | null | undefined): Promise<T> {
    for (;;) {
      const isLast = !this.isRunning;
      const found = find(this.stderr) ?? null;
      if (found !== null) return found;
      if (isLast) throw new Error(`the server ended before that was written\n${this.stderr}`);
      await Promise.race([once(this.#process.stderr ?? this.#process, 'data'), this.ended]);
    }
  }
}

interface Refusal extends Shutdown {
  readonly logText: string;
}

export async function startRefused(options: ServerOptions): Promise<Refusal> {
  const dataDir = options.dataDir ?? newDataDir();
  try {
    const ending = await new Run(dataDir, options).ended;
    const logText = logLines(ending.stderr).map(({ msg }) => msg);
    return { ...ending, logText: logText.join('\n') };
  } finally {
    if (options.dataDir === undefined) removeDataDir(dataDir);
  }
}

/** `act` may end the server before it is up, and must have told it to end. */
export async function startDoomed(
  options: ServerOptions & { readonly dataDir: string },
  act: (run: { signal(name: NodeJS.Signals): void }) => Promise<void>,
): Promise<Shutdown> {
  const run = new Run(options.dataDir, options);
  await act(run);
  return run.ended;
}

export class Server {
  private constructor(
    readonly dataDir: string,
    readonly publicUrl: string,
    readonly operatorUrl: string,
    readonly token: string,
    readonly run: Run,
  ) {}

  /** Resolves once the banner is out: both ports answer. */
  static async start(options: ServerOptions = {}): Promise<Server> {
    const dataDir = options.dataDir ?? newDataDir();
    const env = options.env ?? {};
    const run = new Run(dataDir, options);
    options.onRun?.(run);
    const [, publicUrl = ''] = await run.sees(/^ *public API +(https?:\/\/\S+?)\/v1\b/m);
    const [, operatorUrl = ''] = await run.sees(/^ *operator API +(https?:\/\/\S+?)\/operator\/v1\b/m);
    const token = env['TOTE_OPERATOR_TOKEN'] ?? readFileSync(join(dataDir, 'operator-token'), 'utf8').trim();
    return new Server(dataDir, publicUrl, operatorUrl, token, run);
  }

  static async startFor(t: TestContext, options?: ServerOptions): Promise<Server> {
    const server = await Server.start(options);
    t.after(() => server.remove());
    return server;
  }

  demo(): Promise<string> {
    const file = join(this.dataDir, 'demo');
    return this.run.findInErrors((log) => (log.includes('demo_kept') ? readFileSync(file, 'utf8') : null));
  }

  get operator(): Client {
    return this.operatorWith(this.token);
  }

  operatorWith(token: string): Client {
    return new Client(`${this.operatorUrl}/operator/v1`, { Authorization: `Bearer ${token}` });
  }

  api(secret: string): Client {
    return new Client(`${this.publicUrl}/v1`, { 'X-API-Key': secret });
  }

  stop(): Promise<Shutdown> {
    this.run.signal('SIGTERM');
    return this.run.ended;
  }

  /** SIGKILL: to the process it looks like a power cut. */
  kill(): Promise<Shutdown> {
    this.run.signal('SIGKILL');
    return this.run.ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    removeDataDir(this.dataDir);
  }

  /** With a key that has all scopes its tier may have. */
  async createBettor(
    options: { name?: string; tier?: string; balance?: number; scopes?: readonly string[] } = {},
  ): Promise<Bettor> {
    const { name, tier = 'GOLD', balance = 10_000 } = options;
    const writes = tier === 'BRONZE' ? [] : ['orders:write', 'orders:cancel'];
    const scopes = options.scopes ?? ['markets:read', 'positions:read', ...writes];
    const account = await this.operator.post<{ id: string }>('/accounts', { name, tier, balance });
    assert.equal(account.status, 201, account.text);
    const key = await this.operator.post<{ id: string; secret: string }>(
      `/accounts/${account.data.id}/keys`,
      { scopes },
    );
    assert.equal(key.status, 201, key.text);
    const { id: keyId, secret } = key.data;
    return { accountId: account.data.id, keyId, secret, api: this.api(secret) };
  }

  /** At the engine's present time; answers once all effects are durable. */
  async push(prices: Readonly<Record<string, number>>): Promise<void> {
    const ticks = Object.entries(prices).map(([crypto, price]) => ({ crypto, price }));
    const pushed = await this.operator.post('/prices', ticks);
    assert.equal(pushed.status, 200, pushed.text);
  }

  /** Answers once all that is due on the way is durable. Returns the new time. */
  async advance(advanceMs: number): Promise<number> {
    const moved: Answered<{ time: string }> = await this.operator.post('/clock', { advanceMs });
    assert.equal(moved.status, 200, moved.text);
    return Date.parse(moved.data.time);
  }

  async nowMs(): Promise<number> {
    const status: Answered<{ clock: { time: string } }> = await this.operator.get('/status');
    return Date.parse(status.data.clock.time);
  }

  /**
   * One second after the next midnight (UTC), with these prices: a test then begins at the same phase of every time
   * frame. Returns the time.
   */
  async toNextDay(prices: Readonly<Record<string, number>> = {}): Promise<number> {
    const dayMs = 86_400_000;
    const nowMs = await this.nowMs();
    const reachedMs = await this.advance(dayMs - (nowMs % dayMs) + 1_000);
    if (Object.keys(prices).length > 0) await this.push(prices);
    return reachedMs;
  }
}

export interface Bettor {
  readonly accountId: string;
  readonly keyId: string;
  readonly secret: string;
  readonly api: Client;
}
