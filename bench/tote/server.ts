/**
 * The server under measurement: the real program with every feature on, in a process of its own, set up through its
 * operator API.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../host/ports.js';
import { ServerProcess } from '../host/server-process.js';
import type { SuiteOptions } from '../report/section.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
export const OPERATOR_TOKEN = 'bench-operator-token';
/** The limiter counts every request, but refuses none. */
const GENEROUS_LIMITS = ['key_read', 'key_write', 'key_cancel', 'account', 'ip']
  .map((name) => `${name}=999999999`)
  .join(',');
const START_MS_MAX = 60_000;
const CALL_MS_MAX = 10_000;
const CLOCK_MS_MAX = 120_000;
const END_REPORTED_MS = 200;
const OPERATOR = { Authorization: `Bearer ${OPERATOR_TOKEN}` };

interface ToteOptions {
  readonly dataDir: string;
  readonly workDir: string;
  readonly core: number | null;
  readonly durability: 'fsync' | 'os';
  /** `manual`: time moves only by `moveClock`. The system's if absent. */
  readonly clock?: 'manual';
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const placeOf = ({ workDir, cores, durability }: SuiteOptions): ToteOptions => ({
  dataDir: join(workDir, 'tote'),
  workDir,
  core: cores.server,
  durability,
});

const PAGE = 1_000;

export class ToteServer {
  readonly #startedMs = performance.now();
  #startMs = Number.NaN;

  private constructor(
    readonly process: ServerProcess,
    readonly port: number,
    readonly operatorPort: number,
  ) {}

  /** From the start of the process to its first answer; NaN until then. */
  get startMs(): number {
    return this.#startMs;
  }

  static async start(options: ToteOptions): Promise<ToteServer> {
    const server = await ToteServer.launch(options);
    await server.ready();
    return server;
  }

  /** The process has only begun to start. */
  static async launch(options: ToteOptions): Promise<ToteServer> {
    const { dataDir, workDir, core, durability, clock, main } = options;
    const [port, operatorPort] = [await freePort(), await freePort()];
    const foreign = Object.keys(process.env).filter((name) => name.startsWith('TOTE_'));
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ...Object.fromEntries(foreign.map((name) => [name, undefined])),
      TOTE_PORT: String(port),
      TOTE_OPERATOR_PORT: String(operatorPort),
      TOTE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TOTE_DATA_DIR: dataDir,
      TOTE_FEED: 'simulated',
      TOTE_CLOCK: clock ?? 'system',
      TOTE_DEMO: '0',
      TOTE_RATE_LIMITS: GENEROUS_LIMITS,
      TOTE_DURABILITY: durability,
      ...options.env,
    };
    const logFile = join(workDir, 'tote.log');
    const server = ServerProcess.node(main ?? MAIN, [], { core, env, logFile });
    return new ToteServer(server, port, operatorPort);
  }

  async ready(): Promise<void> {
    const isReady = async (): Promise<boolean> =>
      (await call(this.operatorPort, 'GET', '/readyz', null).catch(() => null))?.status === 200;
    await this.process.up(isReady, START_MS_MAX);
    this.#startMs = performance.now() - this.#startedMs;
  }

  async operate(method: string, path: string, body: object | null = null): Promise<unknown> {
    return (await this.#ask(this.operatorPort, method, `/operator/v1${path}`, body)).data;
  }

  /** All pages of a list. */
  async operateList(path: string): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = `/operator/v1${path}?limit=${PAGE}${from}`;
      const { data, nextCursor }: Envelope = await this.#ask(this.operatorPort, 'GET', page, null);
      all.push(...(data as unknown[]));
      cursor = nextCursor;
    }
    return all;
  }

  /** Returns the time reached, once all work due by then, settlements included, is durable. */
  async moveClock(advanceMs: number): Promise<number> {
    const move = [this.operatorPort, 'POST', '/operator/v1/clock', { advanceMs }] as const;
    const { data } = await this.#ask(...move, OPERATOR, CLOCK_MS_MAX);
    return Date.parse((data as { readonly time: string }).time);
  }

  async read(path: string, apiKey: string): Promise<unknown> {
    return (await this.#ask(this.port, 'GET', path, null, { 'X-API-Key': apiKey })).data;
  }

  /** A server that has ended reports its last output instead of a broken connection. */
  async #ask(...asked: Parameters<typeof call>): Promise<Envelope> {
    const { status, text } = await call(...asked).catch(async (error: unknown) => {
      // The end of a process is reported after that of its connections.
      await pause(END_REPORTED_MS);
      throw this.process.ended ? this.process.failure('ended') : error;
    });
    const [, method, path] = asked;
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as Envelope;
  }
}

interface Envelope {
  readonly data: unknown;
  readonly nextCursor: string | null;
}

/** The server closes idle connections after 8 s, `fetch` after 4. */
export async function call(
  port: number,
  method: string,
  path: string,
  body: object | null,
  headers: Readonly<Record<string, string>> = OPERATOR,
  timeoutMs = CALL_MS_MAX,
) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body === null ? {} : { 'Content-Type': 'application/json' }) },
    body: body === null ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await response.text() };
}
